//! `Float.new`

use std::sync::LazyLock;

use super::signature::{NewFunction, SignatureRow};
use super::{Convert, ConvertError, numeric};
use crate::Value;
use kukla_rubytext::{RubyInteger as _, float, integer};

pub(super) static FUNCTION: LazyLock<NewFunction> = LazyLock::new(|| {
    let pattern = numeric::PATTERN;
    let convertible = format!("Variant[Numeric, Boolean, Pattern[{pattern}], Timespan, Timestamp]");
    NewFunction::new(
        "new_float",
        &[("Convertible", &convertible), ("NamedArgs", numeric::NAMED_ARGS)],
        &[
            SignatureRow::Make(&[("from", "Convertible"), ("abs?", "Boolean")], from_args),
            SignatureRow::Make(&[("hash_args", "NamedArgs")], from_hash),
            SignatureRow::Refuse(&[("from", "Any"), ("abs?", "Boolean")], refuse),
        ],
    )
});

fn from_args(_: &Convert<'_>, args: &[Value]) -> Result<Value, ConvertError> {
    let [from, rest @ ..] = args else { return Ok(Value::Undef) };
    let number = from_convertible(from)?;
    let is_absolute = rest.first().is_some_and(Value::is_truthy);
    Ok(Value::Float(if is_absolute { number.abs() } else { number }))
}

fn from_hash(convert: &Convert<'_>, args: &[Value]) -> Result<Value, ConvertError> {
    from_args(convert, &numeric::by_name(args))
}

fn from_convertible(from: &Value) -> Result<f64, ConvertError> {
    match from {
        Value::Float(value) => Ok(*value),
        Value::Integer(value) => Ok(*value as f64),
        Value::Boolean(value) => Ok(f64::from(u8::from(*value))),
        Value::Timestamp(time) => Ok(numeric::seconds(time.0)),
        Value::Timespan(span) => Ok(numeric::seconds(span.0)),
        Value::String(text) => from_text(text),
        _ => Ok(0.0),
    }
}

/// Parses as Ruby's `Float()`, plus binary numbers and space after the sign.
fn from_text(text: &str) -> Result<f64, ConvertError> {
    if text.starts_with("0b") || text.starts_with("0B") {
        return Ok(integer::parse(text, 0)?.to_f64());
    }
    let parsed = float::parse(text).or_else(|error| {
        let Some(closed) = numeric::close_up(text) else { return Err(error) };
        float::parse(&closed).map_err(|_| error)
    });
    Ok(parsed?)
}

fn refuse(args: &[Value]) -> Result<String, ConvertError> {
    let from = args.first();
    Ok(from.map_or_else(String::new, |from| numeric::cannot_be_converted(from, "Float")))
}
