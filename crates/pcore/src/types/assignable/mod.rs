//! Assignability: whether all values of one type are of another.
//!
//! Start at [`Type::is_assignable`]. [`assignable`] resolves aliases, variants and optional types on either side;
//! [`specific`] compares the rest, kind by kind.

mod collections;
mod objects;
mod strings;

pub(super) use objects::part_fits;
pub(super) use strings::matches_any;

use super::guard::{BOTH, Budget, Comparison};
use super::{Type, TypeAlias};
use kukla_base::cancel::walk;

impl Type {
    /// Returns true if all values of `other` are of this type.
    ///
    /// Returns false if the types are nested too deeply to decide.
    pub fn is_assignable(&self, other: &Self) -> bool {
        assignable(self, other, Comparison::new(&Budget::default()))
    }
}

/// Decides by the left side first.
pub(super) fn assignable(this: &Type, that: &Type, work: Comparison<'_>) -> bool {
    work.deeper(|work| match this {
        Type::Unit => true,
        Type::Variant(types) => variant_takes(this, types, that, work),
        Type::Alias(alias) if alias.is_recursive() => {
            let id = identity(alias);
            work.guarded(|guard, budget| {
                guard.with_this(id, |guard, state| {
                    state == BOTH || plain(this, that, Comparison::with(guard, budget))
                })
            })
        }
        _ => plain(this, that, work),
    })
}

/// Decides for `Variant` on the left.
fn variant_takes(this: &Type, types: &[Type], that: &Type, mut work: Comparison<'_>) -> bool {
    match that {
        // An empty variant accepts nothing, not even undef.
        Type::Undef if types.is_empty() => false,
        Type::Variant(_) if types.is_empty() => true,
        Type::Variant(others) => {
            !others.is_empty() && others.iter().all(|other| plain(this, other, work.again()))
        }
        _ => plain(this, that, work),
    }
}

/// Resolves the right side.
fn plain(this: &Type, that: &Type, mut work: Comparison<'_>) -> bool {
    match that {
        Type::Unit => true,
        Type::Alias(alias) => takes_alias(this, alias, work),
        Type::Variant(types) => {
            if matches!(this, Type::Any) {
                return true;
            }
            if matches!(this, Type::NotUndef(_)) && types.is_empty() {
                return specific(this, that, work);
            }
            !types.is_empty() && types.iter().all(|type_| assignable(this, type_, work.again()))
        }
        // Without the guard, as in Puppet.
        Type::Optional(inner) => {
            assignable(this, &Type::Undef, work.unguarded())
                && inner.as_ref().is_none_or(|inner| assignable(this, inner, work.unguarded()))
        }
        Type::NotUndef(Some(inner)) if !assignable(inner, &Type::Undef, work.unguarded()) => {
            assignable(this, inner, work)
        }
        _ => specific(this, that, work),
    }
}

fn takes_alias(this: &Type, alias: &TypeAlias, work: Comparison<'_>) -> bool {
    let Some(resolved) = alias.resolved() else { return matches!(this, Type::Any) };
    if !alias.is_recursive() {
        return assignable(this, resolved, work);
    }
    let id = identity(alias);
    work.pair((std::ptr::from_ref(this).addr(), id), |work| {
        work.guarded(|guard, budget| {
            guard.add_that(id) == BOTH
                || assignable(this, resolved, Comparison::with(guard, budget))
        })
    })
}

/// Compares types that are neither aliases nor combinations of types.
fn specific(this: &Type, that: &Type, mut work: Comparison<'_>) -> bool {
    walk(false, || match this {
        Type::Any | Type::Unit => true,
        Type::Undef => matches!(that, Type::Undef),
        Type::Default => matches!(that, Type::Default),
        Type::Scalar => strings::is_scalar(that),
        Type::ScalarData => strings::is_scalar_data(that),
        Type::Numeric => match that {
            Type::Numeric | Type::Integer(_) => true,
            Type::Float(range) => !range.min.is_nan(),
            _ => false,
        },
        Type::Integer(range) => matches!(that, Type::Integer(other) if range.covers(*other)),
        Type::Float(range) => {
            matches!(that, Type::Float(other) if range.min <= other.min && other.max <= range.max)
        }
        Type::String(size) => strings::string_takes(*size, that),
        Type::StringValue(text) => strings::string_value_takes(text, that),
        Type::Enum(enumeration) => strings::enum_takes(enumeration, that),
        Type::Pattern(regexps) => strings::pattern_takes(regexps, that),
        Type::Regexp(regexp) => match that {
            Type::Regexp(other) => regexp.is_none() || regexp == other,
            _ => false,
        },
        Type::Boolean(value) => {
            matches!(that, Type::Boolean(other) if value.is_none() || value == other)
        }
        Type::Optional(inner) => {
            matches!(that, Type::Undef)
                || inner.as_ref().is_none_or(|inner| assignable(inner, that, work))
        }
        Type::NotUndef(inner) => {
            !assignable(that, &Type::Undef, work.again())
                && inner.as_ref().is_none_or(|inner| assignable(inner, that, work))
        }
        Type::Variant(types) => types.iter().any(|type_| assignable(type_, that, work.again())),
        Type::Array(array) => collections::array_takes(array, that, work),
        Type::Hash(hash) => collections::hash_takes(hash, that, work),
        Type::Collection(size) => collections::collection_takes(*size, that),
        Type::Tuple(tuple) => collections::tuple_takes(tuple, that, work),
        Type::Struct(elements) => collections::struct_takes(elements, that, work),
        Type::Iterable(inner) => collections::iterable_takes(inner.as_deref(), that, work),
        Type::Iterator(inner) => collections::iterator_takes(inner.as_deref(), that, work),
        _ => of_the_rest(this, that, work),
    })
}

/// Compares types that are neither scalar nor collections.
fn of_the_rest(this: &Type, that: &Type, work: Comparison<'_>) -> bool {
    match this {
        Type::Callable(callable) => objects::callable_takes(callable, that, work),
        Type::Type(inner) => match (inner, that) {
            (None, Type::Type(_)) => true,
            (Some(inner), Type::Type(Some(other))) => assignable(inner, other, work),
            _ => false,
        },
        Type::Runtime(runtime) => {
            matches!(that, Type::Runtime(other) if objects::runtime_takes(runtime, other))
        }
        Type::Sensitive(inner) => match that {
            Type::Sensitive(other) => {
                let other = other.as_deref().unwrap_or(&Type::Any);
                inner.as_ref().is_none_or(|inner| assignable(inner, other, work))
            }
            _ => false,
        },
        Type::Init(init) => objects::init_takes(init.as_deref(), that, work),
        Type::Binary => matches!(that, Type::Binary),
        Type::SemVerRange => matches!(that, Type::SemVerRange),
        Type::Timestamp(range) => {
            matches!(that, Type::Timestamp(other) if objects::time_takes(range.as_deref(), other.as_deref()))
        }
        Type::Timespan(range) => {
            matches!(that, Type::Timespan(other) if objects::time_takes(range.as_deref(), other.as_deref()))
        }
        Type::SemVer(ranges) => {
            matches!(that, Type::SemVer(others) if objects::versions_take(ranges, others))
        }
        Type::Uri(parts) => {
            matches!(that, Type::Uri(others) if objects::uri_takes(parts.as_deref(), others.as_deref()))
        }
        Type::Object(object) => objects::object_takes(this, object, that, work),
        Type::ObjectExtension(extension) => objects::extension_takes(extension, that, work),
        Type::TypeSet(set) => {
            matches!(that, Type::TypeSet(other) if set.is_default() || set == other)
        }
        Type::Reference(name) => matches!(that, Type::Reference(other) if name == other),
        Type::Alias(alias) => {
            alias.resolved().is_some_and(|resolved| assignable(resolved, that, work))
        }
        Type::CatalogEntry => {
            matches!(that, Type::CatalogEntry | Type::Class(_) | Type::Resource(_))
        }
        Type::Resource(resource) => {
            matches!(that, Type::Resource(other) if objects::resource_takes(resource, other))
        }
        Type::Class(name) => {
            matches!(that, Type::Class(other) if name.is_none() || name == other)
        }
        _ => false,
    }
}

/// Returns the identity of an alias.
pub(super) fn identity(alias: &TypeAlias) -> usize {
    std::ptr::from_ref(alias).addr()
}
