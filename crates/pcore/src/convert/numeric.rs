//! `Numeric.new`, and code shared by the conversions to numbers.

use std::sync::LazyLock;

use super::signature::{NewFunction, SignatureRow};
use super::{Convert, ConvertError};
use crate::types::infer;
use crate::value::Value;
use kukla_rubytext::{RubyInteger as _, float, integer};

/// Number literals of Puppet code, with a sign.
pub(super) const PATTERN: &str = concat!(
    r"/\A[+-]?\s*(?:(?:(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE]-?\d+)?)",
    r"|(?:0[xX][0-9A-Fa-f]+)|(?:0[0-7]+)|(?:0[bB][01]+))\z/"
);

pub(super) static FUNCTION: LazyLock<NewFunction> = LazyLock::new(|| {
    let convertible =
        format!("Variant[Integer, Float, Boolean, Pattern[{PATTERN}], Timespan, Timestamp]");
    NewFunction::new(
        "new_numeric",
        &[("Convertible", &convertible), ("NamedArgs", NAMED_ARGS)],
        &[
            SignatureRow::Make(&[("from", "Convertible"), ("abs?", "Boolean")], from_args),
            SignatureRow::Make(&[("hash_args", "NamedArgs")], from_hash),
            SignatureRow::Refuse(&[("from", "Any"), ("abs?", "Boolean")], refuse),
        ],
    )
});

/// The type of arguments by name.
pub(super) const NAMED_ARGS: &str = "Struct[{from => Convertible, Optional[abs] => Boolean}]";

fn from_args(_: &Convert<'_>, args: &[Value]) -> Result<Value, ConvertError> {
    let [from, rest @ ..] = args else { return Ok(Value::Undef) };
    let number = from_convertible(from)?;
    match (rest, number) {
        ([Value::Boolean(true)], Value::Integer(value)) => {
            let overflow = || ConvertError::out_of_range(-i128::from(value));
            value.checked_abs().map(Value::Integer).ok_or_else(overflow)
        }
        ([Value::Boolean(true)], Value::Float(value)) => Ok(Value::Float(value.abs())),
        (_, number) => Ok(number),
    }
}

fn from_hash(convert: &Convert<'_>, args: &[Value]) -> Result<Value, ConvertError> {
    from_args(convert, &by_name(args))
}

/// Converts `{from => value, abs => boolean}` to a list.
pub(super) fn by_name(args: &[Value]) -> Vec<Value> {
    let [Value::Hash(hash)] = args else { return Vec::new() };
    let abs = hash.get_str("abs").is_some_and(Value::is_truthy);
    vec![hash.get_str("from").cloned().unwrap_or_default(), abs.into()]
}

fn from_convertible(from: &Value) -> Result<Value, ConvertError> {
    Ok(match from {
        Value::Boolean(value) => Value::Integer(i64::from(*value)),
        Value::Timestamp(time) => Value::Float(seconds(time.0)),
        Value::Timespan(span) => Value::Float(seconds(span.0)),
        Value::String(text) => from_text(text)?,
        other => other.clone(),
    })
}

/// Converts nanoseconds to seconds.
pub(super) fn seconds(nanoseconds: i128) -> f64 {
    nanoseconds as f64 / 1e9
}

/// Parses a number: a fraction or an exponent makes it a float.
///
/// Puppet refuses zero with an exponent, so this does too.
fn from_text(text: &str) -> Result<Value, ConvertError> {
    let (sign, digits) = match text.strip_prefix(['-', '+']) {
        Some(rest) => (text.starts_with('-'), rest.trim_start_matches([' ', '\t'])),
        None => (false, text),
    };
    let is_hexadecimal = digits.starts_with("0x") || digits.starts_with("0X");
    if is_hexadecimal || !digits.contains(['.', 'e', 'E']) {
        return from_digits(sign, digits);
    }
    let value = float::parse(digits)?;
    let is_zero =
        digits.split(['e', 'E']).next().is_some_and(|m| m.bytes().all(|b| b == b'0' || b == b'.'));
    if value.is_infinite() || is_zero && digits.contains(['e', 'E']) {
        return Ok(Value::Undef);
    }
    Ok(Value::Float(if sign { -value } else { value }))
}

fn from_digits(negative: bool, digits: &str) -> Result<Value, ConvertError> {
    // Puppet refuses a binary number with a sign.
    if negative && (digits.starts_with("0b") || digits.starts_with("0B")) {
        return Ok(Value::Undef);
    }
    let digits = if negative { format!("-{digits}") } else { digits.to_owned() };
    let value = integer::parse(&digits, 0)?;
    value.to_i64().map(Value::Integer).ok_or_else(|| ConvertError::out_of_range(value))
}

/// Removes the space between a sign and a number.
pub(super) fn close_up(text: &str) -> Option<String> {
    let sign = text.chars().next().filter(|c| matches!(c, '+' | '-'))?;
    let rest = &text[1..];
    let number = rest.trim_start_matches([' ', '\t']);
    (number.len() < rest.len()).then(|| format!("{sign}{number}"))
}

fn refuse(args: &[Value]) -> Result<String, ConvertError> {
    Ok(args.first().map_or_else(String::new, |from| cannot_be_converted(from, "Numeric")))
}

/// Returns `The string 'x' cannot be converted to Integer`.
pub(super) fn cannot_be_converted(from: &Value, target: &str) -> String {
    match from {
        Value::String(text) => format!("The string '{text}' cannot be converted to {target}"),
        other => type_cannot_be_converted(other, target),
    }
}

/// Returns `Value of type Undef cannot be converted to Array`.
pub(super) fn type_cannot_be_converted(from: &Value, target: &str) -> String {
    format!("Value of type {} cannot be converted to {target}", infer(from).generalize().text())
}
