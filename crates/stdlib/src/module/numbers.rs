//! Functions on numbers.

use kukla_compiler::{Call, Eval, Function};
use kukla_pcore::{Value, ruby};
use kukla_rubytext::{BigInt, integer};

use super::ruby_like::{flatten, has_digits_line, raised, refuse, to_i};

/// The functions of this file.
pub(super) const FUNCTIONS: &[Function] =
    &[Function::untyped("clamp", -2, clamp), Function::untyped("convert_base", 2, convert_base)];

/// Returns the middle one of three numbers.
fn clamp(call: &mut Call<'_>) -> Eval<Value> {
    let values = flatten(call.arguments());
    if values.len() != 3 {
        return refuse(call, "Wrong number of arguments, need three to clamp");
    }
    for value in &values {
        match value {
            Value::String(text) if !has_digits_line(text) => {
                return refuse(call, &format!("Required explicit numeric ({text}:String)"));
            }
            Value::Hash(_) => {
                let text = ruby::resource_to_s(value);
                return refuse(call, &format!("The Hash type is not allowed ({text})"));
            }
            _ => (),
        }
    }
    let mut numbers: Vec<i64> = values.iter().map(to_i).collect::<Eval<_>>()?;
    numbers.sort_unstable();
    Ok(Value::Integer(numbers[1]))
}

fn convert_base(call: &mut Call<'_>) -> Eval<Value> {
    const NO_INTEGER: &str =
        "First argument must be an integer or a string corresponding to an integer in base 10";
    for (n, which) in ["First", "Second"].into_iter().enumerate() {
        if !matches!(call.value(n), Value::Integer(_) | Value::String(_)) {
            return refuse(
                call,
                &format!("{which} argument must be either a string or an integer"),
            );
        }
    }
    let is_number = |n: usize| call.value(n).as_str().is_none_or(has_digits_line);
    if !is_number(0) || !is_number(1) {
        return refuse(call, NO_INTEGER);
    }
    let base = match u32::try_from(to_i(call.value(1))?) {
        Ok(base @ 2..=36) => base,
        _ => return refuse(call, "base must be at least 2 and must not be greater than 36"),
    };
    let number = match call.value(0) {
        Value::String(text) => integer::to_i(text, 10).map_err(raised)?,
        other => BigInt::from(to_i(other)?),
    };
    Ok(Value::from(number.to_str_radix(base)))
}
