//! Arrays, hashes, tuples, structs, and iterables.

use super::super::make::size_or_any;
use super::super::{ArrayType, HashType, IntegerRange, StructElement, TupleType, Type, iterable};
use super::{Comparison, assignable};

/// Decides for `Collection[size]` on the left.
pub(super) fn collection_takes(size: Option<IntegerRange>, that: &Type) -> bool {
    let size = size_or_any(size);
    match that {
        Type::Collection(other) => size.covers(size_or_any(*other)),
        Type::Array(other) => size.covers(size_or_any(other.size)),
        Type::Hash(other) => size.covers(size_or_any(other.size)),
        Type::Tuple(other) => size.covers(counted(other)),
        Type::Struct(elements) => size.covers(IntegerRange::exactly(elements.len())),
        _ => false,
    }
}

/// Decides for `Array[…]` on the left.
pub(super) fn array_takes(this: &ArrayType, that: &Type, mut work: Comparison<'_>) -> bool {
    let size = size_or_any(this.size);
    match that {
        Type::Tuple(tuple) => {
            size.covers(counted(tuple))
                && tuple.types.iter().all(|type_| assignable(&this.element, type_, work.again()))
        }
        Type::Array(that) => {
            size.covers(size_or_any(that.size)) && assignable(&this.element, &that.element, work)
        }
        _ => false,
    }
}

/// Returns the size of a tuple; that of any number for one without types.
fn counted(tuple: &TupleType) -> IntegerRange {
    tuple.size.unwrap_or_else(|| IntegerRange::exactly(tuple.types.len()))
}

/// Decides for `Hash[…]` on the left.
pub(super) fn hash_takes(this: &HashType, that: &Type, mut work: Comparison<'_>) -> bool {
    match that {
        Type::Hash(that) => {
            (size_or_any(this.size).min == 0 && that.is_empty())
                || (assignable(&this.key, &that.key, work.again())
                    && assignable(&this.value, &that.value, work)
                    && size_or_any(this.size).covers(size_or_any(that.size)))
        }
        Type::Struct(elements) => {
            size_or_any(this.size).covers(IntegerRange::exactly(elements.len()))
                && elements.iter().all(|element| {
                    this.key.is_instance(&element.name.clone().into())
                        && assignable(&this.value, &element.value, work.again())
                })
        }
        _ => false,
    }
}

impl HashType {
    /// Returns true for `Hash[0, 0]`.
    pub fn is_empty(&self) -> bool {
        self.size == Some(IntegerRange::ZERO)
    }
}

/// Decides for `Tuple[…]` on the left.
pub(super) fn tuple_takes(this: &TupleType, that: &Type, mut work: Comparison<'_>) -> bool {
    let size = this.size_range();
    match that {
        Type::Tuple(that) => {
            if this == &**that {
                return true;
            }
            if !size.covers(that.size_range()) {
                return false;
            }
            if this.types.is_empty() {
                return true;
            }
            if that.types.is_empty() {
                return size.min == 0;
            }
            that.types.iter().enumerate().all(|(index, type_)| {
                this.at(index).is_some_and(|this| assignable(this, type_, work.again()))
            })
        }
        Type::Array(that) => {
            let other_size = size_or_any(that.size);
            let count = usize::try_from(other_size.max).unwrap_or(usize::MAX);
            size.covers(other_size)
                && this
                    .types
                    .iter()
                    .take(count)
                    .all(|type_| assignable(type_, &that.element, work.again()))
        }
        _ => false,
    }
}

/// Decides for `Struct[…]` on the left.
pub(super) fn struct_takes(this: &[StructElement], that: &Type, mut work: Comparison<'_>) -> bool {
    match that {
        Type::Struct(others) => {
            let mut matched = 0;
            let fits = this.iter().all(|element| {
                let Some(other) = find(others, &element.name) else { return element.optional_key };
                matched += 1;
                (element.optional_key || !other.optional_key)
                    && assignable(&element.value, &other.value, work.again())
            });
            fits && matched == distinct(others)
        }
        Type::Hash(hash) => {
            let mut required = 0;
            let fits = this.iter().filter(|element| !element.optional_key).all(|element| {
                required += 1;
                assignable(&element.value, &hash.value, work.again())
                    && assignable(&Type::STRING, &hash.key, work.unguarded())
            });
            let sizes = IntegerRange::sizes(required, this.len());
            fits && sizes.covers(size_or_any(hash.size))
        }
        _ => false,
    }
}

/// Returns the last element of a name.
fn find<'a>(elements: &'a [StructElement], name: &str) -> Option<&'a StructElement> {
    elements.iter().rev().find(|element| element.name == name)
}

fn distinct(elements: &[StructElement]) -> usize {
    let is_last = |(index, element): &(usize, &StructElement)| {
        !elements[index + 1..].iter().any(|other| other.name == element.name)
    };
    elements.iter().enumerate().filter(is_last).count()
}

/// Decides for `Iterable[…]` on the left.
pub(super) fn iterable_takes(inner: Option<&Type>, that: &Type, mut work: Comparison<'_>) -> bool {
    match inner {
        Some(inner) if !assignable(inner, &Type::Any, work.again()) => {
            match iterable::iterable_type(that) {
                Some(Some(element)) => assignable(inner, &element, work),
                _ => false,
            }
        }
        _ => iterable::is_iterable(that),
    }
}

/// Decides for `Iterator[…]` on the left.
pub(super) fn iterator_takes(inner: Option<&Type>, that: &Type, work: Comparison<'_>) -> bool {
    match (inner, that) {
        (None, Type::Iterator(_)) => true,
        (Some(inner), Type::Iterator(Some(other))) => assignable(inner, other, work),
        (Some(inner), Type::Iterator(None)) => takes_nothing(inner),
        _ => false,
    }
}

/// Returns true if a type accepts an element without a type.
fn takes_nothing(type_: &Type) -> bool {
    match type_ {
        Type::Unit => true,
        Type::Optional(inner) => inner.as_ref().is_none_or(|inner| takes_nothing(inner)),
        Type::Variant(types) => types.iter().any(takes_nothing),
        Type::Alias(alias) if !alias.is_recursive() => alias.resolved().is_some_and(takes_nothing),
        _ => false,
    }
}
