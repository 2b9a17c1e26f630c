//! Translates Puppet Server's `auth.conf` into a program with the same decisions.
//!
//! The first rule whose `match-request` fits decides. Its `deny` entries take precedence over its `allow` entries; a
//! client in neither is denied. A request that no rule fits is denied, and so is a client without a certificate
//! unless the rule has `allow-unauthenticated`.

mod entries;
mod rules;

use std::fmt::{self, Write as _};

use super::hocon::{self, HoconError};
use crate::dump::quoted;
use rules::{Rule, rules};

/// Reason why an `auth.conf` can't be imported.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ImportError {
    /// The file is not valid HOCON.
    Hocon(HoconError),
    /// A rule has an unsupported form.
    Rule(String),
}

impl fmt::Display for ImportError {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Hocon(error) => error.fmt(out),
            Self::Rule(words) => out.write_str(words),
        }
    }
}

impl std::error::Error for ImportError {}

/// Returns the program with the decisions of the rules.
pub fn program(text: &str) -> Result<String, ImportError> {
    let value = hocon::parse(text).map_err(ImportError::Hocon)?;
    let rules = rules(&value).map_err(ImportError::Rule)?;
    let mut out = head(&rules);
    for rule in &rules {
        out += &written(rule).map_err(ImportError::Rule)?;
    }
    out.push_str("\nAccess.deny(\"no rule matches\");\n");
    Ok(out)
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
