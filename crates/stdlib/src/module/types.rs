//! Functions on types, and on functions.

use kukla_compiler::{Eval, Function, Signature};
use kukla_pcore::{Value, types};

use super::predicates::is_number_text;
use super::ruby_like::{refuse, wrong_number};

/// The functions of this file.
pub(super) const FUNCTIONS: &[Function] = &[
    Function::typed(
        "is_a",
        &[Signature::new("Any value, Type type", |call| {
            let is_instance = match call.value(1) {
                Value::Type(type_) => type_.is_instance(call.value(0)),
                _ => false,
            };
            Ok(Value::Boolean(is_instance))
        })],
    ),
    Function::typed("type_of", TYPE_OF),
    Function::typed("stdlib::type_of", TYPE_OF),
    Function::untyped("type3x", -1, |call| match call.arguments() {
        [value] => match old_type(value) {
            Some(name) => Ok(Value::from(name)),
            None => refuse(call, "Unknown type"),
        },
        _ => wrong_number(call, "1"),
    }),
    Function::untyped("is_function_available", -1, |call| match call.arguments() {
        [Value::String(name)] => Ok(Value::Boolean(call.is_function(name))),
        [_] => Ok(Value::Boolean(false)),
        arguments => crate::fault::wrong_arguments(format!(
            "is_function_available?(): Wrong number of arguments given {} for 1",
            arguments.len()
        )),
    }),
    Function::typed(
        "stdlib::has_function",
        &[Signature::returning("String[1] function_name", "Boolean", |call| {
            Ok(Value::Boolean(call.is_function(call.string(0))))
        })],
    ),
];

const TYPE_OF: &[Signature] = &[Signature::new("Any value", type_of)];

fn type_of(call: &mut kukla_compiler::Call<'_>) -> Eval<Value> {
    Ok(Value::from(types::infer_set(call.value(0))))
}

fn old_type(value: &Value) -> Option<&'static str> {
    Some(match value {
        Value::Boolean(_) => "boolean",
        Value::Integer(_) => "integer",
        Value::Float(_) => "float",
        Value::Array(_) => "array",
        Value::Hash(_) => "hash",
        Value::String(text) if is_number_text(text) => {
            if text.contains(['.', 'e', 'I', 'N']) {
                "float"
            } else {
                "integer"
            }
        }
        Value::String(_) => "string",
        _ => return None,
    })
}
