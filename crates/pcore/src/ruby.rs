//! Ruby's view of values: `to_s`, `inspect`, `==`, `<=>`, and its messages for missing methods.
//!
//! Puppet leaves much to Ruby: `join` and `fail` print hashes as Ruby does, `sort` compares as Ruby does.

use kukla_base::cancel::{append, is_full, walk};
use std::borrow::Cow;
use std::cmp::Ordering;
use std::fmt::Write;

use kukla_base::{Editions, RubyChange};

use crate::interpolate::write_text;
pub use crate::types::access::ruby_class as class_name;
use crate::value::Rare;
use crate::{Hash, Type, Value};
use kukla_rubytext::inspect::inspect as inspect_text;

/// Formats a value as Ruby's `to_s` does.
pub fn to_s(value: &Value) -> String {
    let mut out = String::new();
    write_to_s(value, &mut out, Resources::Types);
    out
}

/// Like [`to_s`], but for functions of the 3.x API, which get a resource for the type `File['/a']`.
pub fn resource_to_s(value: &Value) -> String {
    let mut out = String::new();
    write_to_s(value, &mut out, Resources::Resources);
    out
}

/// Formats a value as Ruby's `inspect` does.
pub fn inspect(value: &Value) -> String {
    let mut out = String::new();
    write_inspect(value, &mut out, Resources::Types);
    out
}

/// Like [`inspect`], but for functions of the 3.x API.
pub fn resource_inspect(value: &Value) -> String {
    let mut out = String::new();
    write_inspect(value, &mut out, Resources::Resources);
    out
}

/// Joins values as Ruby's `Array#join` does: nested arrays are joined too.
pub fn join(values: &[Value], separator: &str) -> String {
    let mut out = String::new();
    write_joined(values, separator, &mut out);
    out
}

fn write_joined(values: &[Value], separator: &str, out: &mut String) {
    for (index, value) in values.iter().enumerate() {
        if index > 0 {
            append(out, separator);
        }
        match value {
            Value::String(text) => {
                append(out, text);
            }
            Value::Array(inner) => walk((), || write_joined(inner, separator, out)),
            other => write_to_s(other, out, Resources::Types),
        }
        if is_full(out) {
            return;
        }
    }
}

/// The meaning of `File['/a']`.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Resources {
    Types,
    Resources,
}

fn write_to_s(value: &Value, out: &mut String, resources: Resources) {
    match value {
        Value::Array(_) | Value::Hash(_) => write_inspect(value, out, resources),
        Value::Regexp(regex) => out.push_str(&regex.to_s()),
        Value::Type(type_) if resources == Resources::Resources => match resource(type_) {
            Some((name, title)) => {
                let _ = write!(out, "{name}[{title}]");
            }
            None => write_text(value, out),
        },
        other => write_text(other, out),
    }
}

fn write_inspect(value: &Value, out: &mut String, resources: Resources) {
    match value {
        Value::Undef => out.push_str("nil"),
        Value::Default => out.push_str(":default"),
        Value::String(text) => {
            append(out, &inspect_text(text));
        }
        Value::Array(values) => walk((), || write_array(values, out, resources)),
        Value::Hash(hash) => walk((), || write_hash(hash, out, resources)),
        Value::Regexp(regex) => out.push_str(&regex.inspect()),
        Value::Sensitive(_) => out.push_str("#<Sensitive [value redacted]>"),
        Value::Type(type_) if resources == Resources::Resources => match resource(type_) {
            Some((name, title)) => {
                let (key, title_shown) = (name_variable(&name), inspect_text(&title));
                let entry = Editions::current().ruby.symbol_entry(key);
                let _ = write!(out, "{name}[{title}]{{{entry}{title_shown}}}");
            }
            None => write_text(value, out),
        },
        other => write_text(other, out),
    }
}

/// Returns true for a type that functions of the 3.x API get as a resource.
pub fn is_resource(type_: &Type) -> bool {
    resource(type_).is_some()
}

/// Returns the name and title of a resource or class.
fn resource(type_: &Type) -> Option<(String, String)> {
    match type_ {
        Type::Resource(resource) => {
            let title = resource.title.as_deref().unwrap_or_default();
            Some((resource.name.as_deref()?.to_owned(), title.to_owned()))
        }
        Type::Class(Some(name)) => Some(("Class".to_owned(), capitalized(name))),
        _ => None,
    }
}

/// Returns `Apache::Vhost` for `apache::vhost`.
fn capitalized(name: &str) -> String {
    let parts = name.trim_start_matches("::").split("::").map(|part| {
        let mut letters = part.chars();
        let first = letters.next().map(|first| first.to_ascii_uppercase());
        first.into_iter().chain(letters).collect::<String>()
    });
    parts.collect::<Vec<_>>().join("::")
}

/// Returns the parameter that the title is the default of.
fn name_variable(type_name: &str) -> &'static str {
    match type_name {
        "File" | "Tidy" => "path",
        "Exec" => "command",
        _ => "name",
    }
}

fn write_array(values: &[Value], out: &mut String, resources: Resources) {
    out.push('[');
    for (index, value) in values.iter().enumerate() {
        if index > 0 {
            out.push_str(", ");
        }
        write_inspect(value, out, resources);
        if is_full(out) {
            return;
        }
    }
    out.push(']');
}

fn write_hash(hash: &Hash, out: &mut String, resources: Resources) {
    let ruby = Editions::current().ruby;
    out.push('{');
    for (index, (key, value)) in hash.iter().enumerate() {
        if index > 0 {
            out.push_str(", ");
        }
        match key {
            Value::Default => out.push_str(&ruby.symbol_entry("default")),
            key => {
                write_inspect(key, out, resources);
                out.push_str(ruby.arrow());
            }
        }
        write_inspect(value, out, resources);
        if is_full(out) {
            return;
        }
    }
    out.push('}');
}

/// Compares as Ruby's `a == b`: case-sensitive, and `1 == 1.0`.
pub fn equal(a: &Value, b: &Value) -> bool {
    match (a, b) {
        #[expect(clippy::cast_precision_loss, reason = "as Ruby compares")]
        (Value::Integer(a), Value::Float(b)) | (Value::Float(b), Value::Integer(a)) => {
            *a as f64 == *b
        }
        (Value::Float(a), Value::Float(b)) => a == b,
        (Value::Array(a), Value::Array(b)) => {
            a.len() == b.len() && walk(false, || a.iter().zip(b).all(|(a, b)| equal(a, b)))
        }
        (Value::Hash(a), Value::Hash(b)) => {
            a.len() == b.len()
                && walk(false, || {
                    a.iter().all(|(k, v)| b.get(k).is_some_and(|other| equal(v, other)))
                })
        }
        _ => a == b,
    }
}

/// Compares as Ruby's `a <=> b`; `None` if they have no order.
pub fn compare(a: &Value, b: &Value) -> Option<Ordering> {
    match (a, b) {
        (Value::Integer(a), Value::Integer(b)) => Some(a.cmp(b)),
        (Value::Float(a), Value::Float(b)) => a.partial_cmp(b),
        (Value::Integer(a), Value::Float(b)) => compare_mixed(*a, *b),
        (Value::Float(a), Value::Integer(b)) => compare_mixed(*b, *a).map(Ordering::reverse),
        (Value::String(a), Value::String(b)) => Some(a.as_bytes().cmp(b.as_bytes())),
        (Value::Array(a), Value::Array(b)) => walk(None, || compare_arrays(a, b)),
        (Value::Timespan(a), Value::Timespan(b)) => Some(a.cmp(b)),
        (Value::Timestamp(a), Value::Timestamp(b)) => Some(a.cmp(b)),
        (Value::Timespan(a), Value::Integer(_) | Value::Float(_)) => compare_seconds(a.0, b),
        (Value::Timestamp(a), Value::Integer(_) | Value::Float(_)) => compare_seconds(a.0, b),
        (Value::Rare(x), Value::Rare(y)) => match (&**x, &**y) {
            (Rare::SemVer(a), Rare::SemVer(b)) => Some(a.compare(b)),
            _ => equal(a, b).then_some(Ordering::Equal),
        },
        _ => equal(a, b).then_some(Ordering::Equal),
    }
}

fn compare_mixed(a: i64, b: f64) -> Option<Ordering> {
    #[expect(clippy::cast_precision_loss, reason = "beyond 2^53 the fraction below decides")]
    let rough = (a as f64).partial_cmp(&b)?;
    if rough != Ordering::Equal {
        return Some(rough);
    }
    #[expect(
        clippy::cast_possible_truncation,
        reason = "a float equal to an integer has no fraction"
    )]
    Some(i128::from(a).cmp(&(b as i128)))
}

/// Compares a time with a number of seconds: the fraction counts only for floats.
fn compare_seconds(nanoseconds: i128, seconds: &Value) -> Option<Ordering> {
    match seconds {
        Value::Integer(seconds) => {
            Some(nanoseconds.div_euclid(1_000_000_000).cmp(&i128::from(*seconds)))
        }
        #[expect(clippy::cast_precision_loss, reason = "as Ruby compares")]
        Value::Float(seconds) => (nanoseconds as f64 / 1e9).partial_cmp(seconds),
        _ => None,
    }
}

fn compare_arrays(a: &[Value], b: &[Value]) -> Option<Ordering> {
    for (a, b) in a.iter().zip(b) {
        match compare(a, b) {
            Some(Ordering::Equal) => (),
            other => return other,
        }
    }
    Some(a.len().cmp(&b.len()))
}

/// Compares as Ruby's `String#casecmp`: the case of ASCII letters is ignored.
pub fn casecmp(a: &str, b: &str) -> Ordering {
    let lower = |text: &str| text.bytes().map(|byte| byte.to_ascii_lowercase()).collect::<Vec<_>>();
    lower(a).cmp(&lower(b))
}

/// Returns Ruby's message for a method that a value does not have.
pub fn no_method(method: &str, value: &Value) -> String {
    let ruby = Editions::current().ruby;
    let quoted = ruby.quoted(method);
    if ruby.has(RubyChange::ReceiverIsClass) {
        return format!("undefined method {quoted} for {}", receiver(value));
    }
    let shown = resource_inspect(value);
    match value {
        Value::Type(type_) if resource(type_).is_some() => {
            format!("undefined method {quoted} for {shown}:Puppet::Resource")
        }
        Value::Sensitive(_) | Value::Type(_) | Value::Rare(_) => {
            format!("undefined method {quoted} for {shown}")
        }
        _ => format!("undefined method {quoted} for {shown}:{}", class_name(value)),
    }
}

/// Returns a receiver as Ruby 3.3 shows it.
fn receiver(value: &Value) -> String {
    match value {
        Value::Undef => "nil".to_owned(),
        Value::Boolean(value) => value.to_string(),
        Value::Type(type_) if resource(type_).is_some() => {
            "an instance of Puppet::Resource".to_owned()
        }
        other => format!("an instance of {}", class_name(other)),
    }
}

/// Returns Ruby's message for a value in place of a text.
pub fn no_implicit_conversion(value: &Value) -> String {
    no_conversion(value, "String")
}

/// Returns Ruby's message for a value in place of one of another class.
pub fn no_conversion(value: &Value, class: &str) -> String {
    let what = match value {
        Value::Undef => "nil".into(),
        Value::Boolean(true) => "true".into(),
        Value::Boolean(false) => "false".into(),
        Value::Type(type_) if resource(type_).is_some() => Cow::Borrowed("Puppet::Resource"),
        other => class_name(other),
    };
    format!("no implicit conversion of {what} into {class}")
}

/// Escapes as Ruby's `Regexp.escape` does.
pub fn regexp_escape(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for character in text.chars() {
        match character {
            '\n' => out.push_str("\\n"),
            '\t' => out.push_str("\\t"),
            '\r' => out.push_str("\\r"),
            '\u{c}' => out.push_str("\\f"),
            '\u{b}' => out.push_str("\\v"),
            '[' | ']' | '{' | '}' | '(' | ')' | '|' | '-' | '*' | '.' | '\\' | '?' | '+' | '^'
            | '$' | ' ' | '#' => {
                out.push('\\');
                out.push(character);
            }
            other => out.push(other),
        }
    }
    out
}
