//! `annotate`: objects attached to values.

use std::sync::Arc;

use kukla_compiler::{Call, Eval, Function, Signature};
use kukla_pcore::convert::object_from_hash;
use kukla_pcore::interpolate::text;
use kukla_pcore::types::{ObjectType, access};
use kukla_pcore::value::Rare;
use kukla_pcore::{Type, Value};
use kukla_rubytext::inspect::inspect;

use crate::fault::fault;

/// The functions of this file.
pub(crate) const FUNCTIONS: &[Function] = &[Function::typed(
    "annotate",
    &[
        Signature::new("Type[Annotation] type, Any value, Callable[0, 0] &block?", annotate),
        Signature::new(
            "Type[Annotation] type, Any value, Variant[Enum[clear], Hash[Pcore::MemberName, Any]] annotation_hash",
            annotate_new,
        ),
        Signature::new(
            "Type[Pcore] type, Any value, Hash[Type[Annotation], Hash[Pcore::MemberName, Any]] annotations",
            annotate_multi,
        ),
    ],
)];

/// Returns the annotation of a value, or a new one: as its type declares it, otherwise as the block defines it.
fn annotate(call: &mut Call<'_>) -> Eval<Value> {
    let Some(type_) = annotation_type(call.value(0)) else { return Ok(Value::Undef) };
    let value = call.value(1);
    if let Some(annotation) = call.annotation(value, type_.label()) {
        return Ok(annotation);
    }
    let init = match declared(value, call.value(0)) {
        Some(init) => init,
        None if call.has_block() => call.call_block(&[])?,
        None => Value::Undef,
    };
    if init.is_undef() { Ok(init) } else { associate(call, &type_, value, &init) }
}

/// Replaces the annotation of a value by a new one, or removes it.
fn annotate_new(call: &mut Call<'_>) -> Eval<Value> {
    let Some(type_) = annotation_type(call.value(0)) else { return Ok(Value::Undef) };
    let (value, init) = (call.value(1), call.value(2));
    let is_clear = init.as_str().is_some();
    if let Value::Type(annotated) = value
        && declared(value, call.value(0)).is_some()
    {
        let action = if is_clear { "clear" } else { "redefine" };
        let label = match &**annotated {
            Type::TypeSet(set) => format!("TypeSet '{}'", set.name.as_deref().unwrap_or_default()),
            annotated => annotated.name(),
        };
        return fault(format!(
            "attempt to {action} {} annotation declared on {label}",
            type_.label()
        ));
    }
    match is_clear {
        true => Ok(call.remove_annotation(value, type_.label()).unwrap_or_default()),
        false => associate(call, &type_, value, init),
    }
}

/// Adds annotations of several types to a value, where it has none yet.
fn annotate_multi(call: &mut Call<'_>) -> Eval<Value> {
    let value = call.value(1);
    for (key, init) in call.hash(2).into_iter().flat_map(|hash| hash.iter()) {
        let Some(type_) = annotation_type(key) else { continue };
        if call.annotation(value, type_.label()).is_none() {
            let init = declared(value, key).unwrap_or_else(|| init.clone());
            associate(call, &type_, value, &init)?;
        }
    }
    Ok(value.clone())
}

fn annotation_type(value: &Value) -> Option<Arc<ObjectType>> {
    let Value::Type(type_) = value else { return None };
    let mut type_ = &**type_;
    loop {
        match type_ {
            Type::Object(object) => return Some(Arc::clone(object)),
            Type::Alias(alias) => type_ = alias.resolved()?,
            _ => return None,
        }
    }
}

/// Returns the annotation in the definition of an Object type or a type set.
fn declared(value: &Value, type_: &Value) -> Option<Value> {
    let Value::Type(annotated) = value else { return None };
    let annotations = match &**annotated {
        Type::Object(object) => object.body()?.annotations.as_ref(),
        Type::TypeSet(set) => set.body()?.annotations.as_ref(),
        _ => None,
    };
    match annotations? {
        Value::Hash(annotations) => annotations.get(type_).cloned(),
        _ => None,
    }
}

fn associate(
    call: &mut Call<'_>,
    type_: &Arc<ObjectType>,
    value: &Value,
    init: &Value,
) -> Eval<Value> {
    let annotation = match object_from_hash(type_, init) {
        Ok(annotation) => annotation,
        Err(message) => return fault(message),
    };
    if call.annotate(value, type_.label(), annotation.clone()) {
        return Ok(annotation);
    }
    fault(format!("can't modify frozen {}: {}", access::ruby_class(value), inspected(value)))
}

/// Formats a value as Ruby's `inspect` does.
fn inspected(value: &Value) -> String {
    match value {
        Value::Undef => "nil".to_owned(),
        Value::Default => ":default".to_owned(),
        Value::String(text) => inspect(text),
        Value::Rare(rare) => match &**rare {
            Rare::SemVer(version) => version.to_string(),
            Rare::SemVerRange(range) => range.inspect(),
            Rare::Object(_) | Rare::Iterator(_) | Rare::Uri(_) => text(value),
        },
        value => text(value),
    }
}
