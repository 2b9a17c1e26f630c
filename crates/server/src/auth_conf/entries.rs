//! Entries of `allow` and `deny`.

use kukla_plang::dump::quoted;
use serde_json::Value;

use super::rules::{Rule, one_of, strings};

type Read<T> = Result<T, String>;

impl Rule {
    /// Whether an entry tests the client's name.
    pub(super) fn names_clients(&self) -> bool {
        self.allow.iter().chain(&self.deny).any(|entry| match entry {
            Value::Object(map) => map.contains_key("certname"),
            Value::String(name) => name != "*",
            _ => false,
        })
    }

    /// Returns one expression per entry; `true` is any client with a certificate.
    pub(super) fn entries(&self, entries: &[Value]) -> Read<Vec<String>> {
        let context = |words: String| format!("rule `{}`: {words}", self.name);
        entries.iter().map(|entry| self.entry(entry).map_err(context)).collect()
    }

    fn entry(&self, entry: &Value) -> Read<String> {
        let map = match entry {
            Value::String(name) => return self.name_test(name),
            Value::Object(map) => map,
            other => return Err(format!("`{other}` is no entry")),
        };
        let mut terms = Vec::new();
        for (key, value) in map {
            match (key.as_str(), value) {
                ("certname", Value::String(name)) => terms.push(self.name_test(name)?),
                ("extensions", Value::Object(extensions)) => {
                    for (name, values) in extensions {
                        terms.push(extension(name, &strings(Some(values))?));
                    }
                }
                ("subject-alt-name", value) => terms.push(alt_name(value)?),
                _ => return Err(format!("`{key}` is not known in an entry")),
            }
        }
        terms.retain(|term| term != "true");
        Ok(match terms.as_slice() {
            [] => "true".to_owned(),
            [term] => term.clone(),
            terms => format!("({})", terms.join(" and ")),
        })
    }

    /// `*`, `*.example.com`, `/regex/`, `$1`, `name`
    fn name_test(&self, name: &str) -> Read<String> {
        if name == "*" {
            return Ok("true".to_owned());
        }
        if let Some(pattern) = name.strip_prefix('/').and_then(|rest| rest.strip_suffix('/')) {
            return Ok(format!("me matches {}", quoted(pattern.as_bytes())));
        }
        if let Some(domain) = name.strip_prefix("*.") {
            let domain = format!(".{domain}");
            return Ok(format!("me ends_with_i {}", quoted(domain.as_bytes())));
        }
        if name.contains('*') {
            return Err(format!("`{name}`: a star can only stand before the first dot"));
        }
        match self.with_groups(name)? {
            Some(expression) => Ok(format!("(me equal_i {expression} otherwise false)")),
            None => Ok(format!("me equal_i {}", quoted(name.as_bytes()))),
        }
    }

    /// Translates a name with `$1`, the text of a group of the rule's pattern.
    fn with_groups(&self, name: &str) -> Read<Option<String>> {
        let mut pieces = Vec::new();
        let mut rest = name;
        let mut has_groups = false;
        while let Some(at) = rest.find('$') {
            let digits = &rest[at + 1..];
            let n_digits = digits.bytes().take_while(u8::is_ascii_digit).count();
            if n_digits == 0 || !self.is_regex {
                return Err(format!("`{name}`: `$` needs a number and a rule of type `regex`"));
            }
            if at > 0 {
                pieces.push(quoted(&rest.as_bytes()[..at]));
            }
            let pattern = quoted(self.path.as_bytes());
            pieces.push(format!("Core.capture(path, {pattern}, {})", &digits[..n_digits]));
            rest = &digits[n_digits..];
            has_groups = true;
        }
        if !rest.is_empty() {
            pieces.push(quoted(rest.as_bytes()));
        }
        Ok(has_groups.then(|| pieces.join(" + ")))
    }
}

/// Tests whether the certificate has an extension with one of these values.
fn extension(name: &str, values: &[String]) -> String {
    let name = quoted(name.as_bytes());
    let value = format!("Puppet.client.extension({name})");
    format!("({} otherwise false)", one_of(&value, values))
}

fn alt_name(value: &Value) -> Read<String> {
    let names = match value {
        Value::Object(map) => strings(map.get("dns-name"))?,
        value => strings(Some(value))?,
    };
    let names: Vec<String> = names
        .iter()
        .map(|name| format!("Puppet.client.altNames.have({})", quoted(name.as_bytes())))
        .collect();
    match names.as_slice() {
        [] => Err("`subject-alt-name` is empty".to_owned()),
        [name] => Ok(name.clone()),
        names => Ok(format!("({})", names.join(" or "))),
    }
}
