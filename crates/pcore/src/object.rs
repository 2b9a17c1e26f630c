//! Instances of Object types.

use std::hash::{Hash as StdHash, Hasher};
use std::sync::Arc;

use ecow::EcoString;

use crate::Value;
use crate::types::{Member, MemberKind, ObjectType};

/// An instance of an Object type.
#[derive(Clone, Debug)]
pub struct Object {
    /// Its type.
    pub type_: Arc<ObjectType>,
    /// All attributes in the order of the type, defaults filled in.
    pub values: Vec<Value>,
}

impl Object {
    /// Returns the value of an attribute.
    pub fn get(&self, name: &str) -> Option<&Value> {
        let attributes = self.type_.attributes();
        let place = attributes.iter().position(|member| member.name == name)?;
        self.values.get(place)
    }

    /// Returns true if another is equal by the rules of a type that this one has or inherits.
    ///
    /// Puppet defines a method only for a type that compares some attribute; an object whose types compare none is equal only
    /// to itself.
    fn equals(&self, other: &Self, type_: &ObjectType) -> bool {
        let parent = type_.parent_object();
        let with_parent = || match parent {
            Some(parent) => self.equals(other, parent),
            None => std::ptr::eq(self, other),
        };
        let compares_type =
            |type_: &ObjectType| type_.body().is_some_and(|body| body.equality_include_type);
        let include_type =
            compares_type(type_) && !parent.is_some_and(|parent| compares_type(parent));
        let names = type_.equality();
        if names.is_empty() && !include_type {
            return with_parent();
        }
        (type_.parent().is_none() || with_parent())
            && (!include_type || self.type_ == other.type_)
            && names.iter().all(|name| self.get(name) == other.get(name))
    }
}

impl ObjectType {
    /// Returns the names of its own attributes by which instances are compared.
    fn equality(&self) -> Vec<&EcoString> {
        let compares = |member: &&Member| {
            member.kind.is_attribute()
                && !matches!(member.kind, MemberKind::Constant | MemberKind::Derived)
        };
        match self.body().and_then(|body| body.equality.as_ref()) {
            Some(names) => names.iter().collect(),
            None => self.members().iter().filter(compares).map(|member| &member.name).collect(),
        }
    }
}

impl PartialEq for Object {
    fn eq(&self, other: &Self) -> bool {
        self.equals(other, &self.type_)
    }
}

/// An instance of a type that inherits `Annotation` is equal only to itself.
impl Eq for Object {}

impl StdHash for Object {
    fn hash<H: Hasher>(&self, state: &mut H) {
        let mut type_ = Some(&self.type_);
        while let Some(level) = type_ {
            for name in level.equality() {
                self.get(name).hash(state);
            }
            type_ = level.parent_object();
        }
    }
}
