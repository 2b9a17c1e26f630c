//! Functions that convert Booleans from and to other values.

use kukla_compiler::{Call, Eval, Function};
use kukla_pcore::{Value, ruby};
use kukla_rubytext::{RubyInteger as _, case, float, integer};

use super::ruby_like::{refuse, wrong_number};
use crate::fault::fault;

/// The functions of this file.
pub(super) const FUNCTIONS: &[Function] = &[
    Function::untyped("any2bool", -1, any2bool),
    Function::untyped("bool2num", -1, |call| match call.arguments() {
        [] => wrong_number(call, "1"),
        [value, ..] => Ok(Value::Integer(i64::from(to_bool(value)?))),
    }),
    Function::untyped("bool2str", -1, bool2str),
    Function::untyped("num2bool", -1, |call| match call.arguments() {
        [value] => number_to_bool(value).map(Value::Boolean),
        _ => wrong_number(call, "1"),
    }),
    Function::untyped("str2bool", -1, |call| match call.arguments() {
        [] => wrong_number(call, "1"),
        [value, ..] => to_bool(value).map(Value::Boolean),
    }),
];

/// Implements `str2bool`.
pub(super) fn to_bool(value: &Value) -> Eval<bool> {
    let text = match value {
        Value::Boolean(value) => return Ok(*value),
        Value::String(text) => text,
        _ => return crate::fault::wrong_arguments("str2bool(): Requires string to work with"),
    };
    // Ruby's `^` and `$` match at any line.
    let has_line = |words: &[&str]| text.split('\n').any(|line| words.contains(&line));
    let lower = case::downcase(text);
    let has_lower = |words: &[&str]| lower.split('\n').any(|line| words.contains(&line));
    // Behind a line end at the very end, `^` matches no line.
    let has_empty_line = text.is_empty()
        || text.trim_end_matches('\n').split('\n').any(str::is_empty)
        || text.ends_with("\n\n")
        || text.as_str() == "\n";
    match () {
        () if has_empty_line => Ok(false),
        () if has_lower(&["1", "t", "y", "true", "yes"]) => Ok(true),
        () if has_lower(&["0", "f", "n", "false", "no"]) => Ok(false),
        () if has_line(&["undef", "undefined"]) => Ok(false),
        () => fault("str2bool(): Unknown type of boolean given"),
    }
}

fn number_to_bool(value: &Value) -> Eval<bool> {
    let number = match value {
        Value::Integer(number) => return Ok(*number > 0),
        Value::Float(number) => float::truncate(*number),
        Value::String(text) => match float::parse(text) {
            Ok(number) => float::truncate(number),
            Err(error) => {
                return fault(format!(
                    "num2bool(): '{text}' does not look like a number: {}",
                    error.message
                ));
            }
        },
        other => integer::to_i(&ruby::resource_to_s(other), 10),
    };
    let number = number.map_err(super::ruby_like::raised)?;
    Ok(!number.is_negative() && number.digits(10) != "0")
}

fn any2bool(call: &mut Call<'_>) -> Eval<Value> {
    let is_true = match call.arguments() {
        [] => return wrong_number(call, "1"),
        [Value::Boolean(value), ..] => *value,
        [number @ (Value::Integer(_) | Value::Float(_)), ..] => number_to_bool(number)?,
        [Value::String(text), ..] if float::parse(text).is_ok() => number_to_bool(call.value(0))?,
        [text @ Value::String(_), ..] => to_bool(text)?,
        [Value::Undef, ..] => false,
        [_, ..] => true,
    };
    Ok(Value::Boolean(is_true))
}

fn bool2str(call: &mut Call<'_>) -> Eval<Value> {
    let arguments = call.arguments();
    if !matches!(arguments.len(), 1 | 3) {
        return wrong_number(call, "3");
    }
    let word = |n: usize, default: &str| match arguments.get(n) {
        None | Some(Value::Boolean(false)) => Value::from(default),
        Some(value) => value.clone(),
    };
    let (yes, no) = (word(1, "true"), word(2, "false"));
    let Value::Boolean(value) = call.value(0) else {
        return refuse(call, "Requires a boolean to work with");
    };
    if yes.as_str().is_none() || no.as_str().is_none() {
        return refuse(call, "Requires strings to convert to");
    }
    Ok(if *value { yes } else { no })
}
