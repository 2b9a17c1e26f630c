//! Assertions about the values of nodes: `ntp::server on web01 == 'time.example.com'`.

use kukla_world::files;
use std::path::Path;

use ecow::EcoString;
use kukla_compiler::compile::Lookups;
use kukla_lookup::{FoundValue, Query, REDACTED};
use kukla_pcore::regex::Regex;
use kukla_pcore::{Value, format};
use kukla_site::{Node, SiteError};

use super::Check;

/// Expectation of a value.
enum Claim<'a> {
    Equals(&'a str),
    Differs(&'a str),
    Matches(&'a str),
    Missing,
}

impl Check<'_> {
    /// Checks all assertions of a file.
    pub(super) fn assertions(&mut self, path: &Path, nodes: &[Node]) -> anyhow::Result<()> {
        let text = files::read_text(path)
            .map_err(|error| SiteError::Unreadable { path: path.to_owned(), error })?;
        let file = path.to_string_lossy().into_owned();
        self.findings.add_file(&file);
        let mut lookups_of_nodes = Vec::new();
        for node in nodes {
            let (environment, request) = (self.environment, self.environment.request(node));
            let lookups = environment.snapshot.lookups(environment.strictness, &request);
            lookups_of_nodes.push((node.name.as_str(), lookups.map_err(anyhow::Error::msg)?));
        }
        for (line, text) in (1..).zip(text.lines()) {
            let text = text.trim();
            if text.is_empty() || text.starts_with('#') {
                continue;
            }
            if let Err(message) = holds(text, &mut lookups_of_nodes) {
                self.findings.error("data-assertion", &file, line, message);
            }
        }
        Ok(())
    }
}

fn holds(text: &str, nodes: &mut [(&str, Lookups)]) -> Result<(), String> {
    let wrong = || "a line is `KEY on NODE == VALUE`, with ==, != or =~, or `missing`".to_owned();
    let (key, rest) = text.split_once(" on ").ok_or_else(wrong)?;
    let (node, rest) = rest.trim().split_once(char::is_whitespace).ok_or_else(wrong)?;
    let rest = rest.trim();
    let claim = match rest.split_at_checked(2) {
        Some(("==", value)) => Claim::Equals(value),
        Some(("!=", value)) => Claim::Differs(value),
        Some(("=~", pattern)) => Claim::Matches(pattern.trim()),
        _ if rest == "missing" => Claim::Missing,
        _ => return Err(wrong()),
    };
    let mut selected = nodes.iter_mut().filter(|(name, _)| node == "*" || *name == node).peekable();
    if selected.peek().is_none() {
        return Err(format!("there are no facts of `{node}`"));
    }
    for (name, lookups) in selected {
        let names = [EcoString::from(key.trim())];
        let found = lookups.lookup(&Query::new(&names), None);
        let found = found.map_err(|fault| format!("on {name}: {}", fault.message))?;
        check_claim(&claim, found.as_ref(), lookups).map_err(|why| format!("on {name}: {why}"))?;
    }
    Ok(())
}

fn check_claim(
    claim: &Claim<'_>,
    found: Option<&FoundValue>,
    lookups: &mut Lookups,
) -> Result<(), String> {
    let value = found.map(|found| match &found.value {
        Value::Sensitive(inner) => (**inner).clone(),
        value => value.clone(),
    });
    let is_secret = found.is_some_and(|found| found.is_secret);
    let text = match &value {
        None => "missing".to_owned(),
        Some(_) if is_secret => REDACTED.to_owned(),
        Some(value) => format::program(value),
    };
    let holds = match claim {
        Claim::Missing => value.is_none(),
        Claim::Equals(text) => {
            value.as_ref() == Some(&lookups.pdl_value(text).map_err(|fault| fault.message)?)
        }
        Claim::Differs(text) => {
            value.as_ref() != Some(&lookups.pdl_value(text).map_err(|fault| fault.message)?)
        }
        Claim::Matches(pattern) => {
            let source = pattern.strip_prefix('/').and_then(|rest| rest.strip_suffix('/'));
            let source = source.ok_or("a pattern stands between slashes")?;
            let regex = Regex::new(source).map_err(|error| error.to_string())?;
            let text = value.as_ref().and_then(Value::as_str);
            text.is_some_and(|text| regex.is_match(text).unwrap_or(false))
        }
    };
    match holds {
        true => Ok(()),
        false => Err(format!("it is {text}")),
    }
}
