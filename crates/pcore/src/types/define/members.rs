//! The members of an Object type.

use std::sync::Arc;

use ecow::EcoString;

use super::super::{Member, MemberKind, Type, infer_generic, mismatch, named};
use super::{ATTRIBUTE, FUNCTION};
use crate::{Hash, Value};

/// A reader of the sections of an Object type's hash.
pub(super) struct Builder<'a> {
    /// The name of the type in messages.
    pub(super) label: &'a str,
    /// All members of the parent, each with the name of its type in messages.
    pub(super) inherited: &'a [(Member, EcoString)],
}

impl Builder<'_> {
    fn section<'h>(hash: &'h Hash, key: &str) -> Vec<(EcoString, &'h Value)> {
        let Some(Value::Hash(section)) = hash.get_str(key) else { return Vec::new() };
        let named = |(key, value): (&'h Value, &'h Value)| Some((key.as_str()?.into(), value));
        section.iter().filter_map(named).collect()
    }

    fn label_of(&self, member: &Member) -> String {
        label_of(member, self.label)
    }

    pub(super) fn type_parameters(&self, hash: &Hash) -> Result<Vec<Member>, String> {
        let mut members = Vec::new();
        for (name, spec) in Self::section(hash, "type_parameters") {
            let (type_, value) = match spec {
                Value::Hash(spec) => (
                    spec.get_str("type").cloned().unwrap_or_default(),
                    spec.get_str("value").cloned(),
                ),
                spec => (spec.clone(), None),
            };
            let subject = format!("type_parameter {}[{name}]", self.label);
            let type_ = assert_type(&subject, &Type::Type(None), &type_)?;
            let type_ = match type_ {
                type_ @ Type::Optional(_) => type_,
                type_ => Type::optional(type_),
            };
            let member = Member { value, ..plain(name, MemberKind::TypeParameter, type_) };
            members.push(self.overriding(member)?);
        }
        Ok(members)
    }

    pub(super) fn attributes(&self, hash: &Hash) -> Result<Vec<Member>, String> {
        let specs = Self::section(hash, "attributes");
        let mut members = Vec::new();
        for (name, spec) in &specs {
            let member = self.attribute(name.clone(), spec)?;
            if name == "__ptype" || name == "__pvalue" {
                return Err(format!("The attribute '{name}' is reserved and cannot be used"));
            }
            members.push(self.overriding(member)?);
        }
        for (name, value) in Self::section(hash, "constants") {
            if specs.iter().any(|(other, _)| *other == name) {
                return Err(format!(
                    "attribute {}[{name}] is defined as both a constant and an attribute",
                    self.label
                ));
            }
            let is_override = self.inherited.iter().any(|(member, _)| member.name == name);
            let member = Member {
                value: Some(value.clone()),
                is_final: true,
                is_override,
                ..plain(name, MemberKind::Constant, infer_generic(value))
            };
            members.push(self.overriding(member)?);
        }
        Ok(members)
    }

    fn attribute(&self, name: EcoString, spec: &Value) -> Result<Member, String> {
        let Value::Hash(spec) = spec else {
            let subject = format!("attribute {}[{name}]", self.label);
            let type_ = assert_type(&subject, &Type::Type(None), spec)?;
            let value = matches!(type_, Type::Optional(_)).then_some(Value::Undef);
            return Ok(Member { value, ..plain(name, MemberKind::Attribute, type_) });
        };
        let subject = format!("initializer for attribute {}[{name}]", self.label);
        mismatch::assert_instance(&subject, &ATTRIBUTE, &Value::Hash(Arc::clone(spec)))?;
        let kind = match spec.get_str("kind").and_then(Value::as_str) {
            Some("constant") => MemberKind::Constant,
            Some("derived") => MemberKind::Derived,
            Some("given_or_derived") => MemberKind::GivenOrDerived,
            Some("reference") => MemberKind::Reference,
            _ => MemberKind::Attribute,
        };
        let type_ = type_of(spec.get_str("type"));
        let mut member = Member {
            value: spec.get_str("value").cloned(),
            is_final: is_true(spec.get_str("final")),
            is_override: is_true(spec.get_str("override")),
            annotations: spec.get_str("annotations").cloned(),
            ..plain(name, kind, type_)
        };
        self.check_value(&mut member, spec)?;
        Ok(member)
    }

    fn check_value(&self, member: &mut Member, spec: &Hash) -> Result<(), String> {
        let label = self.label_of(member);
        if member.kind == MemberKind::Constant {
            if matches!(spec.get_str("final"), Some(Value::Boolean(false))) {
                return Err(format!(
                    "{label} of kind 'constant' cannot be combined with final => false"
                ));
            }
            member.is_final = true;
        }
        match (&member.value, member.kind) {
            (Some(_), MemberKind::Derived | MemberKind::GivenOrDerived) => Err(format!(
                "{label} of kind '{}' cannot be combined with an attribute value",
                member.kind.as_str().unwrap_or_default()
            )),
            (Some(value), _) if *value != Value::Default => {
                Ok(mismatch::assert_instance(&format!("{label} value"), &member.type_, value)?)
            }
            (None, MemberKind::Constant) => {
                Err(format!("{label} of kind 'constant' requires a value"))
            }
            _ => Ok(()),
        }
    }

    pub(super) fn functions(
        &self,
        hash: &Hash,
        attributes: &[Member],
    ) -> Result<Vec<Member>, String> {
        let mut members = Vec::new();
        for (name, spec) in Self::section(hash, "functions") {
            let member = match spec {
                Value::Hash(spec) => {
                    let subject = format!("initializer for function '{name}'");
                    mismatch::assert_instance(&subject, &FUNCTION, &Value::Hash(Arc::clone(spec)))?;
                    Member {
                        is_final: is_true(spec.get_str("final")),
                        is_override: is_true(spec.get_str("override")),
                        annotations: spec.get_str("annotations").cloned(),
                        ..plain(name, MemberKind::Function, type_of(spec.get_str("type")))
                    }
                }
                spec => {
                    let subject = format!("function {}[{name}]", self.label);
                    let expected = Type::meta(named::all_callables());
                    let type_ = assert_type(&subject, &expected, spec)?;
                    plain(name, MemberKind::Function, type_)
                }
            };
            let clashes = |other: &Member| other.name == member.name && other.kind.is_attribute();
            if attributes.iter().any(clashes) {
                let label = self.label_of(&member);
                return Err(format!("{label} conflicts with attribute with the same name"));
            }
            members.push(self.overriding(member)?);
        }
        Ok(members)
    }

    /// Checks that a member may override an inherited one.
    fn overriding(&self, member: Member) -> Result<Member, String> {
        let same_sort = |(other, _): &&(Member, EcoString)| {
            other.name == member.name
                && (other.kind == MemberKind::TypeParameter)
                    == (member.kind == MemberKind::TypeParameter)
        };
        let label = self.label_of(&member);
        let feature = member.kind.feature();
        let Some((parent, owner)) = self.inherited.iter().find(same_sort) else {
            if member.is_override && member.kind != MemberKind::Constant {
                return Err(format!(
                    "expected {label} to override an inherited {feature}, but no such {feature} was found"
                ));
            }
            return Ok(member);
        };
        let other = label_of(parent, owner);
        let constants = parent.kind == MemberKind::Constant && member.kind == MemberKind::Constant;
        if parent.kind.feature() != feature {
            Err(format!("{label} attempts to override {other}"))
        } else if parent.is_final && !constants {
            Err(format!("{label} attempts to override final {other}"))
        } else if !member.is_override {
            Err(format!("{label} attempts to override {other} without having override => true"))
        } else if !parent.type_.is_assignable(&member.type_) {
            Err(format!("{label} attempts to override {other} with a type that does not match"))
        } else {
            Ok(member)
        }
    }
}

/// Returns the name of a member in messages.
pub(super) fn label_of(member: &Member, owner: &str) -> String {
    format!("{} {owner}[{}]", member.kind.feature(), member.name)
}

fn plain(name: EcoString, kind: MemberKind, type_: Type) -> Member {
    Member {
        name,
        kind,
        type_,
        value: None,
        is_final: false,
        is_override: false,
        annotations: None,
    }
}

fn is_true(value: Option<&Value>) -> bool {
    matches!(value, Some(Value::Boolean(true)))
}

fn type_of(value: Option<&Value>) -> Type {
    match value {
        Some(Value::Type(type_)) => (**type_).clone(),
        _ => Type::Any,
    }
}

fn assert_type(subject: &str, expected: &Type, value: &Value) -> Result<Type, String> {
    mismatch::assert_instance(subject, expected, value)?;
    Ok(type_of(Some(value)))
}
