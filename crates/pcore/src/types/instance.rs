//! Membership of values in types.

use kukla_base::cancel::walk;
use std::sync::Arc;

use super::assignable::{assignable, identity, matches_any, part_fits};
use super::guard::{BOTH, Budget, Comparison};
use super::make::length;
use super::{
    InitType, IntegerRange, StructElement, TimeRange, Type, TypeAlias, infer, init, named,
};
use crate::Value;
use crate::value::Rare;

impl Type {
    /// Returns true if a value is an instance of this type.
    ///
    /// Called for every argument of every call, so plain types are decided inline.
    #[inline]
    pub fn is_instance(&self, value: &Value) -> bool {
        glance(self, value)
            .unwrap_or_else(|| instance(self, value, Comparison::new(&Budget::default())))
    }
}

/// Decides for plain types; `None` for all others.
#[inline]
fn glance(type_: &Type, value: &Value) -> Option<bool> {
    Some(match type_ {
        Type::Any => true,
        Type::Integer(range) => matches!(value, Value::Integer(number) if range.contains(*number)),
        Type::String(None) => matches!(value, Value::String(_)),
        Type::Boolean(None) => matches!(value, Value::Boolean(_)),
        _ => return None,
    })
}

/// Returns true if a part of a value is an instance of a part of a type.
#[inline]
fn part(type_: &Type, value: &Value, work: Comparison<'_>) -> bool {
    glance(type_, value).unwrap_or_else(|| instance(type_, value, work))
}

pub(super) fn instance(type_: &Type, value: &Value, mut work: Comparison<'_>) -> bool {
    match type_ {
        Type::Any | Type::Unit => true,
        Type::Undef => value.is_undef(),
        Type::Default => matches!(value, Value::Default),
        Type::Scalar => is_scalar(value),
        Type::ScalarData => is_scalar_data(value),
        // NaN is within no bounds, but it is a scalar.
        Type::Numeric => match value {
            Value::Integer(_) => true,
            Value::Float(number) => !number.is_nan(),
            _ => false,
        },
        Type::Integer(range) => matches!(value, Value::Integer(value) if range.contains(*value)),
        Type::Float(range) => {
            matches!(value, Value::Float(value) if range.min <= *value && *value <= range.max)
        }
        Type::String(size) => match value {
            Value::String(text) => size.is_none_or(|size| size.contains(length(text))),
            _ => false,
        },
        Type::StringValue(text) => matches!(value, Value::String(other) if text == other),
        Type::Enum(enumeration) => {
            matches!(value, Value::String(text) if enumeration.has(text))
        }
        Type::Pattern(regexps) => {
            matches!(value, Value::String(text) if matches_any(regexps, text))
        }
        Type::Regexp(regexp) => match value {
            Value::Regexp(other) => regexp.as_ref().is_none_or(|regexp| regexp == other),
            _ => false,
        },
        Type::Boolean(expected) => {
            matches!(value, Value::Boolean(value) if expected.is_none_or(|expected| expected == *value))
        }
        Type::Optional(inner) => {
            value.is_undef() || inner.as_ref().is_some_and(|inner| instance(inner, value, work))
        }
        Type::NotUndef(inner) => {
            !value.is_undef() && inner.as_ref().is_none_or(|inner| instance(inner, value, work))
        }
        Type::Variant(types) => types.iter().any(|type_| part(type_, value, work.again())),
        Type::Alias(alias) => of_alias(alias, value, work),
        _ => walk(false, || of_larger(type_, value, work)),
    }
}

/// Decides for types that depend on the content of values.
fn of_larger(type_: &Type, value: &Value, mut work: Comparison<'_>) -> bool {
    match (type_, value) {
        (Type::Array(array), Value::Array(values)) => {
            fits(array.size, values.len())
                && values.iter().all(|value| part(&array.element, value, work.again()))
        }
        (Type::Hash(hash), Value::Hash(values)) => {
            fits(hash.size, values.len())
                && values.keys().all(|key| part(&hash.key, key, work.again()))
                && values.values().all(|value| part(&hash.value, value, work.again()))
        }
        (Type::Collection(size), Value::Array(values)) => fits(*size, values.len()),
        (Type::Collection(size), Value::Hash(values)) => fits(*size, values.len()),
        (Type::Tuple(tuple), Value::Array(values)) => {
            let sized = match tuple.size {
                Some(size) => fits(Some(size), values.len()),
                None => tuple.types.is_empty() || tuple.types.len() == values.len(),
            };
            let mut each = values.iter().enumerate();
            sized
                && each.all(|(index, value)| {
                    tuple.at(index).is_none_or(|type_| part(type_, value, work.again()))
                })
        }
        (Type::Struct(elements), Value::Hash(values)) => {
            let mut matched = 0;
            // Usually the keys are in the order of the type.
            let fits = |element: &StructElement| match values.get_near(matched, &element.name) {
                None => element.optional_key,
                Some(value) => {
                    matched += 1;
                    part(&element.value, value, work.again())
                }
            };
            elements.iter().all(fits) && matched == values.len()
        }
        (Type::Type(inner), Value::Type(value)) => {
            inner.as_ref().is_none_or(|inner| assignable(inner, value, work))
        }
        (Type::Sensitive(inner), Value::Sensitive(value)) => {
            inner.as_ref().is_none_or(|inner| instance(inner, value, work))
        }
        (Type::Binary, Value::Binary(_)) => true,
        (Type::Timestamp(range), Value::Timestamp(time)) => within(range.as_deref(), time.0),
        (Type::Timespan(range), Value::Timespan(span)) => within(range.as_deref(), span.0),
        (Type::Iterable(inner), value) => is_iterable(inner.as_deref(), value, work),
        (Type::Iterator(inner), Value::Rare(rare)) => match &**rare {
            Rare::Iterator(iterator) => {
                let is_any = |inner: &Arc<Type>| matches!(**inner, Type::Any);
                match iterator.is_tree() {
                    // To Puppet the elements of a tree have no type.
                    true => inner.as_ref().is_none_or(is_any),
                    false => inner
                        .as_ref()
                        .is_none_or(|inner| assignable(inner, &iterator.element_type(), work)),
                }
            }
            _ => false,
        },
        (Type::SemVer(_) | Type::SemVerRange | Type::Uri(_), Value::Rare(rare)) => {
            of_rare(type_, rare)
        }
        (Type::Init(init), value) => of_init(init.as_deref(), value, work),
        (Type::Object(_), value) => match object_type_of(value) {
            Some(actual) => assignable(type_, &actual, work),
            None => false,
        },
        (Type::ObjectExtension(extension), Value::Rare(rare)) => match &**rare {
            Rare::Object(object) => {
                let base = Type::Object(Arc::clone(&extension.base));
                assignable(&base, &Type::Object(Arc::clone(&object.type_)), work)
                    && extension.parameters.iter().all(|(name, expected)| {
                        object.get(name).is_some_and(|actual| part_fits(expected, actual))
                    })
            }
            _ => false,
        },
        (Type::TypeSet(_), Value::Type(value)) => matches!(**value, Type::TypeSet(_)),
        _ => false,
    }
}

/// Decides for versions and URIs.
fn of_rare(type_: &Type, rare: &Rare) -> bool {
    match (type_, rare) {
        (Type::SemVer(ranges), Rare::SemVer(version)) => {
            ranges.is_empty() || ranges.iter().any(|range| range.includes(version))
        }
        (Type::SemVerRange, Rare::SemVerRange(_)) | (Type::Uri(None), Rare::Uri(_)) => true,
        (Type::Uri(Some(parts)), Rare::Uri(uri)) => parts.iter().all(|(part, expected)| {
            let actual = part.as_str().and_then(|part| uri.component(part));
            part_fits(expected, &actual.unwrap_or_default())
        }),
        _ => false,
    }
}

fn fits(size: Option<IntegerRange>, length: usize) -> bool {
    size.is_none_or(|size| size.covers(IntegerRange::exactly(length)))
}

fn within(range: Option<&TimeRange>, time: i128) -> bool {
    range.is_none_or(|range| {
        range.min.is_none_or(|min| min <= time) && range.max.is_none_or(|max| time <= max)
    })
}

const fn is_scalar_data(value: &Value) -> bool {
    matches!(value, Value::String(_) | Value::Integer(_) | Value::Float(_) | Value::Boolean(_))
}

fn is_scalar(value: &Value) -> bool {
    match value {
        Value::Regexp(_) | Value::Timestamp(_) | Value::Timespan(_) => true,
        Value::Rare(rare) => matches!(**rare, Rare::SemVer(_)),
        _ => is_scalar_data(value),
    }
}

fn of_alias(alias: &TypeAlias, value: &Value, work: Comparison<'_>) -> bool {
    let Some(resolved) = alias.resolved() else { return false };
    if !alias.is_recursive() {
        return instance(resolved, value, work);
    }
    let place = std::ptr::from_ref(value).addr();
    work.guarded(|guard, budget| {
        guard.with_that(place, |guard| {
            guard.with_this(identity(alias), |guard, state| {
                state != BOTH && instance(resolved, value, Comparison::with(guard, budget))
            })
        })
    })
}

fn is_iterable(inner: Option<&Type>, value: &Value, mut work: Comparison<'_>) -> bool {
    match inner {
        Some(inner) if !assignable(inner, &Type::Any, work.again()) => {
            let iterable = Type::iterable(inner.clone());
            assignable(&iterable, &infer::infer(value), work)
        }
        _ => match value {
            Value::String(_) | Value::Array(_) | Value::Hash(_) => true,
            Value::Integer(number) => *number >= 0,
            Value::Type(type_) => is_iterable_type(type_),
            Value::Rare(rare) => matches!(**rare, Rare::Iterator(_)),
            _ => false,
        },
    }
}

fn is_iterable_type(type_: &Type) -> bool {
    match type_ {
        Type::Enum(_) => true,
        Type::Integer(range) => range.is_finite(),
        Type::Alias(alias) if !alias.is_recursive() => {
            alias.resolved().is_some_and(is_iterable_type)
        }
        _ => false,
    }
}

fn of_init(init: Option<&InitType>, value: &Value, work: Comparison<'_>) -> bool {
    let Some(init) = init else { return instance(&named::rich_data(), value, work) };
    work.outside_of(std::ptr::from_ref(init).addr(), |work| takes_argument(init, value, work))
}

fn takes_argument(init: &InitType, value: &Value, mut work: Comparison<'_>) -> bool {
    if instance(&init.type_, value, work.again()) {
        return true;
    }
    let Ok(arguments) = init::arguments(init) else { return false };
    let alone = Value::array([value.clone()]);
    arguments.single.iter().any(|type_| instance(type_, value, work.again()))
        || arguments.tuples.iter().any(|type_| {
            instance(type_, value, work.again())
                || (arguments.has_optional_single && instance(type_, &alone, work.again()))
        })
}

/// Returns the Object type of a value; types are objects too.
fn object_type_of(value: &Value) -> Option<Type> {
    match value {
        Value::Rare(rare) => match &**rare {
            Rare::Object(object) => Some(Type::Object(Arc::clone(&object.type_))),
            _ => None,
        },
        Value::Type(type_) => Some(named::meta_type(type_)),
        _ => None,
    }
}
