//! Calls: types of callables and their arguments.

use std::sync::Arc;

use super::guard::{Budget, Comparison};
use super::{CallableType, Type, assignable};

impl Type {
    /// Returns true for a `Callable`, a variant of such, or (if `optional`) an optional one.
    pub fn is_kind_of_callable(&self, optional: bool) -> bool {
        match self {
            Self::Callable(_) => true,
            Self::Variant(types) => types.iter().all(|type_| type_.is_kind_of_callable(optional)),
            Self::Optional(Some(inner)) => optional && inner.is_kind_of_callable(optional),
            Self::Alias(alias) if !alias.is_recursive() => {
                alias.resolved().is_some_and(|type_| type_.is_kind_of_callable(optional))
            }
            Self::Object(object) => {
                object.parent().is_some_and(|parent| parent.is_kind_of_callable(optional))
            }
            _ => false,
        }
    }
}

impl CallableType {
    /// Returns true if it can be called with arguments of these types; a block is the last of them.
    pub fn is_callable_with(&self, arguments: &[Type]) -> bool {
        let Some(parameters) = &self.parameters else { return true };
        let budget = Budget::default();
        let takes =
            |this: &Type, that: &Type| assignable::assignable(this, that, Comparison::new(&budget));
        if let Some((block, arguments)) = arguments.split_last()
            && block.is_kind_of_callable(true)
        {
            return self.block.as_ref().is_some_and(|expected| takes(expected, block))
                && parameters.size_range().covers(super::IntegerRange::exactly(arguments.len()))
                && arguments.iter().enumerate().all(|(index, argument)| {
                    parameters.at(index).is_some_and(|type_| takes(type_, argument))
                });
        }
        let parameters = Type::Tuple(Arc::new(parameters.clone()));
        takes(&parameters, &Type::tuple(arguments.to_vec(), None))
            && self.block.as_ref().is_none_or(|block| takes(block, &Type::Undef))
    }
}
