//! The init hash of an Object type.

use crate::types::{Member, MemberKind, ObjectType, infer_generic};
use crate::{Hash, Type, Value};

/// Returns `{ name => …, parent => …, attributes => … }`.
pub(super) fn init_hash(object: &ObjectType) -> Hash {
    let mut init = Hash::new();
    let mut add = |key: &str, value: Option<Value>| {
        if let Some(value) = value {
            init.insert(key.into(), value);
        }
    };
    add("annotations", object.body().and_then(|body| body.annotations.clone()));
    let of = |of: fn(&Member) -> bool| object.members().iter().filter(move |member| of(member));
    add("name", object.name.clone().map(Value::from));
    add("parent", object.parent().cloned().map(Value::from));
    add("type_parameters", members(of(|member| member.kind == MemberKind::TypeParameter)));
    add("attributes", members(of(|member| member.kind.is_attribute() && !is_plain(member))));
    add("constants", constants(of(is_plain)));
    add("functions", members(of(|member| member.kind == MemberKind::Function)));
    if let Some(body) = object.body() {
        let equality = body.equality.as_ref();
        add("equality", equality.map(|names| Value::array(names.iter().cloned().map(Value::from))));
        add("checks", body.checks.clone());
    }
    init
}

/// Returns true for a constant whose type is that of its value.
fn is_plain(member: &Member) -> bool {
    let has_type = |value: &Value| infer_generic(value) == member.type_;
    member.kind == MemberKind::Constant && member.value.as_ref().is_some_and(has_type)
}

fn members<'a>(members: impl Iterator<Item = &'a Member>) -> Option<Value> {
    let hash: Hash = members.map(|member| (member.name.clone().into(), spec(member))).collect();
    (!hash.is_empty()).then(|| hash.into())
}

fn constants<'a>(members: impl Iterator<Item = &'a Member>) -> Option<Value> {
    let constant =
        |member: &Member| (member.name.clone().into(), member.value.clone().unwrap_or_default());
    let hash: Hash = members.map(constant).collect();
    (!hash.is_empty()).then(|| hash.into())
}

/// Returns the definition of a member: its type alone if there is nothing more.
fn spec(member: &Member) -> Value {
    let is_parameter = member.kind == MemberKind::TypeParameter;
    let type_: Value = match &member.type_ {
        // Type parameters are always optional, which is left out.
        Type::Optional(Some(inner)) if is_parameter => Value::Type(inner.clone()),
        type_ => type_.clone().into(),
    };
    let mut hash = Hash::new();
    hash.insert("type".into(), type_.clone());
    if member.is_final && member.kind != MemberKind::Constant {
        hash.insert("final".into(), true.into());
    }
    if member.is_override {
        hash.insert("override".into(), true.into());
    }
    if let Some(annotations) = &member.annotations {
        hash.insert("annotations".into(), annotations.clone());
    }
    if let Some(kind) = member.kind.as_str() {
        hash.insert("kind".into(), kind.into());
    }
    if let Some(value) = member.value.as_ref().filter(|value| !(is_parameter && value.is_undef())) {
        hash.insert("value".into(), value.clone());
    }
    if hash.len() == 1 { type_ } else { hash.into() }
}
