//! Object types as text.

use std::fmt;
use std::sync::Arc;

use super::super::{Member, MemberKind, ObjectBody, ObjectExtension, ObjectType, Type, TypeSet};
use super::Printer;
use crate::Value;
use crate::quote::write_quoted;
use crate::types::infer_generic;

impl Printer<'_> {
    pub(super) fn object(&mut self, object: &Arc<ObjectType>) -> fmt::Result {
        if !self.expanded {
            return self.name_in_set(&Type::Object(Arc::clone(object)), object.label());
        }
        // The content of an Object type is not expanded.
        self.expanded = false;
        let result = self.object_hash(object);
        self.expanded = true;
        result
    }

    fn object_hash(&mut self, object: &Arc<ObjectType>) -> fmt::Result {
        let empty = ObjectBody::default();
        let body = object.body().unwrap_or(&empty);
        let mut entries = Entries { count: 0 };
        self.out.write_str("Object[{")?;
        if let Some(annotations) = &body.annotations {
            entries.next(self, "annotations")?;
            self.value(annotations)?;
        }
        // A set writes the names of its types itself.
        let is_named = |set: &Arc<TypeSet>| !set.defines(&Type::Object(Arc::clone(object)));
        if let Some(name) = object.name.as_ref().filter(|_| self.set.as_ref().is_none_or(is_named))
        {
            entries.next(self, "name")?;
            write_quoted(self.out, name)?;
        }
        if let Some(parent) = &body.parent {
            entries.next(self, "parent")?;
            self.type_(parent)?;
        }
        let members = |of: fn(&Member) -> bool| body.members.iter().filter(move |&m| of(m));
        let parameter = |member: &Member| member.kind == MemberKind::TypeParameter;
        let attribute = |member: &Member| member.kind.is_attribute() && !is_plain_constant(member);
        let function = |member: &Member| member.kind == MemberKind::Function;
        self.members(&mut entries, "type_parameters", members(parameter).collect())?;
        self.members(&mut entries, "attributes", members(attribute).collect())?;
        self.constants(&mut entries, members(is_plain_constant).collect())?;
        self.members(&mut entries, "functions", members(function).collect())?;
        if let Some(equality) = &body.equality {
            entries.next(self, "equality")?;
            self.value(&Value::array(equality.iter().cloned().map(Value::from)))?;
        }
        if let Some(checks) = &body.checks {
            entries.next(self, "checks")?;
            self.value(checks)?;
        }
        self.out.write_str("}]")
    }

    fn members(&mut self, entries: &mut Entries, key: &str, members: Vec<&Member>) -> fmt::Result {
        if members.is_empty() {
            return Ok(());
        }
        entries.next(self, key)?;
        self.out.write_char('{')?;
        for (index, member) in members.into_iter().enumerate() {
            self.comma(index)?;
            write_quoted(self.out, &member.name)?;
            self.out.write_str(" => ")?;
            self.member(member)?;
        }
        self.out.write_char('}')
    }

    /// Writes a member: the type alone if there is nothing more.
    fn member(&mut self, member: &Member) -> fmt::Result {
        let value = member
            .value
            .as_ref()
            .filter(|value| !(member.kind == MemberKind::TypeParameter && value.is_undef()));
        let is_final = member.is_final && member.kind != MemberKind::Constant;
        let kind = member.kind.as_str();
        let plain = !is_final && !member.is_override && kind.is_none() && value.is_none();
        if plain && member.annotations.is_none() {
            return self.member_type(member);
        }
        if member.kind == MemberKind::TypeParameter {
            // Puppet treats it as an ordinary hash.
            self.out.write_str("{'type' => ")?;
            self.member_type(member)?;
            self.out.write_str(", 'value' => ")?;
            self.value(value.unwrap_or(&Value::Undef))?;
            return self.out.write_char('}');
        }
        self.out.write_str("{type => ")?;
        self.member_type(member)?;
        if is_final {
            self.out.write_str(", final => true")?;
        }
        if member.is_override {
            self.out.write_str(", override => true")?;
        }
        if let Some(annotations) = &member.annotations {
            self.out.write_str(", annotations => ")?;
            self.value(annotations)?;
        }
        if let Some(kind) = kind {
            write!(self.out, ", kind => {kind}")?;
        }
        if let Some(value) = value {
            self.out.write_str(", value => ")?;
            self.value(value)?;
        }
        self.out.write_char('}')
    }

    /// Writes the type of a member. Type parameters are always optional, which is left out.
    fn member_type(&mut self, member: &Member) -> fmt::Result {
        match (&member.type_, member.kind) {
            (Type::Optional(Some(inner)), MemberKind::TypeParameter) => self.type_(inner),
            (type_, _) => self.type_(type_),
        }
    }

    fn constants(&mut self, entries: &mut Entries, members: Vec<&Member>) -> fmt::Result {
        if members.is_empty() {
            return Ok(());
        }
        entries.next(self, "constants")?;
        self.out.write_char('{')?;
        for (index, member) in members.into_iter().enumerate() {
            self.comma(index)?;
            write_quoted(self.out, &member.name)?;
            self.out.write_str(" => ")?;
            self.value(member.value.as_ref().unwrap_or(&Value::Undef))?;
        }
        self.out.write_char('}')
    }

    pub(super) fn extension(&mut self, extension: &ObjectExtension) -> fmt::Result {
        self.name_in_set(&Type::Object(Arc::clone(&extension.base)), extension.base.label())?;
        self.out.write_char('[')?;
        match extension.by_place() {
            Some(values) => self.values(&values)?,
            None => {
                let entries = extension.parameters.iter();
                self.hash(
                    &entries.map(|(name, value)| (name.clone().into(), value.clone())).collect(),
                )?;
            }
        }
        self.out.write_char(']')
    }
}

/// Returns true for a constant whose type is that of its value.
fn is_plain_constant(member: &Member) -> bool {
    member.kind == MemberKind::Constant
        && member.value.as_ref().is_some_and(|value| infer_generic(value) == member.type_)
}

/// Entries of a hash whose keys are bare words.
pub(super) struct Entries {
    pub(super) count: usize,
}

impl Entries {
    pub(super) fn next(&mut self, printer: &mut Printer<'_>, key: &str) -> fmt::Result {
        printer.comma(self.count)?;
        self.count += 1;
        write!(printer.out, "{key} => ")
    }
}
