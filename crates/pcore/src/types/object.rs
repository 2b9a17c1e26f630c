//! Types with attributes and functions of their own.

use std::hash::{Hash as StdHash, Hasher};
use std::sync::Arc;

use ecow::EcoString;

use super::Type;
use crate::Value;

/// `Object[{ name => …, parent => …, attributes => … }]`
#[derive(Debug)]
pub struct ObjectType {
    /// Its name, unless it is anonymous.
    pub name: Option<EcoString>,
    /// The type it inherits.
    pub parent: Option<Type>,
    /// Its own attributes.
    pub attributes: Vec<Attribute>,
    /// The hash it was made of.
    pub init: Value,
}

/// An attribute of an Object type.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Attribute {
    /// Its name.
    pub name: EcoString,
    /// Its type.
    pub type_: Type,
    /// Its default.
    pub value: Option<Value>,
}

impl PartialEq for ObjectType {
    fn eq(&self, other: &Self) -> bool {
        std::ptr::eq(self, other)
            || (self.name == other.name
                && self.parent == other.parent
                && self.attributes == other.attributes)
    }
}

impl Eq for ObjectType {}

impl StdHash for ObjectType {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.name.hash(state);
    }
}

/// `TypeSet[{ name => …, types => … }]`
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct TypeSet {
    /// Its name.
    pub name: EcoString,
    /// Its version.
    pub version: EcoString,
    /// Its types by name.
    pub types: Vec<(EcoString, Type)>,
    /// Other sets by the name they have in this one.
    pub references: Vec<(EcoString, Arc<TypeSet>)>,
}
