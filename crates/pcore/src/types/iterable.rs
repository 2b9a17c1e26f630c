//! Iterable types and the types of their elements.

use super::{IntegerRange, StructElement, Type};

/// Returns true if values of a type can be iterated.
pub(super) fn is_iterable(type_: &Type) -> bool {
    match type_ {
        Type::Enum(_)
        | Type::Integer(_)
        | Type::Collection(_)
        | Type::Array(_)
        | Type::Hash(_)
        | Type::Iterable(_)
        | Type::Iterator(_)
        | Type::String(_)
        | Type::StringValue(_)
        | Type::Struct(_)
        | Type::Tuple(_) => true,
        Type::Type(Some(inner)) => match &**inner {
            Type::Enum(_) => true,
            Type::Integer(range) => range.is_finite(),
            _ => false,
        },
        Type::Object(object) => object.parent().is_some_and(is_iterable),
        _ => false,
    }
}

/// Returns the type of the elements of values of a type: `None` if it is unknown, `Some(None)` for any.
pub(super) fn iterable_type(type_: &Type) -> Option<Option<Type>> {
    match type_ {
        Type::Enum(_) | Type::String(_) | Type::StringValue(_) => {
            Some(Some(Type::String(Some(IntegerRange::between(1, 1)))))
        }
        Type::Integer(_) => Some(Some(Type::INTEGER)),
        Type::Array(array) => Some(match &array.element {
            Type::Any => None,
            element => Some(element.clone()),
        }),
        Type::Hash(hash) => Some(Some(match (&hash.key, &hash.value) {
            (Type::Any, Type::Any) if hash.size.is_none() => pair(Type::Unit, Type::Unit),
            (key, value) => pair(key.clone(), value.clone()),
        })),
        Type::Struct(elements) if elements.is_empty() => Some(Some(pair(Type::Unit, Type::Unit))),
        Type::Struct(elements) => Some(Some(pair(
            Type::variant(elements.iter().map(StructElement::key_type)),
            Type::variant(elements.iter().map(|element| element.value.clone())),
        ))),
        Type::Tuple(tuple) => Some(Some(Type::variant(tuple.types.iter().cloned()))),
        Type::Iterable(inner) | Type::Iterator(inner) => Some(inner.as_deref().cloned()),
        Type::Type(Some(inner)) => match &**inner {
            Type::Enum(_) => Some(Some((**inner).clone())),
            Type::Integer(range) if range.is_finite() => Some(Some((**inner).clone())),
            _ => None,
        },
        Type::Object(object) => object.parent().and_then(iterable_type),
        _ => None,
    }
}

/// Returns the type of an entry.
pub(super) fn pair(key: Type, value: Type) -> Type {
    Type::tuple(vec![key, value], Some(IntegerRange::between(2, 2)))
}

impl StructElement {
    /// Returns the type of the key: one string, or an optional one.
    pub fn key_type(&self) -> Type {
        let key = Type::StringValue(self.name.clone());
        if self.optional_key { Type::optional(key) } else { key }
    }
}
