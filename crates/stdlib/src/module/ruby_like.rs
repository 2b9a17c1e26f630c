//! What stdlib's functions have in common: Ruby's conversions, and words that most of them use.

use std::borrow::Cow;

use kukla_compiler::{Call, Eval};
use kukla_pcore::regex::{Options, Regex};
use kukla_pcore::{Value, ruby};
use kukla_rubytext::{BigInt, RubyError, float, integer};

use crate::fault::{failed, fault};

/// Values may be nested deeper than the stack is.
pub(super) fn nested<T>(work: impl FnOnce() -> T) -> T {
    stacker::maybe_grow(64 << 10, 1 << 20, work)
}

/// `pick(): Wrong number of arguments given (0 for 1)`
pub(super) fn wrong_number<T>(call: &Call<'_>, wanted: &str) -> Eval<T> {
    let n = call.arguments().len();
    crate::fault::wrong_arguments(format!(
        "{}(): Wrong number of arguments given ({n} for {wanted})",
        call.name()
    ))
}

/// The same without brackets, as some functions say it.
pub(super) fn wrong_number_plain<T>(call: &Call<'_>, wanted: &str) -> Eval<T> {
    let n = call.arguments().len();
    crate::fault::wrong_arguments(format!(
        "{}(): Wrong number of arguments given {n} for {wanted}",
        call.name()
    ))
}

/// `name(): words`
pub(super) fn refuse<T>(call: &Call<'_>, words: &str) -> Eval<T> {
    fault(format!("{}(): {words}", call.name()))
}

/// What Ruby said, as a fault.
pub(super) fn raised(error: RubyError) -> Box<kukla_compiler::Stop> {
    failed(error.message)
}

/// The name of Ruby's class, as a function of the old kind sees it.
pub(super) fn class(value: &Value) -> Cow<'static, str> {
    match value {
        Value::Type(type_) if ruby::is_resource(type_) => Cow::Borrowed("Puppet::Resource"),
        other => ruby::class_name(other),
    }
}

/// Whether a value is an array or a string, which many functions take alike.
pub(super) fn is_array_or_string(value: &Value) -> bool {
    matches!(value, Value::Array(_) | Value::String(_))
}

/// Ruby's `to_i`.
pub(super) fn to_i(value: &Value) -> Eval<i64> {
    crate::digests::to_i(value)
}

/// An integer that fits.
pub(super) fn fitting(number: &BigInt) -> Eval<Value> {
    match number.to_i64() {
        Some(number) => Ok(Value::Integer(number)),
        None => fault("the number does not fit in an Integer"),
    }
}

/// Ruby's `Integer(value)`; `None` where it raises.
pub(super) fn integer(value: &Value) -> Option<i64> {
    match value {
        Value::Integer(value) => Some(*value),
        Value::Float(value) => float::truncate(*value).ok()?.to_i64(),
        Value::String(text) => integer::parse(text, 0).ok()?.to_i64(),
        _ => None,
    }
}

/// Ruby's `Array(value)`.
pub(super) fn array(value: &Value) -> Vec<Value> {
    match value {
        Value::Undef => Vec::new(),
        // Resources have parameters as elements, and references have none.
        Value::Type(type_) if ruby::is_resource(type_) => Vec::new(),
        Value::Array(values) => values.to_vec(),
        Value::Hash(hash) => hash.iter().map(pair).collect(),
        other => vec![other.clone()],
    }
}

/// `[key, value]`
pub(super) fn pair((key, value): (&Value, &Value)) -> Value {
    Value::array([key.clone(), value.clone()])
}

/// A regular expression of a value that should be a string.
pub(super) fn regex(call: &mut Call<'_>, source: &Value) -> Eval<Regex> {
    match source {
        Value::String(source) => call.regex(source, Options::default()),
        other => fault(ruby::no_implicit_conversion(other)),
    }
}

/// Whether an expression matches somewhere.
pub(super) fn is_match(regex: &Regex, text: &str) -> Eval<bool> {
    regex.is_match(text).map_err(|error| failed(error.to_string()))
}

/// Whether a text is made of digits, on one of its lines: Ruby's `^\d+$`.
pub(super) fn has_digits_line(text: &str) -> bool {
    text.split('\n').any(|line| !line.is_empty() && line.bytes().all(|b| b.is_ascii_digit()))
}

/// All elements of arrays in arrays.
pub(super) fn flatten(values: &[Value]) -> Vec<Value> {
    let mut flat = Vec::new();
    let mut lists = vec![values.iter()];
    while let Some(list) = lists.last_mut() {
        match list.next() {
            Some(Value::Array(inner)) => lists.push(inner.iter()),
            Some(other) => flat.push(other.clone()),
            None => {
                lists.pop();
            }
        }
    }
    flat
}

/// Values without those that were there before: Ruby's `uniq`.
pub(super) fn unique(values: impl IntoIterator<Item = Value>) -> Value {
    let unique: kukla_pcore::Hash = values.into_iter().map(|value| (value, Value::Undef)).collect();
    Value::array(unique.into_iter().map(|(value, _)| value))
}
