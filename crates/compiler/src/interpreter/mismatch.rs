//! Why arguments do not fit.

use kukla_pcore::types::mismatch::{Signature, assertion, describe_signatures};
use kukla_pcore::types::{CallableType, infer_set};
use kukla_pcore::{Type, Value};

use super::Parameters;
use crate::issues::{self, Issue};

/// Why none of the signatures takes the arguments and the block.
pub(crate) fn signatures(
    name: &str,
    signatures: &[Parameters],
    arguments: &[Value],
    block: Option<CallableType>,
) -> Issue {
    let callables: Vec<CallableType> = signatures.iter().map(Parameters::callable).collect();
    let names: Vec<Vec<&str>> = signatures.iter().map(parameter_names).collect();
    let described: Vec<Signature<'_>> = signatures
        .iter()
        .zip(&callables)
        .zip(&names)
        .map(|((parameters, type_), names)| Signature {
            type_,
            names,
            block_name: parameters.block.as_ref().map_or("block", |block| block.name.as_str()),
        })
        .collect();
    let mut types: Vec<Type> = arguments.iter().map(infer_set).collect();
    types.extend(block.map(|block| Type::Callable(block.into())));
    issues::argument_mismatch(describe_signatures(name, &described, &types).unwrap_or_default())
}

fn parameter_names(parameters: &Parameters) -> Vec<&str> {
    parameters.list.iter().map(|parameter| parameter.name.as_str()).collect()
}

/// Why a value is not what a function or block promises.
pub(crate) fn returned(name: &str, type_: &Type, value: &Value) -> Issue {
    issues::return_mismatch(assertion(&format!("value returned from {name}"), type_, value))
}
