//! Functions on types.

use kukla_compiler::{Call, Eval, Function, Signature};
use kukla_pcore::types::{self, mismatch};
use kukla_pcore::{Type, Value};

use crate::fault::wrong_arguments;

/// The functions of this file.
pub(crate) const FUNCTIONS: &[Function] = &[
    Function::typed(
        "type",
        &[
            Signature::new("Any value, Enum[detailed] inference_method?", |call| {
                Ok(Value::from(types::infer_set(call.value(0))))
            }),
            Signature::new("Any value, Enum[reduced] inference_method", |call| {
                Ok(Value::from(types::infer(call.value(0))))
            }),
            Signature::new("Any value, Enum[generalized] inference_method", |call| {
                Ok(Value::from(types::infer(call.value(0)).generalize()))
            }),
        ],
    ),
    Function::typed(
        "assert_type",
        &[
            Signature::new("Type type, Any value, Callable[Type, Type] &block?", |call| match call
                .value(0)
            {
                Value::Type(type_) => assert_type(call, type_),
                _ => Ok(Value::Undef),
            }),
            Signature::new("String type_string, Any value, Callable[Type, Type] &block?", |call| {
                let type_ = call.parse_type(call.string(0))?;
                assert_type(call, &type_)
            }),
        ],
    ),
    Function::typed(
        "convert_to",
        &[Signature::new("Any value, Type type, Any *args, Callable[1, 1] &block?", convert_to)],
    ),
    Function::typed("new", &[Signature::new("Type type, Any *args, Callable &block?", new)]),
];

fn assert_type(call: &mut Call<'_>, type_: &Type) -> Eval<Value> {
    let value = call.value(1);
    if type_.is_instance(value) {
        return Ok(value.clone());
    }
    let actual = types::infer_set(value);
    if call.has_block() {
        return call.call_block(&[Value::from(type_.clone()), Value::from(actual)]);
    }
    wrong_arguments(mismatch::describe_mismatch("assert_type():", type_, &actual))
}

fn convert_to(call: &mut Call<'_>) -> Eval<Value> {
    let [value, type_, rest @ ..] = call.arguments() else { return Ok(Value::Undef) };
    let mut arguments = vec![type_.clone(), value.clone()];
    arguments.extend(rest.iter().cloned());
    let converted = call.call_function("new", &arguments)?;
    if call.has_block() { call.call_block(&[converted]) } else { Ok(converted) }
}

fn new(call: &mut Call<'_>) -> Eval<Value> {
    let [Value::Type(type_), arguments @ ..] = call.arguments() else { return Ok(Value::Undef) };
    if let [value] = arguments
        && !matches!(**type_, Type::Init(_))
        && type_.is_instance(value)
    {
        return Ok(value.clone());
    }
    let instance = call.instance(type_, arguments)?;
    if call.has_block() { call.call_block(&[instance]) } else { Ok(instance) }
}
