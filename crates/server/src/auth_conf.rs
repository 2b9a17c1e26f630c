//! Translates Puppet Server's `auth.conf` into a program with the same decisions.
//!
//! The first rule whose `match-request` fits decides. Its `deny` entries take precedence over its `allow` entries; a
//! client in neither is denied. A request that no rule fits is denied, and so is a client without a certificate
//! unless the rule has `allow-unauthenticated`.

mod entries;
mod rules;
#[cfg(test)]
mod tests;

use std::cell::RefCell;
use std::fmt::{self, Write as _};

use kukla_plang::dump::quoted;
use kukla_rubytext::hocon::{self, HoconError, Includes};
use kukla_rubytext::{Data, RubyInteger as _};
use rules::{Rule, rules};
use serde_json::Value;

/// Reason why an `auth.conf` can't be imported.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ImportError {
    /// The file is not valid HOCON.
    Hocon(HoconError),
    /// A value depends on an environment variable of the server, which has this name.
    Variable(String),
    /// A rule has an unsupported form.
    Rule(String),
}

impl fmt::Display for ImportError {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Hocon(HoconError { line: Some(line), message, .. }) => {
                write!(out, "line {line}: {}", message.trim_start())
            }
            Self::Hocon(error) => out.write_str(&error.message),
            Self::Variable(name) => write!(
                out,
                "`{name}` is not in the file, and environment variables of the server are unknown: \
                 write its value instead of the substitution"
            ),
            Self::Rule(words) => out.write_str(words),
        }
    }
}

impl std::error::Error for ImportError {}

/// Returns the program with the decisions of the rules.
pub fn program(text: &str) -> Result<String, ImportError> {
    let value = read(text)?;
    let rules = rules(&value).map_err(ImportError::Rule)?;
    let mut out = head(&rules);
    for rule in &rules {
        out += &written(rule).map_err(ImportError::Rule)?;
    }
    out.push_str("\nAccess.deny(\"no rule matches\");\n");
    Ok(out)
}

/// Returns the lines on which rules have their names.
pub fn lines(text: &str) -> Vec<(String, usize)> {
    hocon::lines(text, "name")
}

/// Reads the file. Everything that is not in it is refused, since a rule might depend on it.
fn read(text: &str) -> Result<Value, ImportError> {
    let variable = RefCell::new(None);
    let environment = |name: &str| {
        variable.borrow_mut().get_or_insert_with(|| name.to_owned());
        None
    };
    let data = hocon::read(text, &environment, Includes::Refused);
    match variable.take() {
        Some(name) => Err(ImportError::Variable(name)),
        None => data.map(json).map_err(ImportError::Hocon),
    }
}

/// Converts data of HOCON to JSON.
pub(crate) fn json(data: Data) -> Value {
    match data {
        Data::Bool(value) => Value::from(value),
        Data::Int(number) => Value::from(number),
        Data::Big(number) => Value::from(number.to_f64()),
        Data::Float(number) => Value::from(number),
        Data::Str(text) => Value::from(text),
        Data::Array(items) => items.into_iter().map(json).collect(),
        Data::Hash(entries) => {
            let entry = |(key, value)| match key {
                Data::Str(key) => Some((key, json(value))),
                _ => None,
            };
            entries.into_iter().filter_map(entry).collect()
        }
        _ => Value::Null,
    }
}

/// Writes imports, and the names that the rules use.
fn head(rules: &[Rule]) -> String {
    let mut out = String::from("interpreter.languageVersion(\"1.0\");\nHttp := import \"Http\";\n");
    let is_closed = rules.iter().any(|rule| !rule.is_open);
    if is_closed {
        out.push_str("Puppet := import \"Puppet\";\n");
    }
    out.push_str("\npath := Http.request.uri.path;\n");
    if rules.iter().any(|rule| !rule.methods.is_empty()) {
        out.push_str("method := Http.request.method;\n");
    }
    if is_closed {
        out.push_str("authenticated := Puppet.client.authenticated;\n");
    }
    if rules.iter().any(|rule| !rule.is_open && rule.names_clients()) {
        out.push_str("me := Puppet.client.certname;\n");
    }
    out
}

/// Writes one `if` for one rule.
fn written(rule: &Rule) -> Result<String, String> {
    let name = rule.name.replace("*/", "* /");
    let reason = quoted(rule.name.as_bytes());
    let mut out = format!("\n/* {name} */\nif ({}) {{\n", rule.condition()?);
    if rule.is_open {
        return Ok(out + "    Access.allow();\n}\n");
    }
    let denied = rule.entries(&rule.deny)?;
    let allowed = rule.entries(&rule.allow)?;
    if !denied.is_empty() {
        let _ = writeln!(out, "    if ({}) {{ Access.deny({reason}); }}", all(&denied));
    }
    if !allowed.is_empty() {
        let _ = writeln!(out, "    if ({}) {{ Access.allow(); }}", all(&allowed));
    }
    let _ = write!(out, "    Access.deny({reason});\n}}\n");
    Ok(out)
}

/// Returns a condition: the client has a certificate and matches one of the entries.
fn all(entries: &[String]) -> String {
    match entries {
        _ if entries.iter().any(|entry| entry == "true") => "authenticated".to_owned(),
        [entry] => format!("authenticated and {entry}"),
        entries => format!("authenticated and ({})", entries.join(" or ")),
    }
}
