//! Functions on numbers.

use kukla_compiler::{Call, Eval, Function, Signature};
use kukla_pcore::Value;
use kukla_rubytext::{BigInt, RubyError, RubyInteger as _, float, integer};

use crate::fault::fault;

/// The functions of this file.
pub(crate) const FUNCTIONS: &[Function] = &[
    Function::typed(
        "abs",
        &[Signature::new("Numeric val", abs), Signature::new("String val", abs_of_text)],
    ),
    Function::typed(
        "ceiling",
        &[
            Signature::new("Numeric val", |call| rounded(call.value(0), float::ceil)),
            Signature::new("String val", |call| rounded_text(call, float::ceil)),
        ],
    ),
    Function::typed(
        "floor",
        &[
            Signature::new("Numeric val", |call| rounded(call.value(0), float::floor)),
            Signature::new("String val", |call| rounded_text(call, float::floor)),
        ],
    ),
    Function::typed("round", &[Signature::new("Numeric val", round)]),
];

type Rounding = fn(f64) -> Result<BigInt, RubyError>;

fn abs(call: &mut Call<'_>) -> Eval<Value> {
    match call.value(0) {
        Value::Integer(value) => match value.checked_abs() {
            Some(value) => Ok(Value::Integer(value)),
            None => too_big(),
        },
        Value::Float(value) => Ok(Value::Float(value.abs())),
        other => Ok(other.clone()),
    }
}

fn abs_of_text(call: &mut Call<'_>) -> Eval<Value> {
    call.warn_once(
        "abs_function_numeric_coerce_string",
        "The abs() function's auto conversion of String to Numeric is deprecated - change to convert input before calling",
    );
    let text = call.string(0);
    let digits = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    let unsigned = |line: &str| line.strip_prefix('-').unwrap_or(line).to_owned();
    // Ruby's `^` and `$` match at any line.
    let is_float = |line: &str| match unsigned(line).split_once('.') {
        Some((whole, fraction)) => digits(whole) && digits(fraction),
        None => false,
    };
    if text.split('\n').any(is_float) {
        return Ok(Value::Float(float::to_f(text).abs()));
    }
    if !text.split('\n').any(|line| digits(&unsigned(line))) {
        return crate::fault::wrong_arguments(
            "abs(): Requires float or integer to work with - was given non decimal string",
        );
    }
    match integer::to_i(text, 10).ok().and_then(|value| value.to_i64()) {
        Some(value) if value != i64::MIN => Ok(Value::Integer(value.abs())),
        _ => too_big(),
    }
}

fn rounded(value: &Value, rounding: Rounding) -> Eval<Value> {
    match value {
        Value::Float(value) => integer(rounding(*value)),
        other => Ok(other.clone()),
    }
}

fn rounded_text(call: &mut Call<'_>, rounding: Rounding) -> Eval<Value> {
    let name = call.name();
    call.warn_once(
        &format!("{name}_function_numeric_coerce_string"),
        &format!("The {name}() function's auto conversion of String to Float is deprecated - change to convert input before calling"),
    );
    match float::parse(call.string(0)) {
        Ok(value) => integer(rounding(value)),
        Err(_) => fault(format!("{name}(): cannot convert given value to a floating point value.")),
    }
}

/// Rounds halves away from zero, always by way of a float.
fn round(call: &mut Call<'_>) -> Eval<Value> {
    let value = match call.value(0) {
        #[expect(clippy::cast_precision_loss, reason = "so does Ruby when it adds a half")]
        Value::Integer(value) => *value as f64,
        Value::Float(value) => *value,
        _ => 0.0,
    };
    integer(float::truncate(if value > 0.0 { value + 0.5 } else { value - 0.5 }))
}

fn integer(value: Result<BigInt, RubyError>) -> Eval<Value> {
    match value {
        Ok(value) => value.to_i64().map_or_else(too_big, |value| Ok(Value::Integer(value))),
        Err(error) => fault(error.message),
    }
}

/// Fails for an integer of more than 64 bits: Ruby's have no limit, Puppet's have.
fn too_big<T>() -> Eval<T> {
    fault("the result does not fit in an Integer")
}
