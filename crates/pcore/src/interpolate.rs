//! The text of a value in an interpolation: `"${value}"`.

use std::fmt::Write;

use crate::format::write_program;
use crate::types::infer;
use crate::value::Rare;
use crate::{Hash, Value};
use kukla_base::cancel::{append, is_full, walk};
use kukla_rubytext::{base64, float};

/// Returns the text of a value.
pub fn text(value: &Value) -> String {
    let mut out = String::new();
    write_text(value, &mut out);
    out
}

/// Appends the text of a value.
///
/// Strings are never quoted; `undef` is empty.
pub fn write_text(value: &Value, out: &mut String) {
    match value {
        Value::Undef => (),
        Value::Default => out.push_str("default"),
        Value::Boolean(value) => out.push_str(if *value { "true" } else { "false" }),
        Value::Integer(value) => out.push_str(itoa::Buffer::new().format(*value)),
        Value::Float(value) => out.push_str(&float::to_s(*value)),
        Value::String(text) => {
            append(out, text);
        }
        Value::Array(values) => walk((), || write_array(values, out)),
        Value::Hash(hash) => walk((), || write_hash(hash, out)),
        Value::Regexp(regex) => out.push_str(&crate::regexps::delimited(regex)),
        Value::Type(type_) => {
            append(out, &type_.value_text());
        }
        Value::Sensitive(_) => out.push_str("Sensitive [value redacted]"),
        Value::Binary(bytes) => out.push_str(&base64::strict_encode(bytes)),
        Value::Timestamp(time) => show(time, out),
        Value::Timespan(span) => show(span, out),
        Value::Rare(rare) => match &**rare {
            Rare::Object(_) => write_program(value, out),
            Rare::Iterator(_) => {
                let _ = write!(out, "{}-Value", infer(value).generalize());
            }
            Rare::SemVer(version) => show(version, out),
            Rare::SemVerRange(range) => show(range, out),
            Rare::Uri(uri) => show(uri, out),
        },
    }
}

/// Appends. Writing to a string does not fail.
fn show(value: &dyn std::fmt::Display, out: &mut String) {
    let _ = write!(out, "{value}");
}

fn write_array(values: &[Value], out: &mut String) {
    out.push('[');
    for (index, value) in values.iter().enumerate() {
        if index > 0 {
            out.push_str(", ");
        }
        write_text(value, out);
        if is_full(out) {
            return;
        }
    }
    out.push(']');
}

fn write_hash(hash: &Hash, out: &mut String) {
    out.push('{');
    for (index, (key, value)) in hash.iter().enumerate() {
        if index > 0 {
            out.push_str(", ");
        }
        write_text(key, out);
        out.push_str(" => ");
        write_text(value, out);
        if is_full(out) {
            return;
        }
    }
    out.push('}');
}
