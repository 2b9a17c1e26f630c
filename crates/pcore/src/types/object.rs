//! Object types, with attributes and functions.

use std::hash::{Hash as StdHash, Hasher};
use std::sync::{Arc, OnceLock};

use ecow::EcoString;

use super::Type;
use crate::Value;

/// `Object[{ name => …, parent => …, attributes => … }]`
///
/// It may be the type of its own attribute, so its body is set after its creation.
pub struct ObjectType {
    /// Its name, unless it is anonymous.
    pub name: Option<EcoString>,
    body: OnceLock<ObjectBody>,
}

/// The own members and options of an Object type.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct ObjectBody {
    /// The parent type.
    pub parent: Option<Type>,
    /// Type parameters, then attributes and constants, then functions; each in order.
    pub members: Vec<Member>,
    /// Attributes by which instances are compared, if not all of them.
    pub equality: Option<Vec<EcoString>>,
    /// Set if instances of different types differ.
    pub equality_include_type: bool,
    /// Stored and printed, but not used.
    pub checks: Option<Value>,
    /// Stored and printed, but not used.
    pub annotations: Option<Value>,
}

/// A type parameter, attribute or function of an Object type.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Member {
    /// Its name.
    pub name: EcoString,
    /// Its kind.
    pub kind: MemberKind,
    /// Its type.
    pub type_: Type,
    /// Its default, or the value of a constant.
    pub value: Option<Value>,
    /// Set if it can't be overridden.
    pub is_final: bool,
    /// Set if it overrides one of the parent.
    pub is_override: bool,
    /// Stored and printed, but not used.
    pub annotations: Option<Value>,
}

/// The kind of a member of an Object type.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum MemberKind {
    /// `type_parameters => { name => … }`
    TypeParameter,
    /// An attribute that is passed to `new`.
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
    /// Returns the value of `kind =>`.
    pub const fn as_str(self) -> Option<&'static str> {
        match self {
            Self::Constant => Some("constant"),
            Self::Derived => Some("derived"),
            Self::GivenOrDerived => Some("given_or_derived"),
            Self::Reference => Some("reference"),
            Self::TypeParameter | Self::Attribute | Self::Function => None,
        }
    }

    /// Returns the name of the kind in messages.
    pub const fn feature(self) -> &'static str {
        match self {
            Self::TypeParameter => "type_parameter",
            Self::Function => "function",
            _ => "attribute",
        }
    }

    /// Returns true for all kinds but functions and type parameters.
    pub const fn is_attribute(self) -> bool {
        !matches!(self, Self::TypeParameter | Self::Function)
    }

    /// Returns true for an argument of `new`.
    pub const fn is_new_argument(self) -> bool {
        matches!(self, Self::Attribute | Self::GivenOrDerived | Self::Reference)
    }
}

impl ObjectType {
    /// Creates an unresolved type.
    pub const fn new(name: Option<EcoString>) -> Self {
        Self { name, body: OnceLock::new() }
    }

    /// Sets its body. Only the first call has an effect.
    pub fn resolve(&self, body: ObjectBody) {
        let _ = self.body.set(body);
    }

    /// Returns its body, once resolved.
    pub fn body(&self) -> Option<&ObjectBody> {
        self.body.get()
    }

    /// Returns the parent type.
    pub fn parent(&self) -> Option<&Type> {
        self.body().and_then(|body| body.parent.as_ref())
    }

    /// Returns the parent, if it is an Object type.
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

    /// Returns its own members.
    pub fn members(&self) -> &[Member] {
        self.body().map_or(&[], |body| &body.members)
    }

    /// Returns members of a kind, the parent's first; an override takes the position of the overridden.
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

    /// Returns all attributes, the parent's first.
    pub fn attributes(&self) -> Vec<&Member> {
        self.all_members(MemberKind::is_attribute)
    }

    /// Returns all type parameters, the parent's first.
    pub fn type_parameters(&self) -> Vec<&Member> {
        self.all_members(|kind| kind == MemberKind::TypeParameter)
    }

    /// Returns the value of a constant.
    pub fn constant(&self, name: &str) -> Option<&Value> {
        let has_name =
            |member: &&Member| member.kind == MemberKind::Constant && member.name == name;
        match self.members().iter().find(has_name) {
            Some(member) => member.value.as_ref(),
            None => self.parent_object()?.constant(name),
        }
    }

    /// Returns its name in messages.
    pub fn label(&self) -> &str {
        self.name.as_deref().unwrap_or("Object")
    }

    /// Returns true for plain `Object`.
    pub fn is_default(&self) -> bool {
        self.name.is_none()
            && self.body().is_none_or(|body| body.parent.is_none() && body.members.is_empty())
    }
}

/// Omits the body, which may contain this type.
impl std::fmt::Debug for ObjectType {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("ObjectType").field("name", &self.name).finish_non_exhaustive()
    }
}

/// An environment has one type per name.
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
    /// The values of its type parameters.
    pub parameters: Vec<(EcoString, Value)>,
}

impl ObjectExtension {
    /// Returns its parameters by position; `None` if there are so many that Puppet uses names.
    pub fn by_place(&self) -> Option<Vec<Value>> {
        let names = self.base.type_parameters();
        if names.len() > 2 {
            return None;
        }
        let value = |name: &str| {
            let entry = self.parameters.iter().find(|(other, _)| other == name);
            entry.map_or(Value::Default, |(_, value)| value.clone())
        };
        let mut values: Vec<Value> = names.iter().map(|member| value(&member.name)).collect();
        while values.last() == Some(&Value::Default) {
            values.pop();
        }
        Some(values)
    }
}
