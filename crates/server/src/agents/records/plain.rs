//! Values as the store has them: rich ones are texts, and Sensitive ones are left out.

use kukla_base::cancel::walk;
use kukla_catalog::json;
use kukla_pcore::{Hash, Value};

/// The text that stands for a secret within other data.
const REDACTED: &str = "\"Sensitive [value redacted]\"";

/// Appends members of an object; those that are secret are left out.
pub(super) fn members<'a>(members: impl Iterator<Item = (&'a str, &'a Value)>, out: &mut String) {
    let mut is_first = true;
    for (name, value) in members.filter(|(_, value)| !is_secret(value)) {
        if !is_first {
            out.push(',');
        }
        is_first = false;
        text(name, out);
        out.push(':');
        self::value(value, out);
    }
}

/// Appends a value.
pub(in crate::agents) fn value(value: &Value, out: &mut String) {
    walk((), || match value {
        value if is_secret(value) => out.push_str(REDACTED),
        Value::Array(values) => {
            out.push('[');
            for (n, value) in values.iter().enumerate() {
                if n > 0 {
                    out.push(',');
                }
                self::value(value, out);
            }
            out.push(']');
        }
        Value::Hash(hash) => match rich_text(hash) {
            Some(text) => json::value(text, out),
            None => object(hash, out),
        },
        other => json::value(other, out),
    });
}

fn object(hash: &Hash, out: &mut String) {
    out.push('{');
    for (n, (key, value)) in hash.iter().enumerate() {
        if n > 0 {
            out.push(',');
        }
        match key.as_str() {
            Some(key) => text(key, out),
            None => text(&kukla_pcore::ruby::to_s(key), out),
        }
        out.push(':');
        self::value(value, out);
    }
    out.push('}');
}

/// Appends a text.
pub(super) fn text(text: &str, out: &mut String) {
    kukla_rubytext::json::push_string(out, text);
}

/// Appends a text, or null.
pub(super) fn optional(text: Option<&str>, out: &mut String) {
    match text {
        Some(text) => self::text(text, out),
        None => out.push_str("null"),
    }
}

fn is_secret(value: &Value) -> bool {
    match value {
        Value::Sensitive(_) => true,
        Value::Hash(hash) => hash.get_str("__ptype").and_then(Value::as_str) == Some("Sensitive"),
        _ => false,
    }
}

/// Returns the text of a rich value: of a Timestamp, a Version, a Binary.
fn rich_text(hash: &Hash) -> Option<&Value> {
    hash.get_str("__ptype")?;
    hash.get_str("__pvalue").filter(|value| value.as_str().is_some())
}
