//! Types with attributes and functions of their own.

use std::hash::{Hash as StdHash, Hasher};
use std::sync::{Arc, OnceLock};

use ecow::EcoString;

use super::Type;
use crate::Value;

/// `Object[{ name => …, parent => …, attributes => … }]`
///
/// It may be its own attribute, so what it has is set after it is made.
pub struct ObjectType {
    /// Its name, unless it is anonymous.
    pub name: Option<EcoString>,
    body: OnceLock<ObjectBody>,
}

/// What an Object type has of its own.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct ObjectBody {
    /// The type it inherits.
    pub parent: Option<Type>,
    /// Type parameters, then attributes and constants, then functions; each in order.
    pub members: Vec<Member>,
    /// Attributes by which instances are compared, if not all of them.
    pub equality: Option<Vec<EcoString>>,
    /// Whether instances of different types differ.
    pub equality_include_type: bool,
    /// Kept and shown, never used.
    pub checks: Option<Value>,
    /// Kept and shown, never used.
    pub annotations: Option<Value>,
}

/// A type parameter, attribute or function of an Object type.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Member {
    /// Its name.
    pub name: EcoString,
    /// What it is.
    pub kind: MemberKind,
    /// Its type.
    pub type_: Type,
    /// Its default, or the value of a constant.
    pub value: Option<Value>,
    /// Whether it can't be overridden.
    pub is_final: bool,
    /// Whether it overrides one of the parent.
    pub is_override: bool,
    /// Kept and shown, never used.
    pub annotations: Option<Value>,
}

/// What a member of an Object type is.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum MemberKind {
    /// `type_parameters => { name => … }`
    TypeParameter,
    /// An attribute that is given to `new`.
    Attribute,
    /// `kind => constant`, or one of `constants`.
    Constant,
    /// `kind => derived`
    Derived,
    /// `kind => given_or_derived`
    GivenOrDerived,
    /// `kind => reference`
    Reference,
    /// `functions => { name => … }`
    Function,
}

impl MemberKind {
    /// As it is written after `kind =>`.
    pub const fn as_str(self) -> Option<&'static str> {
        match self {
            Self::Constant => Some("constant"),
            Self::Derived => Some("derived"),
            Self::GivenOrDerived => Some("given_or_derived"),
            Self::Reference => Some("reference"),
            Self::TypeParameter | Self::Attribute | Self::Function => None,
        }
    }

    /// What messages call it.
    pub const fn feature(self) -> &'static str {
        match self {
            Self::TypeParameter => "type_parameter",
            Self::Function => "function",
            _ => "attribute",
        }
    }

    /// Whether it is neither a function nor a type parameter.
    pub const fn is_attribute(self) -> bool {
        !matches!(self, Self::TypeParameter | Self::Function)
    }

    /// Whether it is an argument of `new`.
    pub const fn is_given(self) -> bool {
        matches!(self, Self::Attribute | Self::GivenOrDerived | Self::Reference)
    }
}

impl ObjectType {
    /// A type of which but the name is known.
    pub const fn new(name: Option<EcoString>) -> Self {
        Self { name, body: OnceLock::new() }
    }

    /// Says what it has. The first word counts.
    pub fn resolve(&self, body: ObjectBody) {
        let _ = self.body.set(body);
    }

    /// What it has of its own, if that is known yet.
    pub fn body(&self) -> Option<&ObjectBody> {
        self.body.get()
    }

    /// The type it inherits.
    pub fn parent(&self) -> Option<&Type> {
        self.body().and_then(|body| body.parent.as_ref())
    }

    /// The Object type it inherits.
    pub fn parent_object(&self) -> Option<&Arc<Self>> {
        let mut parent = self.parent()?;
        loop {
            match parent {
                Type::Object(object) => return Some(object),
                Type::Alias(alias) => parent = alias.resolved()?,
                _ => return None,
            }
        }
    }

    /// Its own members.
    pub fn members(&self) -> &[Member] {
        self.body().map_or(&[], |body| &body.members)
    }

    /// Members of a kind, the parent's first; one that overrides takes the place of the overridden.
    pub fn all_members(&self, of: impl Fn(MemberKind) -> bool + Copy) -> Vec<&Member> {
        let mut all = self.parent_object().map_or_else(Vec::new, |parent| parent.all_members(of));
        for member in self.members().iter().filter(|member| of(member.kind)) {
            match all.iter().position(|other| other.name == member.name) {
                Some(place) => all[place] = member,
                None => all.push(member),
            }
        }
        all
    }

    /// All attributes, the parent's first.
    pub fn attributes(&self) -> Vec<&Member> {
        self.all_members(MemberKind::is_attribute)
    }

    /// All type parameters, the parent's first.
    pub fn type_parameters(&self) -> Vec<&Member> {
        self.all_members(|kind| kind == MemberKind::TypeParameter)
    }

    /// The value of a constant.
    pub fn constant(&self, name: &str) -> Option<&Value> {
        let is_it = |member: &&Member| member.kind == MemberKind::Constant && member.name == name;
        match self.members().iter().find(is_it) {
            Some(member) => member.value.as_ref(),
            None => self.parent_object()?.constant(name),
        }
    }

    /// What messages call it.
    pub fn label(&self) -> &str {
        self.name.as_deref().unwrap_or("Object")
    }

    /// Whether it is plain `Object`.
    pub fn is_default(&self) -> bool {
        self.name.is_none()
            && self.body().is_none_or(|body| body.parent.is_none() && body.members.is_empty())
    }
}

/// What it has may be of this type, so that is not shown.
impl std::fmt::Debug for ObjectType {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("ObjectType").field("name", &self.name).finish_non_exhaustive()
    }
}

/// An environment has one type of a name.
impl PartialEq for ObjectType {
    fn eq(&self, other: &Self) -> bool {
        std::ptr::eq(self, other)
            || (self.name == other.name
                && (self.name.is_some() || self.body.get() == other.body.get()))
    }
}

impl Eq for ObjectType {}

impl StdHash for ObjectType {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.name.hash(state);
    }
}

/// `Name[parameters]`
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct ObjectExtension {
    /// The Object type.
    pub base: Arc<ObjectType>,
    /// Its type parameters that were given.
    pub parameters: Vec<(EcoString, Value)>,
}

impl ObjectExtension {
    /// Its parameters by place; `None` if there are so many that Puppet gives them by name.
    pub fn by_place(&self) -> Option<Vec<Value>> {
        let names = self.base.type_parameters();
        if names.len() > 2 {
            return None;
        }
        let value = |name: &str| {
            let given = self.parameters.iter().find(|(other, _)| other == name);
            given.map_or(Value::Default, |(_, value)| value.clone())
        };
        let mut values: Vec<Value> = names.iter().map(|member| value(&member.name)).collect();
        while values.last() == Some(&Value::Default) {
            values.pop();
        }
        Some(values)
    }
}
