//! Regular expressions of queries: PostgreSQL's, as far as they take linear time.
//!
//! Look-around and back references are refused for both engines, so that an answer does not depend on the engine.

use regex::{Regex, RegexBuilder};
use serde_json::Value;

/// Bytes that a compiled regular expression may take.
const SIZE: usize = 1 << 20;

/// An error of a regular expression, in PostgreSQL's words where it has some.
#[derive(Debug, thiserror::Error)]
#[error("ERROR: invalid regular expression: {0}")]
pub(in crate::query) struct PatternError(String);

/// Compiles a regular expression.
pub(in crate::query) fn compile(pattern: &str) -> Result<Regex, PatternError> {
    let translated = translated(pattern);
    let built = RegexBuilder::new(&translated).dot_matches_new_line(true).size_limit(SIZE).build();
    built.map_err(|error| PatternError(words(pattern, &error)))
}

/// Returns the words of an error: PostgreSQL's for the usual mistakes.
fn words(pattern: &str, error: &regex::Error) -> String {
    let first = error.to_string();
    let last = first.lines().last().unwrap_or_default();
    let reason = last.trim_start_matches("error: ").to_owned();
    if reason.contains("unclosed character class") {
        "brackets [] not balanced".to_owned()
    } else if reason.contains("unclosed group") || reason.contains("unopened group") {
        "parentheses () not balanced".to_owned()
    } else if reason.contains("repetition operator missing expression") {
        "quantifier operand invalid".to_owned()
    } else if reason.contains("look-around") || reason.contains("backreferences") {
        format!("{reason}; this store has neither in `{pattern}`")
    } else {
        reason
    }
}

/// Puts the notation of the crate in place of PostgreSQL's.
fn translated(pattern: &str) -> String {
    let mut out = String::with_capacity(pattern.len());
    let mut rest = pattern;
    while let Some(c) = rest.chars().next() {
        let escaped = rest.get(..2).filter(|_| c == '\\');
        let found = match escaped {
            Some("\\m") => Some(("\\b{start}", 2)),
            Some("\\M") => Some(("\\b{end}", 2)),
            Some("\\y") => Some(("\\b", 2)),
            Some("\\Y") => Some(("\\B", 2)),
            Some("\\Z") => Some(("\\z", 2)),
            Some("\\e") => Some(("\\x1b", 2)),
            _ if rest.starts_with("[[:<:]]") => Some(("\\b{start}", 7)),
            _ if rest.starts_with("[[:>:]]") => Some(("\\b{end}", 7)),
            _ => None,
        };
        let (text, length) = match found {
            Some(found) => found,
            None => {
                let length = if c == '\\' {
                    1 + rest[1..].chars().next().map_or(0, char::len_utf8)
                } else {
                    c.len_utf8()
                };
                (&rest[..length], length)
            }
        };
        out.push_str(text);
        rest = &rest[length..];
    }
    out
}

/// A regular expression for one component of a place.
#[derive(Debug)]
pub(super) struct Component {
    pattern: Regex,
    /// Whether only names, or only positions, match.
    only: Option<Only>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Only {
    Names,
    Positions,
}

impl Component {
    /// Compiles a pattern; a number matches positions, and a text of digits names.
    pub(super) fn new(pattern: &Value) -> Result<Self, PatternError> {
        let (text, only) = match pattern {
            Value::String(text) => {
                let is_number = !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
                (text.clone(), is_number.then_some(Only::Names))
            }
            other => (other.to_string(), Some(Only::Positions)),
        };
        Ok(Self { pattern: compile(&text)?, only })
    }

    /// Returns whether a component matches.
    pub(super) fn is_match(&self, part: &Value) -> bool {
        let (text, kind) = match part {
            Value::String(name) => (name.clone(), Only::Names),
            position => (position.to_string(), Only::Positions),
        };
        self.only.is_none_or(|only| only == kind) && self.pattern.is_match(&text)
    }
}
