//! Paths of values: `$['key'][0]`.

use crate::Value;
use crate::format::program;

/// Formats a path; `None` if a key on it has no short text.
pub(super) fn to_text(path: &[Value]) -> Option<String> {
    let mut text = String::from("$");
    for segment in path {
        text.push('[');
        match segment {
            Value::Undef => text.push_str("null"),
            Value::Boolean(_) | Value::Integer(_) | Value::Float(_) | Value::String(_) => {
                text.push_str(&program(segment));
            }
            _ => return None,
        }
        text.push(']');
    }
    Some(text)
}

/// Parses the segments of a text by [`to_text`].
pub(super) fn parse(text: &str) -> Option<Vec<Value>> {
    let mut rest = text.strip_prefix('$')?;
    let mut path = Vec::new();
    while !rest.is_empty() {
        let (segment, after) = segment(rest.strip_prefix('[')?)?;
        path.push(segment);
        rest = after.strip_prefix(']')?;
    }
    Some(path)
}

fn segment(text: &str) -> Option<(Value, &str)> {
    match text.as_bytes().first()? {
        b'\'' => quoted(&text[1..], '\''),
        b'"' => quoted(&text[1..], '"'),
        _ => {
            let (word, rest) = text.split_at(text.find(']')?);
            Some((self::word(word)?, rest))
        }
    }
}

fn word(word: &str) -> Option<Value> {
    Some(match word {
        "null" => Value::Undef,
        "true" => true.into(),
        "false" => false.into(),
        _ => match word.parse::<i64>() {
            Ok(number) => number.into(),
            Err(_) => Value::Float(word.parse().ok()?),
        },
    })
}

/// Parses a text in quotes, and returns the rest too.
fn quoted(text: &str, quote: char) -> Option<(Value, &str)> {
    let mut out = String::new();
    let mut chars = text.char_indices();
    while let Some((at, char)) = chars.next() {
        match char {
            '\\' => out.push_str(&escaped(&mut chars, quote)?),
            _ if char == quote => return Some((Value::string(out), &text[at + 1..])),
            _ => out.push(char),
        }
    }
    None
}

fn escaped(chars: &mut std::str::CharIndices<'_>, quote: char) -> Option<String> {
    let (_, char) = chars.next()?;
    Some(match char {
        '\\' | '\'' | '"' | '$' => char.to_string(),
        't' if quote == '"' => "\t".into(),
        'n' if quote == '"' => "\n".into(),
        'r' if quote == '"' => "\r".into(),
        'u' if quote == '"' => {
            let digits: String = chars.map(|(_, c)| c).skip(1).take_while(|c| *c != '}').collect();
            char::from_u32(u32::from_str_radix(&digits, 16).ok()?)?.to_string()
        }
        other => format!("\\{other}"),
    })
}
