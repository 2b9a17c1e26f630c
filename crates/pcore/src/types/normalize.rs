//! Normalization of types.
//!
//! Nested variants are merged, enums, patterns and ranges in them are joined, and redundant `Optional` and `NotUndef` are
//! removed.

use kukla_base::cancel::walk;
use std::sync::Arc;

use super::generalize::{map_elements, map_inner};
use super::{EnumType, FloatRange, IntegerRange, TimeRange, Type, versions};

impl Type {
    /// Returns the simplest form of the type.
    pub fn normalize(&self) -> Self {
        walk(Self::Any, || normalize(self))
    }
}

fn normalize(type_: &Type) -> Type {
    match type_ {
        Type::Collection(_) => Type::Collection(None),
        // The size is lost, as in Puppet.
        Type::Array(array) if array.element == Type::Any => Type::any_array(),
        Type::Array(array) => Type::array(array.element.normalize(), array.size),
        Type::Hash(hash) => Type::hash(hash.key.normalize(), hash.value.normalize(), hash.size),
        Type::Tuple(tuple) => Type::Tuple(Arc::new(tuple.map(Type::normalize))),
        Type::Struct(elements) => map_elements(elements, Type::normalize),
        Type::Callable(callable) => callable.map(Type::normalize),
        Type::Variant(types) => variant(types),
        Type::Optional(Some(inner)) => optional(inner.normalize()),
        Type::NotUndef(Some(inner)) => not_undef(inner.normalize()),
        Type::Iterable(inner) => Type::Iterable(map_inner(inner.as_deref(), Type::normalize)),
        Type::Iterator(inner) => Type::Iterator(map_inner(inner.as_deref(), Type::normalize)),
        Type::Type(inner) => Type::Type(map_inner(inner.as_deref(), Type::normalize)),
        // A new type is generalized again.
        Type::Sensitive(Some(inner)) => match inner.normalize() {
            normal if normal == **inner => type_.clone(),
            normal => Type::sensitive(&normal),
        },
        _ => type_.clone(),
    }
}

fn optional(inner: Type) -> Type {
    match inner {
        Type::NotUndef(inner) => match inner {
            Some(inner) => optional(inner.normalize()),
            None => Type::Optional(None),
        },
        inner if inner.is_assignable(&Type::Undef) => inner,
        inner => Type::optional(inner),
    }
}

fn not_undef(inner: Type) -> Type {
    match inner {
        Type::Optional(Some(inner)) => not_undef(inner.normalize()),
        Type::Optional(None) => Type::NotUndef(None),
        inner if !inner.is_assignable(&Type::Undef) => inner,
        inner => Type::not_undef(inner),
    }
}

fn variant(types: &[Type]) -> Type {
    if types.is_empty() {
        return Type::Variant(Arc::default());
    }
    let original = types;
    let types: Vec<Type> = original.iter().map(Type::normalize).collect();
    if let [only] = &types[..] {
        return only.clone();
    }
    if types.iter().any(|type_| matches!(type_, Type::Undef | Type::Optional(_))) {
        return without_undef(&types);
    }
    let Type::Variant(types) = Type::variant(types.iter().cloned()) else {
        return types.into_iter().next().unwrap_or(Type::Any);
    };
    let is_new = original != &types[..] || original.iter().any(is_renewed);
    let count = types.len();
    let mut types = types.to_vec();
    merge_not_undef(&mut types);
    merge_enums(&mut types);
    merge_patterns(&mut types);
    merge_versions(&mut types);
    merge_ranges(&mut types, TypeRange::of_integer, TypeRange::integer);
    merge_ranges(&mut types, TypeRange::of_float, TypeRange::float);
    merge_ranges(&mut types, TypeRange::of_timespan, TypeRange::timespan);
    merge_ranges(&mut types, TypeRange::of_timestamp, TypeRange::timestamp);
    // Without a merge, the order stays.
    if !is_new && types.len() == count {
        return Type::Variant(original.into());
    }
    Type::variant(types)
}

/// Returns true if Puppet recreates the type though it stays the same.
fn is_renewed(type_: &Type) -> bool {
    match type_ {
        Type::Hash(hash) => {
            (hash.size.is_some() && !hash.is_empty())
                || is_renewed(&hash.key)
                || is_renewed(&hash.value)
        }
        Type::Array(array) => is_renewed(&array.element),
        Type::Tuple(tuple) => tuple.types.is_empty() || tuple.types.iter().any(is_renewed),
        Type::Struct(elements) => {
            elements.is_empty() || elements.iter().any(|element| is_renewed(&element.value))
        }
        Type::NotUndef(inner) => inner.as_ref().is_none_or(|inner| is_renewed(inner)),
        Type::Optional(inner)
        | Type::Type(inner)
        | Type::Iterable(inner)
        | Type::Iterator(inner) => inner.as_ref().is_some_and(|inner| is_renewed(inner)),
        _ => false,
    }
}

/// Simplifies `Variant[Undef, a]` to `Optional[a]`.
fn without_undef(types: &[Type]) -> Type {
    let defined = types.iter().filter_map(|type_| match type_ {
        Type::Undef => None,
        Type::Optional(inner) => inner.as_deref().cloned(),
        type_ => Some(type_.clone()),
    });
    let defined: Vec<Type> = defined.collect();
    if defined.is_empty() && types.iter().any(|type_| matches!(type_, Type::Optional(None))) {
        return Type::Optional(None);
    }
    optional(Type::variant(defined).normalize())
}

/// Takes out the types that `f` maps, if there are several.
fn take_several<T>(types: &mut Vec<Type>, f: impl Fn(&Type) -> Option<T>) -> Option<Vec<T>> {
    let taken: Vec<T> = types.iter().filter_map(&f).collect();
    if taken.len() < 2 {
        return None;
    }
    types.retain(|type_| f(type_).is_none());
    Some(taken)
}

fn merge_not_undef(types: &mut Vec<Type>) {
    let inner = |type_: &Type| match type_ {
        Type::NotUndef(inner) => Some(inner.as_deref().cloned().unwrap_or(Type::Any)),
        _ => None,
    };
    if let Some(inner) = take_several(types, inner) {
        types.push(Type::not_undef(Type::variant(inner).normalize()));
    }
}

fn merge_enums(types: &mut Vec<Type>) {
    let exact = |type_: &Type| match type_ {
        Type::StringValue(text) => Some(vec![text.clone()]),
        Type::Enum(enumeration) if is_some_enum(enumeration, false) => {
            Some(enumeration.values.clone())
        }
        _ => None,
    };
    if let Some(values) = take_several(types, exact) {
        types.push(Type::enumeration(values.concat(), false));
    }
    let inexact = |type_: &Type| match type_ {
        Type::Enum(enumeration) if is_some_enum(enumeration, true) => {
            Some(enumeration.values.iter().map(|value| value.to_lowercase()).collect::<Vec<_>>())
        }
        _ => None,
    };
    if let Some(values) = take_several(types, inexact) {
        types.push(Type::enumeration(values.concat(), true));
    }
}

const fn is_some_enum(enumeration: &EnumType, case_insensitive: bool) -> bool {
    !enumeration.values.is_empty() && enumeration.case_insensitive == case_insensitive
}

fn merge_patterns(types: &mut Vec<Type>) {
    let patterns = |type_: &Type| match type_ {
        Type::Pattern(patterns) => Some(patterns.to_vec()),
        _ => None,
    };
    if let Some(patterns) = take_several(types, patterns) {
        types.push(Type::pattern(patterns.concat()));
    }
}

fn merge_versions(types: &mut Vec<Type>) {
    let ranges = |type_: &Type| match type_ {
        Type::SemVer(ranges) => Some(ranges.to_vec()),
        _ => None,
    };
    if let Some(ranges) = take_several(types, ranges) {
        types.insert(0, Type::SemVer(versions::merge(ranges.concat()).into()));
    }
}

/// Joins adjacent ranges and puts them first.
fn merge_ranges<R: Copy>(
    types: &mut Vec<Type>,
    of: impl Fn(&Type) -> Option<TypeRange<R>>,
    make: impl Fn(TypeRange<R>) -> Type,
) {
    let Some(mut ranges) = take_several(types, of) else { return };
    let mut merged = Vec::new();
    while let Some(mut range) = ranges.pop() {
        ranges.retain(|other| match (range.touches)(&range, other) {
            true => {
                range = (range.join)(&range, other);
                false
            }
            false => true,
        });
        merged.push(make(range));
    }
    types.splice(0..0, merged);
}

/// A minimum and a maximum, and their comparison.
#[derive(Clone, Copy)]
struct TypeRange<R> {
    min: R,
    max: R,
    touches: fn(&Self, &Self) -> bool,
    join: fn(&Self, &Self) -> Self,
}

impl TypeRange<Option<i64>> {
    const fn of_integers(range: IntegerRange) -> Self {
        Self {
            min: range.least(),
            max: range.greatest(),
            touches: |a, b| a.integers().touches(b.integers()),
            join: |a, b| Self::of_integers(a.integers().join(b.integers())),
        }
    }

    const fn integers(self) -> IntegerRange {
        IntegerRange::new(self.min, self.max)
    }

    fn of_integer(type_: &Type) -> Option<Self> {
        let Type::Integer(range) = type_ else { return None };
        Some(Self::of_integers(*range))
    }

    const fn integer(self) -> Type {
        Type::Integer(self.integers())
    }
}

impl TypeRange<f64> {
    fn of_float(type_: &Type) -> Option<Self> {
        let Type::Float(range) = type_ else { return None };
        Some(Self {
            min: range.min,
            max: range.max,
            touches: |a, b| a.min <= b.max && b.min <= a.max,
            join: |a, b| Self { min: a.min.min(b.min), max: a.max.max(b.max), ..*a },
        })
    }

    const fn float(self) -> Type {
        Type::Float(FloatRange { min: self.min, max: self.max })
    }
}

impl TypeRange<Option<i128>> {
    fn of_time(range: Option<&TimeRange>) -> Self {
        Self {
            min: range.and_then(|range| range.min),
            max: range.and_then(|range| range.max),
            touches: |a, b| !is_before(a.max, b.min) && !is_before(b.max, a.min),
            join: |a, b| Self {
                min: a.min.zip(b.min).map(|(a, b)| a.min(b)),
                max: a.max.zip(b.max).map(|(a, b)| a.max(b)),
                ..*a
            },
        }
    }

    fn of_timespan(type_: &Type) -> Option<Self> {
        let Type::Timespan(range) = type_ else { return None };
        Some(Self::of_time(range.as_deref()))
    }

    fn of_timestamp(type_: &Type) -> Option<Self> {
        let Type::Timestamp(range) = type_ else { return None };
        Some(Self::of_time(range.as_deref()))
    }

    fn time(self) -> Option<Arc<TimeRange>> {
        let unlimited = self.min.is_none() && self.max.is_none();
        (!unlimited).then(|| Arc::new(TimeRange { min: self.min, max: self.max }))
    }

    fn timespan(self) -> Type {
        Type::Timespan(self.time())
    }

    fn timestamp(self) -> Type {
        Type::Timestamp(self.time())
    }
}

fn is_before(max: Option<i128>, min: Option<i128>) -> bool {
    matches!((max, min), (Some(max), Some(min)) if max < min)
}
