//! Types whose parameters are plain values.

use super::super::{Type, factory, times};
use super::labels::{a_an, capital};
use super::{
    Access, AccessBlame, AccessError, KeyCount, arity, assert_keys, label_of_type, ruby_class,
};
use crate::Value;
use crate::value::Rare;

/// Evaluates `Integer[from, to]`.
pub(super) fn integer(keys: &[Value]) -> Access<Type> {
    if keys.is_empty() || keys.len() > 2 {
        let message = format!(
            "Integer-Type supports [] with one or two arguments (from, to). Got {}",
            keys.len()
        );
        return Err(AccessError::issue(message, AccessBlame::Whole));
    }
    let fits = |key: &Value| matches!(key, Value::Integer(_) | Value::Default);
    if let Some(place) = keys.iter().position(|key| !fits(key)) {
        let message = format!(
            "Integer-Type [] requires all arguments to be integers (or default). Got {}",
            ruby_class(&keys[place])
        );
        return Err(AccessError::issue(message, AccessBlame::Key(place)));
    }
    let to = keys.get(1).unwrap_or(&Value::Default);
    factory::integer_range(&keys[0], to).map(Type::Integer).map_err(AccessError::raised)
}

/// Evaluates `Float[from, to]`.
pub(super) fn float(keys: &[Value]) -> Access<Type> {
    if keys.is_empty() || keys.len() > 2 {
        let message = format!(
            "Float-Type supports [] with one or two arguments (from, to). Got {}",
            keys.len()
        );
        return Err(AccessError::issue(message, AccessBlame::Whole));
    }
    let fits = |key: &Value| matches!(key, Value::Integer(_) | Value::Float(_) | Value::Default);
    if let Some(place) = keys.iter().position(|key| !fits(key)) {
        let message = format!(
            "Float-Type [] requires all arguments to be floats, or integers (or default). Got {}",
            ruby_class(&keys[place])
        );
        return Err(AccessError::issue(message, AccessBlame::Key(place)));
    }
    factory::float_range(&keys[0], keys.get(1).unwrap_or(&Value::Default))
        .map_err(AccessError::raised)
}

/// Evaluates `String[from, to]`.
pub(super) fn string(keys: &[Value]) -> Access<Type> {
    match keys {
        [_] | [_, _] => super::collections::size(0, keys).map(Type::string),
        keys => {
            let message =
                format!("String supports [] with one or two arguments. Got {}", keys.len());
            Err(AccessError::issue(message, AccessBlame::Whole))
        }
    }
}

/// Evaluates `Boolean[value]`.
pub(super) fn boolean(type_: &Type, keys: &[Value]) -> Access<Type> {
    let fits = |key: &Value| matches!(key, Value::Boolean(_));
    assert_keys(type_, keys, KeyCount::ONE, "TrueClass or FalseClass", fits)?;
    Ok(Type::Boolean(match keys {
        [Value::Boolean(value)] => Some(*value),
        _ => None,
    }))
}

/// Evaluates `Regexp[pattern]`.
pub(super) fn regexp(type_: &Type, keys: &[Value]) -> Access<Type> {
    if keys.len() != 1 {
        let label = capital(&a_an(&label_of_type(type_)));
        let error = arity(&label, KeyCount::ONE, keys.len());
        let blame = if keys.is_empty() { AccessBlame::Whole } else { AccessBlame::Key(1) };
        return Err(AccessError { blame, ..error });
    }
    let fits = |key: &Value| matches!(key, Value::String(_) | Value::Regexp(_));
    assert_keys(type_, keys, KeyCount::ONE, "String or Regexp", fits)?;
    match &keys[0] {
        Value::Regexp(regexp) => Ok(Type::Regexp(Some(regexp.clone()))),
        key => {
            let regexp = factory::regexp(key.as_str().unwrap_or_default());
            regexp.map(|regexp| Type::Regexp(Some(regexp))).map_err(AccessError::raised)
        }
    }
}

/// Evaluates `Enum[values]`.
pub(super) fn enumeration(type_: &Type, keys: &[Value]) -> Access<Type> {
    let (keys, case_insensitive) = match keys {
        [keys @ .., Value::Boolean(case_insensitive)] => (keys, *case_insensitive),
        keys => (keys, false),
    };
    assert_keys(type_, keys, KeyCount::SOME, "String", |key| matches!(key, Value::String(_)))?;
    let values = keys.iter().filter_map(Value::as_str).map(Into::into).collect();
    Ok(Type::enumeration(values, case_insensitive))
}

/// Evaluates `Pattern[patterns]`.
pub(super) fn pattern(type_: &Type, keys: &[Value]) -> Access<Type> {
    let fits = |key: &Value| match key {
        Value::String(_) | Value::Regexp(_) => true,
        Value::Type(type_) => matches!(**type_, Type::Pattern(_) | Type::Regexp(_)),
        _ => false,
    };
    let expected = "String or Regexp or Pattern-Type or Regexp-Type";
    assert_keys(type_, keys, KeyCount::SOME, expected, fits)?;
    factory::pattern(keys).map_err(AccessError::raised)
}

/// Evaluates `Variant[types]`.
pub(super) fn variant(type_: &Type, keys: &[Value]) -> Access<Type> {
    assert_keys(type_, keys, KeyCount::SOME, "Any-Type", |key| matches!(key, Value::Type(_)))?;
    Ok(Type::variant(factory::types_of(keys).map_err(AccessError::raised)?))
}

/// Evaluates `SemVer[ranges]`.
pub(super) fn versions(type_: &Type, keys: &[Value]) -> Access<Type> {
    let fits = |key: &Value| match key {
        Value::String(_) => true,
        Value::Rare(rare) => matches!(**rare, Rare::SemVerRange(_)),
        _ => false,
    };
    assert_keys(type_, keys, KeyCount::SOME, "String or SemanticPuppet::VersionRange", fits)?;
    factory::versions(keys).map_err(AccessError::raised)
}

/// Evaluates `Timestamp[from, to]`.
pub(super) fn timestamp(type_: &Type, keys: &[Value]) -> Access<Type> {
    at_most_two(type_, keys)?;
    times::timestamp(keys).map_err(AccessError::raised)
}

/// Evaluates `Timespan[from, to]`.
pub(super) fn timespan(type_: &Type, keys: &[Value]) -> Access<Type> {
    at_most_two(type_, keys)?;
    times::timespan(keys).map_err(AccessError::raised)
}

fn at_most_two(type_: &Type, keys: &[Value]) -> Access<()> {
    if keys.len() <= 2 {
        return Ok(());
    }
    let label = capital(&a_an(&label_of_type(type_)));
    Err(arity(&label, KeyCount { min: 0, max: Some(2) }, keys.len()))
}

/// Evaluates `URI[uri]`.
pub(super) fn uri(keys: &[Value]) -> Access<Type> {
    let [key] = keys else { return Err(arity("URI-Type", KeyCount::ONE, keys.len())) };
    let fits = factory::URI_PARAMETER.is_instance(key);
    match factory::uri(key).filter(|_| fits) {
        Some(type_) => type_.map_err(AccessError::raised),
        None => Err(super::not_a_type("URI", 0, key)),
    }
}

/// Evaluates `Runtime[runtime, name]`.
pub(super) fn runtime(type_: &Type, keys: &[Value]) -> Access<Type> {
    let count = KeyCount { min: 2, max: Some(2) };
    assert_keys(type_, keys, count, "String or String", |key| matches!(key, Value::String(_)))?;
    let runtime = keys[0].as_str().unwrap_or_default().into();
    factory::runtime(runtime, &keys[1]).map_err(AccessError::raised)
}
