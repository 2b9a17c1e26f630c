//! JSON and YAML files about nodes: the only parser of their text.

use std::path::Path;
use std::sync::Arc;

use kukla_pcore::{Hash, Value, data};
use kukla_rubytext::json::{Build, parse_with};
use kukla_rubytext::yaml::{self, LoadOptions};
use kukla_rubytext::{BigInt, RubyInteger as _};

use crate::SiteError;
use kukla_world::files;
use kukla_world::paths::Anchor;

/// A text that is not JSON or YAML.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct ParseError(String);

/// The maximum length of text that a message quotes.
const MAX_QUOTE: usize = 60;

/// Reads a file that holds a hash: JSON if its extension is `.json`, otherwise YAML.
pub(crate) fn read(path: &Path, anchor: &Anchor) -> Result<Arc<Hash>, SiteError> {
    let text = files::read_text(&anchor.absolute(path)).map_err(SiteError::unreadable(path))?;
    let is_json = path.extension().is_some_and(|extension| extension == "json");
    let format = if is_json { "JSON" } else { "YAML" };
    let value = if is_json { json(&text) } else { yaml(&text, &["Symbol", "Time"]) };
    match value {
        Ok(Value::Hash(hash)) => Ok(hash),
        Ok(_) => Err(SiteError::NotHash(path.to_owned())),
        Err(error) => Err(SiteError::Malformed { path: path.to_owned(), format, error }),
    }
}

/// Parses JSON as Ruby does; the error is the parser's reason.
///
/// An integer of more than 64 bits becomes a float: one odd fact must not refuse a node.
pub fn json(text: &str) -> Result<Value, ParseError> {
    parse_with(text, &mut Values).map_err(|error| ParseError(json_reason(&error.message)))
}

/// Parses YAML as Ruby does, accepting objects of these classes only.
pub(crate) fn yaml(text: &str, permitted_classes: &[&str]) -> Result<Value, ParseError> {
    let options = LoadOptions { permitted_classes, aliases: true, filename: None };
    let loaded = yaml::load(&without_tag(text), options).and_then(data::value);
    loaded.map_err(|error| ParseError(error.message))
}

/// Facts that Puppet stores begin with the name of a Ruby class.
fn without_tag(text: &str) -> String {
    text.replacen("--- !ruby/object:Puppet::Node::Facts", "---", 1)
}

/// Returns Ruby's message without the line of Ruby's own source, and without the rest of a long document.
fn json_reason(message: &str) -> String {
    let reason = match message.split_once(": ") {
        Some((line, reason)) if line.bytes().all(|byte| byte.is_ascii_digit()) => reason,
        _ => message,
    };
    match reason.char_indices().nth(MAX_QUOTE) {
        Some((end, _)) => format!("{}…", &reason[..end]),
        None => reason.to_owned(),
    }
}

/// Builds values.
struct Values;

impl Build for Values {
    type Node = Value;

    fn nil(&mut self) -> Value {
        Value::Undef
    }

    fn bool(&mut self, value: bool) -> Value {
        Value::Boolean(value)
    }

    fn int(&mut self, number: i64) -> Value {
        Value::Integer(number)
    }

    fn big(&mut self, number: BigInt) -> Value {
        Value::Float(number.to_f64())
    }

    fn float(&mut self, number: f64) -> Value {
        Value::Float(number)
    }

    fn str(&mut self, text: String) -> Value {
        Value::from(text)
    }

    fn array(&mut self, items: Vec<Value>) -> Value {
        Value::array(items)
    }

    fn hash(&mut self, entries: Vec<(String, Value)>) -> Value {
        Value::hash(entries.into_iter().map(|(key, value)| (Value::from(key), value)).collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reasons_are_short_and_without_lines_of_other_sources() {
        assert_eq!(json("{").expect_err("it is cut off").0, "unexpected token at '{'");
        let reason = json(&format!("[1, {}", "x".repeat(1_000))).expect_err("it is no JSON").0;
        assert!(reason.ends_with('…') && reason.chars().count() <= MAX_QUOTE + 1, "{reason}");
    }

    #[test]
    fn large_numbers_are_no_error() {
        assert_eq!(json("18446744073709551616"), Ok(Value::Float(18_446_744_073_709_551_616.0)));
        assert_eq!(json("9223372036854775807"), Ok(Value::Integer(i64::MAX)));
    }
}
