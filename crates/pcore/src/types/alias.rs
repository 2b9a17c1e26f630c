//! Names for types.

use std::hash::{Hash as StdHash, Hasher};
use std::sync::OnceLock;

use ecow::EcoString;

use super::Type;

/// `type Name = type`
///
/// It may contain itself, so what it stands for is set after it is made.
#[derive(Debug)]
pub struct TypeAlias {
    /// Its name.
    pub name: EcoString,
    resolved: OnceLock<Type>,
}

impl TypeAlias {
    /// A name that stands for nothing yet.
    pub fn new(name: impl Into<EcoString>) -> Self {
        Self { name: name.into(), resolved: OnceLock::new() }
    }

    /// Says what it stands for. The first word counts.
    pub fn resolve(&self, type_: Type) {
        let _ = self.resolved.set(type_);
    }

    /// What it stands for.
    pub fn resolved(&self) -> Option<&Type> {
        self.resolved.get()
    }
}

/// An environment has one type of a name.
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
