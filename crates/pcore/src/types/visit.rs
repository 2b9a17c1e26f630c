//! All types that are in a type.

use std::ptr;

use super::{Type, TypeAlias};
use crate::Value;

/// Calls `f` with a type and all types in it, each alias once. Stops when `f` says `true`.
pub(super) fn any(type_: &Type, f: &mut dyn FnMut(&Type) -> bool) -> bool {
    Walk { f, seen: Vec::new() }.any(type_)
}

/// Whether there is a type that is neither an alias nor a `Variant`.
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

/// Whether an alias is in a type.
pub(super) fn reaches(type_: &Type, alias: &TypeAlias) -> bool {
    any(
        type_,
        &mut |type_| matches!(type_, Type::Alias(other) if ptr::eq(&raw const **other, alias)),
    )
}

/// The first name that nothing is known of.
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
    /// Aliases and Object types that were met.
    seen: Vec<*const ()>,
}

impl Walk<'_> {
    fn any(&mut self, type_: &Type) -> bool {
        stacker::maybe_grow(RED_ZONE, STACK, || (self.f)(type_) || self.in_parts(type_))
    }

    fn all(&mut self, types: &[Type]) -> bool {
        types.iter().any(|type_| self.any(type_))
    }

    fn is_new(&mut self, place: *const ()) -> bool {
        let new = !self.seen.contains(&place);
        if new {
            self.seen.push(place);
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

/// When less stack than this is left, more is taken.
pub(super) const RED_ZONE: usize = 64 << 10;
/// How much is taken.
pub(super) const STACK: usize = 1 << 20;
