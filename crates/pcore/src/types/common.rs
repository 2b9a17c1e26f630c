//! The common type of two types.

use kukla_base::cancel::walk;
use std::sync::Arc;

use ecow::EcoString;

use super::{EnumType, FloatRange, Type, named};

/// Returns the narrowest type that Puppet finds for values of both types.
pub fn common_type(a: &Type, b: &Type) -> Type {
    match (a, b) {
        (Type::Undef, other) | (other, Type::Undef) => return other.clone(),
        (Type::Unit, other) | (other, Type::Unit) => return other.clone(),
        _ => (),
    }
    if a.is_assignable(b) {
        return a.clone();
    }
    if b.is_assignable(a) {
        return b.clone();
    }
    walk(Type::Any, || of_a_kind(a, b).or_else(|| abstract_type(a, b)).unwrap_or(Type::Any))
}

/// Returns the common type of two types of one kind; neither is assignable to the other.
fn of_a_kind(a: &Type, b: &Type) -> Option<Type> {
    Some(match (a, b) {
        (Type::Array(a), Type::Array(b)) => Type::array(common_type(&a.element, &b.element), None),
        (Type::Hash(a), Type::Hash(b)) => {
            Type::hash(common_type(&a.key, &b.key), common_type(&a.value, &b.value), None)
        }
        (Type::Class(_), Type::Class(_)) => Type::Class(None),
        (Type::Resource(a), Type::Resource(b)) => {
            let name = if a.name == b.name { a.name.clone() } else { None };
            Type::resource(name, None)
        }
        (Type::Integer(a), Type::Integer(b)) => Type::Integer(a.join(*b)),
        (Type::Float(a), Type::Float(b)) => {
            Type::Float(FloatRange { min: a.min.min(b.min), max: a.max.max(b.max) })
        }
        (Type::String(Some(a)), Type::String(Some(b))) => Type::String(Some(a.join(*b))),
        (Type::StringValue(a), Type::StringValue(b)) => {
            Type::enumeration(vec![a.clone(), b.clone()], false)
        }
        (Type::String(_) | Type::StringValue(_), Type::String(_) | Type::StringValue(_)) => {
            Type::STRING
        }
        (Type::Enum(a), Type::Enum(b)) => with_values(a, b.values.iter()),
        (Type::Enum(a), Type::StringValue(b)) | (Type::StringValue(b), Type::Enum(a)) => {
            with_values(a, std::iter::once(b))
        }
        (Type::Enum(_), Type::String(_)) | (Type::String(_), Type::Enum(_)) => {
            Type::enumeration(Vec::new(), false)
        }
        (Type::Pattern(a), Type::Pattern(b)) => {
            Type::pattern(a.iter().chain(b.iter()).cloned().collect())
        }
        (Type::Variant(a), Type::Variant(b)) => Type::variant(a.iter().chain(b.iter()).cloned()),
        (Type::Regexp(_), Type::Regexp(_)) => Type::Regexp(None),
        (Type::Callable(_), Type::Callable(_)) => named::all_callables(),
        _ => return None,
    })
}

fn with_values<'a>(enumeration: &'a EnumType, more: impl Iterator<Item = &'a EcoString>) -> Type {
    Type::enumeration(enumeration.values.iter().chain(more).cloned().collect(), false)
}

/// Returns the common type of different kinds, the narrowest of a list.
fn abstract_type(a: &Type, b: &Type) -> Option<Type> {
    let takes_both = |type_: &Type| type_.is_assignable(a) && type_.is_assignable(b);
    for type_ in [Type::Numeric, Type::ScalarData, Type::Scalar, named::data()] {
        if takes_both(&type_) {
            return Some(type_);
        }
    }
    match (a, b) {
        (Type::Type(a), Type::Type(b)) => {
            let common = match (a, b) {
                (Some(a), Some(b)) => common_type(a, b),
                (Some(only), None) | (None, Some(only)) => (**only).clone(),
                (None, None) => return Some(Type::Type(None)),
            };
            return Some(Type::Type(Some(Arc::new(common))));
        }
        _ if takes_both(&named::rich_data()) => return Some(named::rich_data()),
        _ => (),
    }
    None
}
