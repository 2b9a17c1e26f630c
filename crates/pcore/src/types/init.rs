//! The values that `Init[type]` accepts: arguments of `new` of the type.

use super::{InitType, TupleType, Type, infer_set};
use crate::convert::parameter_tuples;

/// The possible arguments of `new` of a type.
#[derive(Clone, Debug)]
pub(crate) struct InitArguments {
    /// The types of single arguments.
    pub(crate) single: Vec<Type>,
    /// Tuples of several arguments, passed as arrays.
    pub(crate) tuples: Vec<Type>,
    /// Set if one element of such an array is enough.
    pub(crate) has_optional_single: bool,
}

/// An error of an `Init` type, in Puppet's words.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub(crate) enum InitError {
    /// The type has no `new`.
    #[error("Creation of new instance of type '{0}' is not supported")]
    NoNew(String),
    /// `new` of the type can't be called with the arguments.
    #[error("The type '{init}' does not represent a valid set of parameters for {name}.new()")]
    BadArguments {
        /// The `Init` type.
        init: String,
        /// The name of the type.
        name: String,
    },
}

impl From<InitError> for String {
    fn from(error: InitError) -> Self {
        error.to_string()
    }
}

/// Returns the arguments that `new` of the type can be called with.
pub(crate) fn arguments(init: &InitType) -> Result<InitArguments, InitError> {
    let unsupported = || InitError::NoNew(init.type_.text());
    let signatures = signatures(&init.type_).ok_or_else(unsupported)?;
    if init.arguments.is_empty() {
        let is_single = |tuple: &TupleType| tuple.size_range() == super::IntegerRange::exactly(1);
        let (single, tuples): (Vec<_>, Vec<_>) = signatures.into_iter().partition(is_single);
        return Ok(InitArguments {
            single: single.into_iter().filter_map(|tuple| tuple.types.into_iter().next()).collect(),
            has_optional_single: tuples.iter().any(|tuple| tuple.size_range().min == 1),
            tuples: tuples.into_iter().map(|tuple| Type::tuple(tuple.types, tuple.size)).collect(),
        });
    }
    let fixed: Vec<Type> = init.arguments.iter().map(infer_set).collect();
    let fitting = signatures.into_iter().filter(|tuple| takes(tuple, &fixed));
    let single: Vec<Type> = fitting.filter_map(|tuple| tuple.types.into_iter().next()).collect();
    if single.is_empty() {
        return Err(InitError::BadArguments {
            init: Type::Init(Some(std::sync::Arc::new(init.clone()))).to_string(),
            name: init.type_.generalize().name(),
        });
    }
    Ok(InitArguments { single, tuples: Vec::new(), has_optional_single: false })
}

/// Returns true if `new` can be called with one argument and the fixed ones after it.
fn takes(tuple: &TupleType, fixed: &[Type]) -> bool {
    let count = super::IntegerRange::exactly(fixed.len() + 1);
    let first = tuple.types.first().cloned();
    let all = first.into_iter().chain(fixed.iter().cloned()).collect();
    tuple.size_range().covers(count)
        && Type::tuple(tuple.types.clone(), tuple.size).is_assignable(&Type::tuple(all, None))
}

/// Returns the parameters of `new`, one tuple per signature.
fn signatures(type_: &Type) -> Option<Vec<TupleType>> {
    match type_ {
        Type::Alias(alias) if alias.is_recursive() => None,
        Type::Init(_) | Type::Optional(_) | Type::NotUndef(_) => None,
        type_ => parameter_tuples(type_),
    }
}
