//! Generalization of types.

use kukla_base::cancel::walk;
use std::sync::Arc;

use super::make::length;
use super::{CallableType, IntegerRange, StructElement, TupleType, Type};

impl Type {
    /// Returns the type without ranges, sizes and values: `Integer[1, 1]` is `Integer`.
    pub fn generalize(&self) -> Self {
        walk(Self::Any, || generalize(self))
    }
}

fn generalize(type_: &Type) -> Type {
    match type_ {
        Type::Integer(_) => Type::INTEGER,
        Type::Float(_) => Type::FLOAT,
        Type::String(_) | Type::StringValue(_) => Type::STRING,
        Type::Enum(enumeration) => {
            let lengths = enumeration.values.iter().map(|value| length(value));
            match (lengths.clone().min(), lengths.max()) {
                (Some(min), Some(max)) => Type::String(Some(IntegerRange::between(min, max))),
                _ => Type::STRING,
            }
        }
        Type::Boolean(_) => Type::BOOLEAN,
        Type::Collection(_) => Type::Collection(None),
        Type::Array(array) => Type::array(array.element.generalize(), None),
        Type::Hash(hash) if hash.is_empty() => type_.clone(),
        Type::Hash(hash) => Type::hash(hash.key.generalize(), hash.value.generalize(), None),
        Type::Tuple(tuple) => Type::Tuple(Arc::new(tuple.map(Type::generalize))),
        Type::Struct(elements) => map_elements(elements, Type::generalize),
        Type::Callable(callable) => callable.map(Type::generalize),
        Type::Variant(types) => Type::variant(types.iter().map(Type::generalize)),
        Type::Optional(inner) => Type::Optional(map_inner(inner.as_deref(), Type::generalize)),
        Type::NotUndef(Some(inner)) => Type::not_undef(inner.generalize()),
        Type::Iterable(inner) => Type::Iterable(map_inner(inner.as_deref(), Type::generalize)),
        Type::Iterator(inner) => Type::Iterator(map_inner(inner.as_deref(), Type::generalize)),
        Type::Type(inner) => Type::Type(map_inner(inner.as_deref(), Type::generalize)),
        Type::Sensitive(Some(inner)) => Type::sensitive(&inner.generalize()),
        Type::Timestamp(_) => Type::Timestamp(None),
        Type::Timespan(_) => Type::Timespan(None),
        Type::Uri(_) => Type::Uri(None),
        Type::ObjectExtension(extension) => Type::Object(Arc::clone(&extension.base)),
        _ => type_.clone(),
    }
}

pub(super) fn map_inner(inner: Option<&Type>, f: impl Fn(&Type) -> Type) -> Option<Arc<Type>> {
    inner.map(|inner| Arc::new(f(inner)))
}

/// Maps the types of the values of a `Struct`.
pub(super) fn map_elements(elements: &[StructElement], f: impl Fn(&Type) -> Type) -> Type {
    let map = |element: &StructElement| StructElement {
        name: element.name.clone(),
        optional_key: element.optional_key,
        value: f(&element.value),
    };
    Type::Struct(elements.iter().map(map).collect())
}

impl TupleType {
    /// Maps the types of a tuple.
    pub(super) fn map(&self, f: impl Fn(&Type) -> Type) -> Self {
        Self { types: self.types.iter().map(f).collect(), size: self.size }
    }
}

impl CallableType {
    /// Maps the types of a callable.
    pub(super) fn map(&self, f: impl Fn(&Type) -> Type) -> Type {
        Type::Callable(Arc::new(Self {
            parameters: self.parameters.as_ref().map(|tuple| tuple.map(&f)),
            block: self.block.as_ref().map(&f),
            returns: self.returns.as_ref().map(&f).filter(|returns| *returns != Type::Any),
        }))
    }
}
