//! Resources, classes, Object types and type sets.

use std::sync::Arc;

use ecow::EcoString;

use super::super::parse::Names;
use super::super::{ObjectType, ResourceType, Type, capitalize_segments, define, factory};
use super::labels::{self, a_an, capital, label};
use super::{Access, AccessBlame, AccessError, Accessed, KeyCount, arity, flatten, label_of_type};
use crate::Value;

/// Evaluates `Resource[type, title]`, `File['/tmp']`.
pub(super) fn resource(type_: &Type, resource: &ResourceType, keys: &[Value]) -> Access<Accessed> {
    if keys.is_empty() {
        return Err(arity(&type_.text(), KeyCount::SOME, 0));
    }
    let (name, keys) = match &resource.name {
        Some(name) => (name.clone(), keys),
        None => (type_name(&keys[0])?, &keys[1..]),
    };
    if !factory::is_type_name(&name) {
        let message = format!(
            "Illegal type reference. The given name '{name}' does not conform to the naming rule"
        );
        return Err(AccessError::issue(message, AccessBlame::Key(0)));
    }
    let as_array = keys.len() > 1 || matches!(keys, [Value::Array(_), ..]);
    let n_keys = keys.len();
    let keys = defined(keys);
    if keys.is_empty() && n_keys > 0 {
        return Ok(empty(as_array));
    }
    if resource.title.is_some() {
        return Ok(Accessed::Attributes { keys, as_array });
    }
    if keys.is_empty() {
        return Ok(Accessed::Value(Type::resource(Some(name), None).into()));
    }
    let offset = usize::from(n_keys != keys.len());
    let titled = |(place, key): (usize, &Value)| match key {
        Value::String(title) => Ok(Type::resource(Some(name.clone()), Some(title.clone())).into()),
        key => Err(AccessError::issue(
            format!(
                "Error creating type specialization of {}, Cannot use {} where a resource title String is expected",
                a_an(&label_of_type(type_)),
                labels::type_name(key)
            ),
            AccessBlame::Key(place + offset),
        )),
    };
    one_or_all(keys.iter().enumerate().map(titled).collect(), as_array)
}

fn type_name(key: &Value) -> Access<EcoString> {
    match key {
        Value::String(name) => Ok(capitalize_segments(name).into()),
        Value::Type(type_) => match &**type_ {
            Type::Resource(resource) if resource.name.is_some() => {
                Ok(resource.name.clone().unwrap_or_default())
            }
            _ => Err(illegal_resource(key)),
        },
        key => Err(illegal_resource(key)),
    }
}

fn illegal_resource(key: &Value) -> AccessError {
    let message = format!(
        "First argument to Resource[] must be a resource type or a String. Got {}.",
        labels::type_name(key)
    );
    AccessError::issue(message, AccessBlame::Key(0))
}

/// Flattens keys and removes `undef`.
fn defined(keys: &[Value]) -> Vec<Value> {
    flatten(keys).into_iter().filter(|key| !key.is_undef()).collect()
}

/// Returns the result for titles that are all empty or undefined, which Puppet accepts.
fn empty(as_array: bool) -> Accessed {
    Accessed::Value(if as_array { Value::array([]) } else { Value::Undef })
}

fn one_or_all(values: Access<Vec<Value>>, as_array: bool) -> Access<Accessed> {
    let mut values = values?;
    Ok(Accessed::Value(match as_array {
        true => Value::array(values),
        false => values.pop().unwrap_or_default(),
    }))
}

/// Evaluates `Class[names]`.
pub(super) fn class(type_: &Type, name: Option<&str>, keys: &[Value]) -> Access<Accessed> {
    if keys.is_empty() {
        return Err(arity(&type_.text(), KeyCount::SOME, 0));
    }
    let as_array = keys.len() > 1 || matches!(keys, [Value::Array(_), ..]);
    let keys = defined(keys);
    if keys.is_empty() {
        return Ok(empty(as_array));
    }
    if name.is_some() {
        return Ok(Accessed::Attributes { keys, as_array });
    }
    one_or_all(keys.iter().enumerate().map(class_name).collect(), as_array)
}

fn class_name((place, key): (usize, &Value)) -> Access<Value> {
    let Value::String(text) = key else {
        let message = format!(
            "Illegal Class name in class reference. {} cannot be used where a String is expected",
            capital(&a_an(&label(key)))
        );
        return Err(AccessError::issue(message, AccessBlame::Key(place)));
    };
    let name = text.to_lowercase();
    let name = name.strip_prefix("::").unwrap_or(&name);
    if !is_name(name) {
        let message = format!(
            "Illegal name. The given name '{text}' does not conform to the naming rule /^((::)?[a-z_]\\w*)(::[a-z]\\w*)*$/"
        );
        return Err(AccessError::issue(message, AccessBlame::Key(place)));
    }
    Ok(Type::Class(Some(name.into())).into())
}

/// Returns true for the name of a class: `apache::mod`.
fn is_name(name: &str) -> bool {
    let is_segment = |segment: &str| {
        let mut letters = segment.chars();
        letters.next().is_some_and(|first| first.is_ascii_lowercase())
            && letters.all(|letter| letter.is_ascii_alphanumeric() || letter == '_')
    };
    let name = name.strip_prefix("::").unwrap_or(name);
    name.split("::").all(is_segment)
}

/// Evaluates `Object[{…}]`, or parameters of an Object type that has a name.
pub(super) fn object(object: &Arc<ObjectType>, keys: &[Value], names: &dyn Names) -> Access<Type> {
    if object.name.is_some() && object.body().is_some() {
        return define::extension(object, keys).map_err(AccessError::raised);
    }
    match keys {
        [key] => define::object(None, key, names).map_err(AccessError::raised),
        keys => Err(arity("Object-Type", KeyCount::ONE, keys.len())),
    }
}

/// Evaluates `TypeSet[{…}]`.
pub(super) fn type_set(keys: &[Value]) -> Access<Type> {
    match keys {
        [key] => define::type_set(key).map_err(AccessError::raised),
        keys => Err(arity("TypeSet-Type", KeyCount::ONE, keys.len())),
    }
}
