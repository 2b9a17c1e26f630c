//! Callables, Object types, resources, times, versions.

use std::sync::Arc;

use super::super::{
    CallableType, InitType, ObjectExtension, ObjectType, ResourceType, RuntimeType, TimeRange,
    Type, init, versions,
};
use super::{Comparison, assignable};
use crate::{Hash, Value};
use kukla_rubytext::semver::VersionRange;

/// Decides for `Callable[…]` on the left.
pub(super) fn callable_takes(this: &CallableType, that: &Type, mut work: Comparison<'_>) -> bool {
    let Type::Callable(that) = that else { return false };
    if let Some(returns) = &this.returns {
        let other = that.returns.as_ref().unwrap_or(&Type::Any);
        if !assignable(returns, other, work.again()) {
            return false;
        }
    }
    let Some(parameters) = &this.parameters else { return true };
    let Some(others) = &that.parameters else { return false };
    // Contravariant: the arguments must be assignable to the parameters of the other.
    let parameters = Type::Tuple(Arc::new(parameters.clone()));
    let others = Type::Tuple(Arc::new(others.clone()));
    if !assignable(&others, &parameters, work.again()) {
        return false;
    }
    let this_block = this.block.as_ref().unwrap_or(&Type::Undef);
    let that_block = that.block.as_ref().unwrap_or(&Type::Undef);
    assignable(that_block, this_block, work)
}

/// Decides for `Runtime[…]` on the left. Which Ruby class inherits another is not known here.
pub(super) fn runtime_takes(this: &RuntimeType, that: &RuntimeType) -> bool {
    (this.runtime.is_none() || this.runtime == that.runtime)
        && ((this.name.is_none() && this.pattern.is_none())
            || (this.name == that.name && this.pattern == that.pattern))
}

/// Decides for `Init[…]` on the left.
pub(super) fn init_takes(this: Option<&InitType>, that: &Type, work: Comparison<'_>) -> bool {
    match (this, that) {
        (None, Type::Init(_)) => true,
        (None, _) => assignable(&super::super::named::rich_data(), that, work),
        (Some(this), Type::Init(other)) => {
            other.as_ref().is_some_and(|other| assignable(&this.type_, &other.type_, work))
        }
        (Some(this), _) => {
            let id = std::ptr::from_ref(this).addr();
            work.outside_of(id, |work| takes_argument(this, that, work))
        }
    }
}

/// Decides whether values of a type are arguments of `new`.
fn takes_argument(this: &InitType, that: &Type, mut work: Comparison<'_>) -> bool {
    if assignable(&this.type_, that, work.again()) {
        return true;
    }
    let Ok(arguments) = init::arguments(this) else { return false };
    arguments.single.iter().any(|type_| assignable(type_, that, work.again()))
        || arguments.tuples.iter().any(|type_| assignable(type_, that, work.again()))
        || (arguments.has_optional_single && {
            let alone = Type::tuple(vec![that.clone()], None);
            arguments.tuples.iter().any(|type_| assignable(type_, &alone, work.unguarded()))
        })
}

/// Decides for `Timestamp[…]` and `Timespan[…]` on the left.
pub(super) fn time_takes(this: Option<&TimeRange>, that: Option<&TimeRange>) -> bool {
    let Some(this) = this else { return true };
    let (min, max) = that.map_or((None, None), |that| (that.min, that.max));
    this.min.is_none_or(|least| min.is_some_and(|min| least <= min))
        && this.max.is_none_or(|most| max.is_some_and(|max| max <= most))
}

/// Decides for `SemVer[…]` on the left.
pub(super) fn versions_take(this: &[VersionRange], that: &[VersionRange]) -> bool {
    let covered = |inner: &VersionRange| this.iter().any(|outer| versions::covers(outer, inner));
    this.is_empty() || (!that.is_empty() && that.iter().all(covered))
}

/// Decides for `URI[…]` on the left.
pub(super) fn uri_takes(this: Option<&Hash>, that: Option<&Hash>) -> bool {
    let Some(this) = this else { return true };
    let Some(that) = that else { return this.is_empty() };
    this.iter()
        .all(|(part, expected)| that.get(part).is_some_and(|actual| part_fits(expected, actual)))
}

/// Returns true if a part of a URI, or a type parameter, matches the expected one.
pub(in crate::types) fn part_fits(expected: &Value, actual: &Value) -> bool {
    match (expected, actual) {
        (Value::Type(expected), Value::Type(actual)) => {
            expected.is_instance(&Value::Type(Arc::clone(actual))) || expected.is_assignable(actual)
        }
        (Value::Type(expected), actual) => expected.is_instance(actual),
        // An abandoned match counts as none.
        (Value::Regexp(expected), Value::String(actual)) => {
            expected.is_match(actual).unwrap_or(false)
        }
        (Value::String(expected), Value::String(actual)) => expected.eq_ignore_ascii_case(actual),
        (expected, actual) => expected == actual,
    }
}

/// Decides for an Object type on the left.
pub(super) fn object_takes(
    this: &Type,
    object: &Arc<ObjectType>,
    that: &Type,
    work: Comparison<'_>,
) -> bool {
    match that {
        Type::Object(other) => {
            object.is_default()
                || object == other
                || other.parent().is_some_and(|parent| assignable(this, parent, work))
        }
        Type::ObjectExtension(other) => {
            assignable(this, &Type::Object(Arc::clone(&other.base)), work)
        }
        _ => false,
    }
}

/// Decides for an Object type with parameters on the left.
pub(super) fn extension_takes(this: &ObjectExtension, that: &Type, work: Comparison<'_>) -> bool {
    let base = Type::Object(Arc::clone(&this.base));
    match that {
        Type::ObjectExtension(that) => {
            let fits = this.parameters.iter().all(|(name, expected)| {
                let actual = that.parameters.iter().find(|(other, _)| other == name);
                actual.is_some_and(|(_, actual)| part_fits(expected, actual))
            });
            fits && assignable(&base, &Type::Object(Arc::clone(&that.base)), work)
        }
        that => this.parameters.is_empty() && assignable(&base, that, work),
    }
}

/// Decides for `Resource[…]` on the left.
pub(super) fn resource_takes(this: &ResourceType, that: &ResourceType) -> bool {
    let Some(name) = &this.name else { return true };
    that.name.as_ref().is_some_and(|other| name.to_lowercase() == other.to_lowercase())
        && (this.title.is_none() || this.title == that.title)
}
