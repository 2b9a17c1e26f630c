//! Type aliases.

use std::hash::{Hash as StdHash, Hasher};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, Ordering};

use ecow::EcoString;

use super::{Type, visit};

/// `type Name = type`
///
/// It may contain itself, so its type is set after its creation.
pub struct TypeAlias {
    /// Its name.
    pub name: EcoString,
    resolved: OnceLock<Type>,
    recursive: AtomicBool,
}

/// The error for an alias that consists of aliases only.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct UnrealAlias(pub EcoString);

impl std::fmt::Display for UnrealAlias {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Type alias '{}' cannot be resolved to a real type", self.0)
    }
}

impl std::error::Error for UnrealAlias {}

impl TypeAlias {
    /// Creates an unresolved alias.
    pub fn new(name: impl Into<EcoString>) -> Self {
        Self { name: name.into(), resolved: OnceLock::new(), recursive: AtomicBool::new(false) }
    }

    /// Sets its type. Only the first call has an effect.
    ///
    /// Variants that are this alias again are dropped, as in Puppet.
    pub fn resolve(&self, type_: &Type) -> Result<(), UnrealAlias> {
        let type_ = self.without_itself(type_.normalize());
        if !visit::contains_real_type(&type_) {
            return Err(UnrealAlias(self.name.clone()));
        }
        self.resolve_as_is(type_);
        Ok(())
    }

    /// Like [`resolve`](Self::resolve), but without normalization.
    pub(super) fn resolve_as_is(&self, type_: Type) {
        let _ = self.resolved.set(type_);
        self.mark_recursion();
    }

    /// Returns its type, once resolved.
    pub fn resolved(&self) -> Option<&Type> {
        self.resolved.get()
    }

    /// Returns true if it contains itself.
    pub fn is_recursive(&self) -> bool {
        self.recursive.load(Ordering::Relaxed)
    }

    /// Marks aliases that were resolved before and are recursive through this one.
    fn mark_recursion(&self) {
        let Some(resolved) = self.resolved() else { return };
        visit::each_alias(resolved, &mut |alias| {
            let recursive = alias.resolved().is_some_and(|type_| visit::reaches(type_, alias));
            alias.recursive.store(recursive, Ordering::Relaxed);
        });
        self.recursive.store(visit::reaches(resolved, self), Ordering::Relaxed);
    }

    fn without_itself(&self, type_: Type) -> Type {
        let Type::Variant(types) = &type_ else { return type_ };
        let is_other = |type_: &&Type| match type_ {
            Type::Alias(alias) => **alias != *self,
            _ => visit::contains_real_type(type_),
        };
        let others: Vec<Type> = types.iter().filter(is_other).cloned().collect();
        if others.len() == types.len() { type_ } else { Type::variant(others) }
    }
}

/// Omits the type, which may contain the alias.
impl std::fmt::Debug for TypeAlias {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("TypeAlias").field("name", &self.name).finish_non_exhaustive()
    }
}

/// An environment has one type per name.
impl PartialEq for TypeAlias {
    fn eq(&self, other: &Self) -> bool {
        std::ptr::eq(self, other) || self.name == other.name
    }
}

impl Eq for TypeAlias {}

impl StdHash for TypeAlias {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.name.hash(state);
    }
}
