//! Names of fields with a path: `facts.os."a.b".list[0].match("x.*")`.

use serde_json::{Value, json};

use super::error::{Checked, QueryError};

/// A part of a path.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Part {
    /// A name of a member.
    Name(String),
    /// A position in an array.
    Index(u32),
    /// A regular expression for names and positions.
    Match(String),
}

/// Splits the name of a field into its first component and the path behind it.
pub(super) fn parse(field: &str) -> Checked<(&str, Vec<Part>)> {
    if field.is_empty() {
        return Err(QueryError::wrong("Empty AST field"));
    }
    let end = field
        .find(|c: char| !c.is_ascii_alphanumeric() && c != '_')
        .map_or(field.len(), |at| if field[at..].starts_with('?') { at + 1 } else { at });
    let (top, rest) = field.split_at(end);
    let is_name = top.starts_with(|c: char| c.is_ascii_alphabetic());
    if !is_name || !(rest.is_empty() || rest.starts_with('.')) {
        let words = format!("First component of AST field is invalid: {}", json!(field));
        return Err(QueryError::wrong(words));
    }
    let mut path = Vec::new();
    let mut rest = rest;
    while let Some(behind) = rest.strip_prefix('.') {
        let at = field.len() - behind.len();
        let taken = component(behind, &mut path).ok_or_else(|| {
            let words = match behind.starts_with("\"\"") {
                true => format!("Empty AST field component at character {at}: {}", json!(field)),
                false => {
                    format!(
                        "Don't recognize AST field component at character {at}: {}",
                        json!(field)
                    )
                }
            };
            QueryError::wrong(words)
        })?;
        rest = &behind[taken..];
    }
    Ok((top, path))
}

/// Takes one component; returns its length.
fn component(text: &str, path: &mut Vec<Part>) -> Option<usize> {
    if text.starts_with("\"\"") {
        return None;
    }
    if let Some(end) = enclosed(text, "match(\"", "\")") {
        path.push(Part::Match(text[7..end - 2].to_owned()));
        return Some(end);
    }
    if let Some(end) = enclosed(text, "\"", "\"") {
        indexed(&text[1..end - 1], path);
        return Some(end);
    }
    let end = text.find('.').unwrap_or(text.len());
    if end == 0 {
        return None;
    }
    indexed(&text[..end], path);
    Some(end)
}

/// Returns the end of a component with a start and an end, which stands before a point or the end of the field.
fn enclosed(text: &str, start: &str, end: &str) -> Option<usize> {
    let inner = text.strip_prefix(start)?;
    let mut from = 1.min(inner.len());
    while !inner.is_char_boundary(from) {
        from += 1;
    }
    while let Some(at) = inner.get(from..)?.find(end) {
        let (at, behind) = (from + at, from + at + end.len());
        let is_last = inner[behind..].is_empty() || inner[behind..].starts_with('.');
        if is_last && !inner[..at].ends_with('\\') {
            return Some(start.len() + behind);
        }
        from = behind;
    }
    None
}

/// Appends a name, which may end with a position: `models[0]`.
fn indexed(name: &str, path: &mut Vec<Part>) {
    let split = name.strip_suffix(']').and_then(|front| front.rsplit_once('['));
    let index = split.filter(|(front, digits)| {
        !front.is_empty() && !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit())
    });
    match index.and_then(|(front, digits)| Some((front, digits.parse().ok()?))) {
        Some((front, position)) => {
            path.push(Part::Name(front.to_owned()));
            path.push(Part::Index(position));
        }
        None => path.push(Part::Name(name.to_owned())),
    }
}

/// Returns a path as JSON: names are texts and positions numbers.
pub(super) fn as_json(path: &[Part]) -> Value {
    let parts = path.iter().map(|part| match part {
        Part::Name(name) | Part::Match(name) => json!(name),
        Part::Index(position) => json!(position),
    });
    parts.collect()
}

/// Returns the regular expressions that the components of a path must match from end to end.
pub(super) fn patterns(path: &[Part]) -> Vec<String> {
    let whole = |pattern: &str| format!("^(?:{pattern})$");
    path.iter()
        .map(|part| match part {
            Part::Name(name) => whole(&regex::escape(name)),
            Part::Index(position) => whole(&position.to_string()),
            Part::Match(pattern) => whole(pattern),
        })
        .collect()
}
