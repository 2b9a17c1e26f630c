//! Code shared by stdlib's functions: Ruby's conversions, and common messages.

use std::borrow::Cow;

use kukla_compiler::{Call, Eval};
use kukla_pcore::regex::{Options, Regex};
use kukla_pcore::{Value, ruby};
use kukla_rubytext::{BigInt, RubyError, RubyInteger as _, float, integer};

use crate::fault::{failed, fault};

/// Runs `work` on a larger stack if needed: values may be nested deeply.
pub(super) fn nested<T>(work: impl FnOnce() -> T) -> T {
    stacker::maybe_grow(64 << 10, 1 << 20, work)
}

/// Fails with `pick(): Wrong number of arguments given (0 for 1)`.
pub(super) fn wrong_number<T>(call: &Call<'_>, wanted: &str) -> Eval<T> {
    let n = call.arguments().len();
    crate::fault::wrong_arguments(format!(
        "{}(): Wrong number of arguments given ({n} for {wanted})",
        call.name()
    ))
}

/// Like [`wrong_number`], but without brackets, as in some functions.
pub(super) fn wrong_number_plain<T>(call: &Call<'_>, wanted: &str) -> Eval<T> {
    let n = call.arguments().len();
    crate::fault::wrong_arguments(format!(
        "{}(): Wrong number of arguments given {n} for {wanted}",
        call.name()
    ))
}

/// Fails with `name(): words`.
pub(super) fn refuse<T>(call: &Call<'_>, words: &str) -> Eval<T> {
    fault(format!("{}(): {words}", call.name()))
}

/// Converts an error of Ruby to a fault.
pub(super) fn raised(error: RubyError) -> Box<kukla_compiler::Stop> {
    failed(error.message)
}

/// Returns the name of Ruby's class, as seen by functions of the 3.x API.
pub(super) fn class(value: &Value) -> Cow<'static, str> {
    match value {
        Value::Type(type_) if ruby::is_resource(type_) => Cow::Borrowed("Puppet::Resource"),
        other => ruby::class_name(other),
    }
}

/// Returns true for an array or a string, which many functions treat alike.
pub(super) fn is_array_or_string(value: &Value) -> bool {
    matches!(value, Value::Array(_) | Value::String(_))
}

/// Converts as Ruby's `to_i` does.
pub(super) fn to_i(value: &Value) -> Eval<i64> {
    crate::digests::to_i(value)
}

/// Converts an integer of up to 64 bits; fails for a larger one.
pub(super) fn fitting(number: &BigInt) -> Eval<Value> {
    match number.to_i64() {
        Some(number) => Ok(Value::Integer(number)),
        None => fault("the number does not fit in an Integer"),
    }
}

/// Converts as Ruby's `Integer(value)` does; `None` where it raises.
pub(super) fn integer(value: &Value) -> Option<i64> {
    match value {
        Value::Integer(value) => Some(*value),
        Value::Float(value) => float::truncate(*value).ok()?.to_i64(),
        Value::String(text) => integer::parse(text, 0).ok()?.to_i64(),
        _ => None,
    }
}

/// Converts as Ruby's `Array(value)` does.
pub(super) fn array(value: &Value) -> Vec<Value> {
    match value {
        Value::Undef => Vec::new(),
        // Ruby's resources are enumerable, with their parameters as elements; references have none.
        Value::Type(type_) if ruby::is_resource(type_) => Vec::new(),
        Value::Array(values) => values.to_vec(),
        Value::Hash(hash) => hash.iter().map(pair).collect(),
        other => vec![other.clone()],
    }
}

/// Returns `[key, value]`.
pub(super) fn pair((key, value): (&Value, &Value)) -> Value {
    Value::array([key.clone(), value.clone()])
}

/// Compiles a regular expression of a value that should be a string.
pub(super) fn regex(call: &mut Call<'_>, source: &Value) -> Eval<Regex> {
    match source {
        Value::String(source) => call.regex(source, Options::default()),
        other => fault(ruby::no_implicit_conversion(other)),
    }
}

/// Returns true if an expression matches anywhere.
pub(super) fn is_match(regex: &Regex, text: &str) -> Eval<bool> {
    regex.is_match(text).map_err(|error| failed(error.to_string()))
}

/// Returns true if one line of a text consists of digits: Ruby's `^\d+$`.
pub(super) fn has_digits_line(text: &str) -> bool {
    text.split('\n').any(|line| !line.is_empty() && line.bytes().all(|b| b.is_ascii_digit()))
}

/// Flattens nested arrays.
pub(super) fn flatten(values: &[Value]) -> Vec<Value> {
    kukla_pcore::elements::flattened(values)
}

/// Removes duplicates, as Ruby's `uniq` does.
pub(super) fn unique(values: impl IntoIterator<Item = Value>) -> Value {
    let unique: kukla_pcore::Hash = values.into_iter().map(|value| (value, Value::Undef)).collect();
    Value::array(unique.into_iter().map(|(value, _)| value))
}
