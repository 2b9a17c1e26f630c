//! The attributes by which instances of an Object type are compared.

use ecow::EcoString;

use super::super::{Member, MemberKind, ObjectType, Type};
use super::members::label_of;
use crate::{Hash, Value};

/// The type to check: its name, its parent, and all members.
pub(super) struct Equality<'a> {
    pub(super) label: &'a str,
    pub(super) parent: Option<&'a Type>,
    pub(super) inherited: &'a [(Member, EcoString)],
    pub(super) members: &'a [Member],
}

impl Equality<'_> {
    /// Returns the attributes that the hash names, if any.
    pub(super) fn read(
        &self,
        hash: &Hash,
        include_type: bool,
    ) -> Result<Option<Vec<EcoString>>, String> {
        let names: Vec<EcoString> = match hash.get_str("equality") {
            Some(Value::String(name)) => vec![name.clone()],
            Some(Value::Array(names)) => {
                names.iter().filter_map(Value::as_str).map(Into::into).collect()
            }
            _ => return Ok(None),
        };
        if !names.is_empty() && !include_type {
            return Err("equality_include_type = false cannot be combined with non empty equality specification".to_owned());
        }
        names.iter().try_for_each(|name| self.check(name))?;
        Ok(Some(names))
    }

    fn check(&self, name: &str) -> Result<(), String> {
        let label = self.label;
        let is_named =
            |member: &Member| member.name == name && member.kind != MemberKind::TypeParameter;
        let inherited = self.inherited.iter().find(|(member, _)| is_named(member));
        let (member, owner) = match inherited {
            Some((member, owner)) => (member, owner.as_str()),
            None => match self.members.iter().find(|member| is_named(member)) {
                Some(member) => (member, label),
                None => {
                    return Err(format!(
                        "{label} equality is referencing non existent attribute '{name}'"
                    ));
                }
            },
        };
        let other = label_of(member, owner);
        if inherited.is_some()
            && member.kind.is_attribute()
            && let Some(definer) = self.definer(name)
        {
            return Err(format!(
                "{label} equality is referencing {other} which is included in equality of {definer}"
            ));
        }
        if !member.kind.is_attribute() {
            return Err(format!(
                "{label} equality is referencing {other}. Only attribute references are allowed"
            ));
        }
        if member.kind == MemberKind::Constant {
            return Err(format!(
                "{label} equality is referencing constant {other}. Reference to constant is not allowed in equality"
            ));
        }
        Ok(())
    }

    /// Returns the topmost ancestor that compares by an attribute, if the parent does.
    fn definer(&self, name: &str) -> Option<String> {
        let mut type_ = super::as_object(self.parent?)?;
        if !compares_by(type_, name) {
            return None;
        }
        while let Some(parent) = type_.parent_object()
            && compares_by(parent, name)
        {
            type_ = parent;
        }
        Some(type_.label().to_owned())
    }
}

/// Returns true if instances of a type are compared by an attribute.
fn compares_by(type_: &ObjectType, name: &str) -> bool {
    let own = match type_.body().and_then(|body| body.equality.as_ref()) {
        Some(names) => names.iter().any(|other| other == name),
        None => type_.members().iter().any(|member| {
            member.name == name && member.kind.is_attribute() && member.kind != MemberKind::Constant
        }),
    };
    own || type_.parent_object().is_some_and(|parent| compares_by(parent, name))
}
