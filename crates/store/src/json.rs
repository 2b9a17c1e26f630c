//! JSON in one form: keys sorted, no blanks, no character that PostgreSQL can't hold.

use std::fmt::Write as _;

use kukla_rubytext::json::push_string;
use serde_json::{Map, Value};

/// The character that stands for U+0000, which PostgreSQL can't hold; PuppetDB has it too.
const STAND_IN: &str = "\u{fffd}";

/// Appends a value to a text.
pub(crate) fn push(value: &Value, out: &mut String) {
    match value {
        Value::Null => out.push_str("null"),
        Value::Bool(flag) => out.push_str(if *flag { "true" } else { "false" }),
        Value::Number(number) => write_number(number, out),
        Value::String(text) => string(text, out),
        Value::Array(values) => array(values, out),
        Value::Object(members) => object(members, out),
    }
}

/// Appends an array.
pub(crate) fn array(values: &[Value], out: &mut String) {
    out.push('[');
    for (n, value) in values.iter().enumerate() {
        if n > 0 {
            out.push(',');
        }
        push(value, out);
    }
    out.push(']');
}

/// Returns the text of a value.
pub(crate) fn text(value: &Value) -> String {
    let mut out = String::new();
    push(value, &mut out);
    out
}

/// Appends an object.
pub(crate) fn object(members: &Map<String, Value>, out: &mut String) {
    let mut sorted: Vec<(&String, &Value)> = members.iter().collect();
    sorted.sort_unstable_by_key(|(name, _)| *name);
    out.push('{');
    for (n, (name, value)) in sorted.into_iter().enumerate() {
        if n > 0 {
            out.push(',');
        }
        string(name, out);
        out.push(':');
        push(value, out);
    }
    out.push('}');
}

/// Appends a text.
pub(crate) fn string(text: &str, out: &mut String) {
    match text.contains('\0') {
        true => push_string(out, &plain(text)),
        false => push_string(out, text),
    }
}

/// Returns a text without U+0000.
pub(crate) fn plain(text: &str) -> String {
    text.replace('\0', STAND_IN)
}

fn write_number(number: &serde_json::Number, out: &mut String) {
    let text = number.to_string();
    match text.contains(['e', 'E']).then(|| number.as_f64()).flatten() {
        // As in PostgreSQL, a number has digits and no exponent.
        Some(float) if float.fract() == 0.0 && float.abs() < 1e100 => {
            let _ = write!(out, "{float:.0}");
        }
        _ => out.push_str(&text),
    }
}

/// Reads a document; what is nested deeper than 128 times is refused.
pub(crate) fn read(bytes: &[u8]) -> Result<Value, serde_json::Error> {
    serde_json::from_slice(bytes)
}
