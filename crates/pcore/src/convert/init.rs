//! `Init[type, arguments].new`: `new` of another type, with arguments that follow the first.

use super::signature::NewSignature;
use super::{Convert, ConvertError, new_instance};
use crate::types::init;
use crate::types::{InitType, TupleType};
use crate::{Type, Value};

/// Implements `Init[type, arguments].new(value)`.
pub(super) fn new(
    convert: &Convert<'_>,
    init: &InitType,
    arguments: &[Value],
) -> Result<Value, ConvertError> {
    let accepted = init::arguments(init).map_err(ConvertError::new)?;
    let signatures = signatures(init);
    if !signatures.iter().any(|signature| signature.accepts(arguments)) {
        return Err(NewSignature::mismatch("new_Init", signatures.iter(), arguments));
    }
    let is_single = |value: &Value| {
        init.type_.is_instance(value)
            || accepted.single.iter().any(|type_| type_.is_instance(value))
    };
    let convert = convert.deeper()?;
    match arguments {
        [value @ Value::Array(values)] if init.arguments.is_empty() && !is_single(value) => {
            new_instance(&convert, &init.type_, values)
        }
        _ => new_instance(&convert, &init.type_, &[arguments, &init.arguments].concat()),
    }
}

/// Returns the parameters of each signature.
pub(super) fn tuples(init: &InitType) -> Vec<TupleType> {
    signatures(init).iter().map(|signature| signature.parameters().clone()).collect()
}

/// Returns the signatures. An array is spread, unless there are arguments that follow.
fn signatures(init: &InitType) -> Vec<NewSignature> {
    let one = |type_| NewSignature::new(vec!["value".into()], vec![type_], 1);
    match init.arguments.is_empty() {
        true => vec![one(Type::any_array()), one(Type::Any)],
        false => vec![one(Type::Any)],
    }
}
