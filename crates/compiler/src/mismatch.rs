//! Why arguments do not fit.

use kukla_pcore::types::{CallableType, infer_set, mismatch};
use kukla_pcore::{Type, Value};

use crate::call::Parameters;

/// None of the signatures fits.
pub(crate) fn signatures(
    name: &str,
    signatures: &[Parameters],
    arguments: &[Value],
    block: Option<CallableType>,
) -> String {
    let callables: Vec<CallableType> = signatures.iter().map(Parameters::callable).collect();
    let names: Vec<Vec<&str>> = signatures
        .iter()
        .map(|signature| signature.list.iter().map(|parameter| parameter.name.as_str()).collect())
        .collect();
    let described: Vec<mismatch::Signature<'_>> = signatures
        .iter()
        .zip(&callables)
        .zip(&names)
        .map(|((signature, type_), names)| mismatch::Signature {
            type_,
            names,
            block_name: signature.block.as_ref().map_or("block", |block| block.name.as_str()),
        })
        .collect();
    let mut types: Vec<Type> = arguments.iter().map(infer_set).collect();
    types.extend(block.map(|block| Type::Callable(block.into())));
    mismatch::describe_signatures(name, &described, &types).unwrap_or_default()
}

/// A function's value is not what it promises.
pub(crate) fn returned(name: &str, type_: &Type, value: &Value) -> String {
    mismatch::assertion(&format!("value returned from {name}"), type_, value)
}
