//! Traversal of the types in a type.

use kukla_base::cancel::walk;
use std::ptr;

use super::{Type, TypeAlias};
use crate::Value;

/// Calls `f` with a type and all types in it, each alias once. Stops when `f` returns `true`.
pub(super) fn any(type_: &Type, f: &mut dyn FnMut(&Type) -> bool) -> bool {
    Walk { f, visited: Vec::new() }.any(type_)
}

/// Returns true if there is a type that is neither an alias nor a `Variant`.
pub(super) fn contains_real_type(type_: &Type) -> bool {
    any(type_, &mut |type_| !matches!(type_, Type::Alias(_) | Type::Variant(_)))
}

/// Calls `f` with each alias in a type.
pub(super) fn each_alias(type_: &Type, f: &mut dyn FnMut(&TypeAlias)) {
    any(type_, &mut |type_| {
        if let Type::Alias(alias) = type_ {
            f(alias);
        }
        false
    });
}

/// Returns true if an alias is in a type.
pub(super) fn reaches(type_: &Type, alias: &TypeAlias) -> bool {
    any(
        type_,
        &mut |type_| matches!(type_, Type::Alias(other) if ptr::eq(&raw const **other, alias)),
    )
}

/// Returns the first unknown name.
pub(super) fn unresolved(type_: &Type) -> Option<String> {
    let mut name = None;
    any(type_, &mut |type_| match type_ {
        Type::Reference(text) => {
            name = Some(text.to_string());
            true
        }
        _ => false,
    });
    name
}

struct Walk<'a> {
    f: &'a mut dyn FnMut(&Type) -> bool,
    /// The visited aliases and Object types.
    visited: Vec<*const ()>,
}

impl Walk<'_> {
    fn any(&mut self, type_: &Type) -> bool {
        walk(true, || (self.f)(type_) || self.in_parts(type_))
    }

    fn all(&mut self, types: &[Type]) -> bool {
        types.iter().any(|type_| self.any(type_))
    }

    fn is_new(&mut self, place: *const ()) -> bool {
        let new = !self.visited.contains(&place);
        if new {
            self.visited.push(place);
        }
        new
    }

    fn in_parts(&mut self, type_: &Type) -> bool {
        match type_ {
            Type::Optional(inner)
            | Type::NotUndef(inner)
            | Type::Iterable(inner)
            | Type::Iterator(inner)
            | Type::Type(inner)
            | Type::Sensitive(inner) => inner.as_deref().is_some_and(|type_| self.any(type_)),
            Type::Variant(types) => self.all(types),
            Type::Array(array) => self.any(&array.element),
            Type::Hash(hash) => self.any(&hash.key) || self.any(&hash.value),
            Type::Tuple(tuple) => self.all(&tuple.types),
            Type::Struct(elements) => elements.iter().any(|element| self.any(&element.value)),
            Type::Callable(callable) => {
                callable.parameters.as_ref().is_some_and(|tuple| self.all(&tuple.types))
                    || callable.block.as_ref().is_some_and(|block| self.any(block))
                    || callable.returns.as_ref().is_some_and(|returns| self.any(returns))
            }
            Type::Init(init) => init.as_ref().is_some_and(|init| self.any(&init.type_)),
            Type::Alias(alias) => {
                self.is_new((&raw const **alias).cast())
                    && alias.resolved().is_some_and(|type_| self.any(type_))
            }
            Type::Object(object) => {
                self.is_new((&raw const **object).cast())
                    && (object.parent().is_some_and(|parent| self.any(parent))
                        || object.members().iter().any(|member| self.any(&member.type_)))
            }
            Type::ObjectExtension(extension) => extension
                .parameters
                .iter()
                .any(|(_, value)| matches!(value, Value::Type(type_) if self.any(type_))),
            Type::TypeSet(set) => {
                self.is_new((&raw const **set).cast())
                    && set.types().iter().any(|(_, type_)| self.any(type_))
            }
            _ => false,
        }
    }
}

/// The stack that must be left; otherwise more is allocated.
pub(super) const RED_ZONE: usize = 64 << 10;
/// The size of the stack that is allocated then.
pub(super) const STACK: usize = 1 << 20;
