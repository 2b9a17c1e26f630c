//! Functions on strings.

use kukla_compiler::{Call, Eval, Function, LocalType, Signature};
use kukla_pcore::elements::Elements;
use kukla_pcore::{Hash, Type, Value, ruby};
use kukla_rubytext::case;

use crate::fault::fault;

/// The signatures of a function on one string or several.
macro_rules! on_texts {
    ($change:expr) => {
        [
            Signature::new("Numeric arg", |call| Ok(call.value(0).clone())),
            Signature::new("String arg", |call| Ok(change(call.value(0), $change))),
            Signature::new("Iterable[Variant[String, Numeric]] arg", |call| {
                change_each(call, $change)
            }),
        ]
    };
}

/// The signatures of a function on all strings in a value.
macro_rules! on_trees {
    ($change:expr) => {
        [
            Signature::new("Numeric arg", |call| Ok(call.value(0).clone())),
            Signature::new("String arg", |call| Ok(change(call.value(0), $change))),
            Signature::new("Array[StringData] arg", |call| Ok(change_all(call.value(0), $change))),
            Signature::new("Hash[StringData, StringData] arg", |call| {
                Ok(change_all(call.value(0), $change))
            }),
        ]
    };
}

/// The functions of this file.
pub(crate) const FUNCTIONS: &[Function] = &[
    Function::typed("camelcase", &on_texts!(camelcase)).keeping_encoding(),
    Function::typed("capitalize", &on_texts!(case::capitalize)).keeping_encoding(),
    Function::typed("chomp", &on_texts!(chomp)).keeping_encoding(),
    Function::typed("chop", &on_texts!(chop)).keeping_encoding(),
    Function::typed("lstrip", &on_texts!(lstrip)).keeping_encoding(),
    Function::typed("rstrip", &on_texts!(rstrip)).keeping_encoding(),
    Function::typed("strip", &on_texts!(strip)).keeping_encoding(),
    Function::typed_with("downcase", STRING_DATA, &on_trees!(case::downcase)).keeping_encoding(),
    Function::typed_with("upcase", STRING_DATA, &on_trees!(case::upcase)).keeping_encoding(),
];

const STRING_DATA: &[LocalType] = &[LocalType {
    name: "StringData",
    type_: "Variant[String, Numeric, Array[StringData], Hash[StringData, StringData]]",
}];

fn change(value: &Value, change: fn(&str) -> String) -> Value {
    match value {
        Value::String(text) => Value::from(change(text)),
        other => other.clone(),
    }
}

fn change_each(call: &Call<'_>, function: fn(&str) -> String) -> Eval<Value> {
    match call.value(0) {
        Value::Type(type_)
            if matches!(**type_, Type::Integer(_) | Type::Enum(_) | Type::Alias(_)) =>
        {
            fault(ruby::no_method("map", call.value(0)))
        }
        value => {
            let elements = Elements::all_of(value).into_iter().flatten();
            Ok(Value::array(elements.map(|element| change(&element, function))))
        }
    }
}

/// Maps all strings in arrays and hashes.
fn change_all(value: &Value, function: fn(&str) -> String) -> Value {
    match value {
        Value::Array(values) => Value::array(values.iter().map(|v| change_all(v, function))),
        Value::Hash(hash) => {
            let mut changed = Hash::with_capacity(hash.len());
            for (key, value) in hash.iter() {
                changed.insert(change_all(key, function), change_all(value, function));
            }
            Value::hash(changed)
        }
        other => change(other, function),
    }
}

fn camelcase(text: &str) -> String {
    text.split('_').map(case::capitalize).collect()
}

/// Removes a line end.
fn chomp(text: &str) -> String {
    let text = match text.strip_suffix('\n') {
        Some(line) => line.strip_suffix('\r').unwrap_or(line),
        None => text.strip_suffix('\r').unwrap_or(text),
    };
    text.to_owned()
}

/// Removes the last character, or a line end of two.
fn chop(text: &str) -> String {
    if let Some(line) = text.strip_suffix("\r\n") {
        return line.to_owned();
    }
    let mut characters = text.chars();
    characters.next_back();
    characters.as_str().to_owned()
}

/// Returns true for Ruby's blanks; NUL counts too, except that a single `\0` at the front stays.
const fn is_blank(character: char) -> bool {
    matches!(character, '\0' | '\t'..='\r' | ' ')
}

fn lstrip(text: &str) -> String {
    text.trim_start_matches(is_blank).to_owned()
}

fn rstrip(text: &str) -> String {
    text.trim_end_matches(is_blank).to_owned()
}

fn strip(text: &str) -> String {
    text.trim_matches(is_blank).to_owned()
}
