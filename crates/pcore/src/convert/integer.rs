//! `Integer.new`

use std::sync::LazyLock;

use super::signature::{NewFunction, SignatureRow};
use super::{Convert, ConvertError, numeric};
use crate::types::mismatch;
use crate::{Hash, Value};
use kukla_rubytext::{RubyInteger as _, float, integer};

/// Digits with a sign and a prefix; the radix is checked later.
const PATTERN: &str = r"/\A[+-]?\s*(?:(?:\d+)|(?:0[xX][0-9A-Fa-f]+)|(?:0[bB][01]+))\z/";

pub(super) static FUNCTION: LazyLock<NewFunction> = LazyLock::new(|| {
    let convertible = format!("Variant[Numeric, Boolean, Pattern[{PATTERN}], Timespan, Timestamp]");
    let radix = "Variant[Default, Integer[2,2], Integer[8,8], Integer[10,10], Integer[16,16]]";
    let named = "Struct[{from => Convertible, Optional[radix] => Radix, Optional[abs] => Boolean}]";
    NewFunction::new(
        "new",
        &[("Radix", radix), ("Convertible", &convertible), ("NamedArgs", named)],
        &[
            SignatureRow::Make(
                &[("from", "Convertible"), ("radix?", "Radix"), ("abs?", "Boolean")],
                from_args,
            ),
            SignatureRow::Make(&[("hash_args", "NamedArgs")], from_hash),
            SignatureRow::Refuse(&[("hash_args", "Hash")], refuse_hash),
            SignatureRow::Refuse(
                &[("from", "Any"), ("radix?", "Integer"), ("abs?", "Boolean")],
                refuse,
            ),
        ],
    )
});

fn from_args(_: &Convert<'_>, args: &[Value]) -> Result<Value, ConvertError> {
    let [from, rest @ ..] = args else { return Ok(Value::Undef) };
    let number = from_convertible(from, rest.first().unwrap_or(&Value::Default))?;
    absolute(number, rest.get(1).is_some_and(Value::is_truthy)).map(Value::Integer)
}

fn from_hash(convert: &Convert<'_>, args: &[Value]) -> Result<Value, ConvertError> {
    let [Value::Hash(hash)] = args else { return Ok(Value::Undef) };
    let entry =
        |key, default| hash.get_str(key).filter(|v| v.is_truthy()).cloned().unwrap_or(default);
    let radix = entry("radix", Value::Default);
    from_args(convert, &[entry("from", false.into()), radix, entry("abs", false.into())])
}

fn absolute(number: i64, is_absolute: bool) -> Result<i64, ConvertError> {
    match is_absolute {
        true => number.checked_abs().ok_or_else(|| ConvertError::out_of_range(-i128::from(number))),
        false => Ok(number),
    }
}

fn from_convertible(from: &Value, radix: &Value) -> Result<i64, ConvertError> {
    match from {
        Value::Integer(value) => Ok(*value),
        Value::Float(value) => truncate(*value),
        Value::Boolean(value) => Ok(i64::from(*value)),
        Value::Timestamp(time) => seconds(time.0),
        Value::Timespan(span) => seconds(span.0),
        Value::String(text) => {
            let radix = if let Value::Integer(radix) = radix { *radix } else { 0 };
            from_text(text, radix)
        }
        _ => Ok(0),
    }
}

/// Returns whole seconds, rounded down.
fn seconds(nanoseconds: i128) -> Result<i64, ConvertError> {
    let seconds = nanoseconds.div_euclid(1_000_000_000);
    i64::try_from(seconds).map_err(|_| ConvertError::out_of_range(seconds))
}

fn truncate(value: f64) -> Result<i64, ConvertError> {
    let whole = float::truncate(value)?;
    whole.to_i64().ok_or_else(|| ConvertError::out_of_range(whole))
}

/// Parses as Ruby's `Integer()`, plus space after the sign.
fn from_text(text: &str, radix: i64) -> Result<i64, ConvertError> {
    let parsed = integer::parse(text, radix).or_else(|error| {
        let Some(closed) = numeric::close_up(text) else { return Err(error) };
        integer::parse(&closed, radix).map_err(|_| error)
    })?;
    parsed.to_i64().ok_or_else(|| ConvertError::out_of_range(parsed))
}

fn refuse(args: &[Value]) -> Result<String, ConvertError> {
    let [from, rest @ ..] = args else { return Ok(String::new()) };
    if let Some(radix) = rest.first() {
        check_radix(radix)?;
    }
    Ok(numeric::cannot_be_converted(from, "Integer"))
}

fn refuse_hash(args: &[Value]) -> Result<String, ConvertError> {
    let [hash @ Value::Hash(entries)] = args else { return Ok(String::new()) };
    if let Some(from) = entries.get_str("from").filter(|from| !is_convertible(from)) {
        return Ok(numeric::cannot_be_converted(from, "Integer"));
    }
    if let Some(radix) = radix_of(entries) {
        check_radix(radix)?;
    }
    mismatch::assert_instance("Integer.new", &FUNCTION.local_type("NamedArgs"), hash)
        .map_err(|error| ConvertError(error.into()))?;
    Ok(String::new())
}

fn radix_of(entries: &Hash) -> Option<&Value> {
    entries.get_str("radix").filter(|radix| !matches!(radix, Value::Undef | Value::Default))
}

fn is_convertible(from: &Value) -> bool {
    FUNCTION.local_type("Convertible").is_instance(from)
}

fn check_radix(radix: &Value) -> Result<(), ConvertError> {
    match radix {
        Value::Integer(2 | 8 | 10 | 16) => Ok(()),
        other => Err(ConvertError::new(format!(
            "Illegal radix: {}, expected 2, 8, 10, 16, or default",
            crate::interpolate::text(other)
        ))),
    }
}
