//! Members of objects: `object.attribute`

use std::sync::{Arc, LazyLock};

use kukla_pcore::types::mismatch::{Signature, describe_signatures};
use kukla_pcore::types::{
    CallableType, IntegerRange, Member, MemberKind, ObjectType, TupleType, infer_set,
};
use kukla_pcore::uri::Uri;
use kukla_pcore::value::{Object, Rare};
use kukla_pcore::{Type, Value};

use crate::{Eval, fault, issues};

/// The value of `receiver.name(arguments)` if the receiver has such a member; functions are asked otherwise.
pub(super) fn member(
    receiver: &Value,
    name: &str,
    arguments: &[Value],
    block: Option<&Type>,
) -> Option<Eval<Value>> {
    let Value::Rare(rare) = receiver else { return None };
    match &**rare {
        Rare::Object(object) => object_member(object, name, arguments, block),
        Rare::Uri(uri) => {
            let value = uri_member(uri, name)?;
            let label = format!("attribute URI[{name}]");
            Some(check_arguments(&label, &NO_ARGUMENTS, arguments, block).map(|()| value))
        }
        Rare::Iterator(_) | Rare::SemVer(_) | Rare::SemVerRange(_) => None,
    }
}

/// The type of a function without parameters.
static NO_ARGUMENTS: LazyLock<Type> = LazyLock::new(|| {
    let parameters = Some(TupleType { types: Vec::new(), size: Some(IntegerRange::ZERO) });
    Type::Callable(Arc::new(CallableType { parameters, block: None, returns: None }))
});

/// Checks the arguments of a member that the host implements; there is no block.
pub(crate) fn check_member(type_: &ObjectType, name: &str, arguments: &[Value]) -> Eval<()> {
    let Some((owner, member)) = find_member(type_, name) else { return Ok(()) };
    let label = format!("{} {}[{name}]", member.kind.feature(), owner.label());
    match member.kind {
        MemberKind::Function => check_arguments(&label, &member.type_, arguments, None),
        _ => check_arguments(&label, &NO_ARGUMENTS, arguments, None),
    }
}

fn object_member(
    object: &Object,
    name: &str,
    arguments: &[Value],
    block: Option<&Type>,
) -> Option<Eval<Value>> {
    let (owner, member) = find_member(&object.type_, name)?;
    let label = format!("{} {}[{name}]", member.kind.feature(), owner.label());
    let type_ = match member.kind {
        MemberKind::Function => &member.type_,
        _ => &*NO_ARGUMENTS,
    };
    if let Err(fault) = check_arguments(&label, type_, arguments, block) {
        return Some(Err(fault));
    }
    Some(match member.kind {
        MemberKind::Function => function(owner, object, name, &label),
        MemberKind::Derived => fault(issues::unknown_derived_method(&label)),
        _ => Ok(object.get(name).cloned().unwrap_or_default()),
    })
}

/// A member, and the type that has it: the innermost one.
pub(crate) fn find_member<'a>(
    type_: &'a ObjectType,
    name: &str,
) -> Option<(&'a ObjectType, &'a Member)> {
    let is_wanted =
        |member: &&Member| member.name == name && member.kind != MemberKind::TypeParameter;
    match type_.members().iter().find(is_wanted) {
        Some(member) => Some((type_, member)),
        None => find_member(type_.parent_object()?, name),
    }
}

/// Whether a member takes the arguments and the block; its type is a `Callable` or a `Variant` of such.
fn check_arguments(
    label: &str,
    type_: &Type,
    arguments: &[Value],
    block: Option<&Type>,
) -> Eval<()> {
    let callables: Vec<&CallableType> = match type_ {
        Type::Callable(callable) => vec![callable],
        Type::Variant(types) => types.iter().filter_map(as_callable).collect(),
        _ => return Ok(()),
    };
    let mut types: Vec<Type> = arguments.iter().map(infer_set).collect();
    types.extend(block.cloned());
    let fits = |callable: &&CallableType| {
        let Some(parameters) = &callable.parameters else { return true };
        let is_empty_call = types.is_empty()
            && parameters.size_range().contains(0)
            && callable.block.as_ref().is_none_or(|block| block.is_assignable(&Type::Undef));
        is_empty_call || callable.is_callable_with(&types)
    };
    if callables.iter().any(fits) {
        return Ok(());
    }
    let signatures: Vec<Signature<'_>> = callables
        .iter()
        .map(|type_| Signature { type_, names: &[], block_name: "block" })
        .collect();
    match describe_signatures(label, &signatures, &types) {
        Some(message) => fault(issues::argument_mismatch(message)),
        None => Ok(()),
    }
}

fn as_callable(type_: &Type) -> Option<&CallableType> {
    match type_ {
        Type::Callable(callable) => Some(callable),
        _ => None,
    }
}

/// `object[keys]`, if the object's type has a function for that.
pub(super) fn access(left: &Value, keys: &[Value]) -> Option<Eval<Value>> {
    member(left, "[]", keys, None)
}

/// Functions of objects are written in Ruby, so Puppet's own are all there is.
fn function(type_: &ObjectType, object: &Object, name: &str, label: &str) -> Eval<Value> {
    match (type_.label(), name) {
        ("Error", "message") => Ok(object.get("msg").cloned().unwrap_or_default()),
        _ => fault(issues::unknown_method(label)),
    }
}

fn uri_member(uri: &Uri, name: &str) -> Option<Value> {
    let text = |part: Option<ecow::EcoString>| part.map_or(Value::Undef, Value::String);
    Some(match name {
        "scheme" => text(uri.scheme.clone()),
        "userinfo" => text(uri.userinfo.clone()),
        "host" => text(uri.host.clone()),
        "port" => uri.port.map_or(Value::Undef, Value::Integer),
        "path" => text(uri.path()),
        "query" => text(uri.query.clone()),
        "fragment" => text(uri.fragment.clone()),
        "opaque" => text(uri.opaque.clone()),
        _ => return None,
    })
}
