//! What `Init[type]` accepts: whatever `new` of the type can be called with.

use super::{InitType, TupleType, Type, infer_set};
use crate::convert::parameter_tuples;

/// What can be given to `new` of a type.
#[derive(Clone, Debug)]
pub(crate) struct Arguments {
    /// Types of single arguments.
    pub(crate) single: Vec<Type>,
    /// Several arguments at once, as arrays.
    pub(crate) tuples: Vec<Type>,
    /// Whether one element of such an array is enough.
    pub(crate) has_optional_single: bool,
}

/// What can be given to `new` of the type, or what is wrong with the `Init` type.
pub(crate) fn arguments(init: &InitType) -> Result<Arguments, String> {
    let unsupported =
        || format!("Creation of new instance of type '{}' is not supported", init.type_.text());
    let signatures = signatures(&init.type_).ok_or_else(unsupported)?;
    if init.arguments.is_empty() {
        let is_single = |tuple: &TupleType| tuple.size_range() == super::IntegerRange::exactly(1);
        let (single, tuples): (Vec<_>, Vec<_>) = signatures.into_iter().partition(is_single);
        return Ok(Arguments {
            single: single.into_iter().filter_map(|tuple| tuple.types.into_iter().next()).collect(),
            has_optional_single: tuples.iter().any(|tuple| tuple.size_range().min == 1),
            tuples: tuples.into_iter().map(|tuple| Type::tuple(tuple.types, tuple.size)).collect(),
        });
    }
    let given: Vec<Type> = init.arguments.iter().map(infer_set).collect();
    let fitting = signatures.into_iter().filter(|tuple| takes(tuple, &given));
    let single: Vec<Type> = fitting.filter_map(|tuple| tuple.types.into_iter().next()).collect();
    if single.is_empty() {
        return Err(format!(
            "The type '{}' does not represent a valid set of parameters for {}.new()",
            Type::Init(Some(std::sync::Arc::new(init.clone()))),
            init.type_.generalize().name()
        ));
    }
    Ok(Arguments { single, tuples: Vec::new(), has_optional_single: false })
}

/// Whether `new` can be called with something and the arguments that are given.
fn takes(tuple: &TupleType, given: &[Type]) -> bool {
    let count = super::IntegerRange::exactly(given.len() + 1);
    let first = tuple.types.first().cloned();
    let all = first.into_iter().chain(given.iter().cloned()).collect();
    tuple.size_range().covers(count)
        && Type::tuple(tuple.types.clone(), tuple.size).is_assignable(&Type::tuple(all, None))
}

/// The parameters of `new`, one tuple for each way to call it.
fn signatures(type_: &Type) -> Option<Vec<TupleType>> {
    match type_ {
        Type::Alias(alias) if alias.is_recursive() => None,
        Type::Init(_) | Type::Optional(_) | Type::NotUndef(_) => None,
        type_ => parameter_tuples(type_),
    }
}
