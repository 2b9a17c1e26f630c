//! Types whose parameters are types and sizes.

use std::sync::Arc;

use super::super::access::ruby_class;
use super::super::factory;
use super::super::{InitType, IntegerRange, Type};
use super::labels::{self, a_an, capital};
use super::{
    Access, AccessBlame, AccessError, KeyCount, arity, as_type, assert_keys, label_of_type,
    not_a_type,
};
use crate::Value;

/// Checks for a single key that is a type.
pub(super) fn inner(name: &str, keys: &[Value]) -> Access<Type> {
    match keys {
        [key] => as_type(name, 0, key),
        keys => Err(arity(&format!("{name}-Type"), KeyCount::ONE, keys.len())),
    }
}

/// Evaluates `Optional[type]`, `Optional['text']`.
pub(super) fn optional(keys: &[Value]) -> Access<Type> {
    match keys {
        [Value::String(text)] => Ok(Type::optional(Type::StringValue(text.clone()))),
        keys => inner("Optional", keys).map(Type::optional),
    }
}

/// Evaluates `NotUndef[type]`, `NotUndef['text']`.
pub(super) fn not_undef(keys: &[Value]) -> Access<Type> {
    match keys {
        [] => Ok(Type::NotUndef(None)),
        [Value::String(text)] => Ok(Type::not_undef(Type::StringValue(text.clone()))),
        [Value::Type(type_)] => Ok(Type::not_undef((**type_).clone())),
        [key] => {
            let message = format!(
                "NotUndef-Type[] argument must be a Type or a String. Got {}",
                ruby_class(key)
            );
            Err(AccessError::issue(message, AccessBlame::Key(0)))
        }
        keys => Err(arity("NotUndef-Type", KeyCount { min: 0, max: Some(1) }, keys.len())),
    }
}

/// Evaluates `Init[type, arguments]`.
pub(super) fn init(keys: &[Value]) -> Access<Type> {
    let Some((key, arguments)) = keys.split_first() else {
        return Err(not_a_type("Init", 0, &Value::Undef));
    };
    let type_ = as_type("Init", 0, key)?;
    Ok(Type::Init(Some(Arc::new(InitType::new(type_, arguments.to_vec())))))
}

/// Parses a size: one `Integer` type, or one or two integers.
pub(super) fn size(start: usize, keys: &[Value]) -> Access<IntegerRange> {
    if let [Value::Type(type_)] = keys
        && let Type::Integer(range) = &**type_
    {
        return Ok(*range);
    }
    let fits = |key: &Value| matches!(key, Value::Integer(_) | Value::Default);
    if let Some(place) = keys.iter().position(|key| !fits(key)) {
        let class = match &keys[place] {
            Value::Type(type_) => {
                let class = super::ruby_class_of_type(type_);
                let name = class.rsplit("::P").next().unwrap_or(&class);
                format!("{}-Type", name.strip_suffix("Type").unwrap_or(name))
            }
            key => ruby_class(key).into_owned(),
        };
        let message = format!(
            "A Type's size constraint arguments must be a single Integer type, or 1-2 integers (or default). Got {}",
            a_an(&class)
        );
        return Err(AccessError::issue(message, AccessBlame::Key(start + place)));
    }
    let default = Value::Default;
    let from = keys.first().unwrap_or(&default);
    factory::integer_range(from, keys.get(1).unwrap_or(&default)).map_err(AccessError::raised)
}

/// Evaluates `Collection[from, to]`.
pub(super) fn collection(keys: &[Value]) -> Access<Type> {
    match keys {
        [_] | [_, _] => Ok(Type::Collection(Some(size(0, keys)?.to_size()))),
        keys => Err(arity("Collection-Type", KeyCount { min: 1, max: Some(2) }, keys.len())),
    }
}

/// Evaluates `Array[type, from, to]`.
pub(super) fn array(keys: &[Value]) -> Access<Type> {
    match keys {
        [key] => Ok(Type::array(as_type("Array", 0, key)?, None)),
        [Value::Type(type_), rest @ ..] if rest.len() <= 2 => {
            Ok(Type::array((**type_).clone(), Some(size(1, rest)?)))
        }
        [_, _] => Ok(Type::array(Type::Any, Some(size(0, keys)?))),
        [key, _, _] => Err(not_a_type("Array", 0, key)),
        keys => Err(arity("Array-Type", KeyCount { min: 1, max: Some(3) }, keys.len())),
    }
}

/// Evaluates `Hash[key, value, from, to]`.
pub(super) fn hash(keys: &[Value]) -> Access<Type> {
    if let [from @ Value::Integer(_), to @ Value::Integer(_)] = keys {
        let size = factory::integer_range(from, to).map_err(AccessError::raised)?;
        return Ok(Type::hash(Type::Any, Type::Any, Some(size)));
    }
    let mut types = Vec::new();
    for (place, key) in keys.iter().take(2).enumerate() {
        types.push(as_type("Hash", place, key)?);
    }
    let size = match keys {
        [_, _] => None,
        [_, _, Value::Type(type_)] if matches!(**type_, Type::Integer(_)) => {
            Some(size(2, &keys[2..])?)
        }
        [_, _, from @ (Value::Integer(_) | Value::Default)] => {
            Some(factory::integer_range(from, &Value::Default).map_err(AccessError::raised)?)
        }
        [_, _, key] => {
            let class = ruby_class(key);
            return Err(AccessError::raised(format!("comparison of {class} with Infinity failed")));
        }
        [_, _, _, _] => Some(size(2, &keys[2..])?),
        keys => {
            return Err(arity("Hash-Type", KeyCount { min: 2, max: Some(4) }, keys.len()));
        }
    };
    let mut types = types.into_iter();
    let (key, value) = (types.next().unwrap_or(Type::Any), types.next().unwrap_or(Type::Any));
    Ok(Type::hash(key, value, size))
}

/// Evaluates `Tuple[types, from, to]`.
pub(super) fn tuple(type_: &Type, keys: &[Value]) -> Access<Type> {
    let mut keys = keys.to_vec();
    let size = factory::take_size(&mut keys).map_err(AccessError::raised)?;
    assert_keys(type_, &keys, KeyCount::SOME, "Any-Type", |key| matches!(key, Value::Type(_)))?;
    Ok(Type::tuple(factory::types_of(&keys).map_err(AccessError::raised)?, size))
}

/// Evaluates `Struct[{ key => type }]`.
pub(super) fn structure(type_: &Type, keys: &[Value]) -> Access<Type> {
    assert_keys(type_, keys, KeyCount::ONE, "Hash", |key| matches!(key, Value::Hash(_)))?;
    match keys {
        [Value::Hash(hash)] => factory::structure(hash).map_err(AccessError::raised),
        _ => Ok(type_.clone()),
    }
}

/// Evaluates `Callable[types, from, to, block]`, `Callable[[types, …], result]`.
pub(super) fn callable(type_: &Type, keys: &[Value]) -> Access<Type> {
    if matches!(keys, [Value::Array(_), ..]) && keys.len() != 2 {
        let label = capital(&a_an(&label_of_type(type_)));
        return Err(arity(&label, KeyCount { min: 2, max: Some(2) }, keys.len()));
    }
    if let [Value::Array(_), returns] = keys
        && !matches!(returns, Value::Type(_))
    {
        // Puppet itself fails while it formats the message.
        let message = format!(
            "Error creating type specialization of {}, Cannot use {} where Any-Type is expected",
            a_an(&label_of_type(type_)),
            labels::type_name(returns)
        );
        return Err(AccessError::issue(message, AccessBlame::Key(1)));
    }
    factory::callable(keys).map_err(AccessError::raised)
}
