//! `Hash.new(paths, tree)`: a hash of hashes from paths and the values at their ends.

use crate::elements::MAX_ELEMENTS;
use crate::interpolate::text;
use crate::types::access::ruby_class;
use crate::{Hash, Value};
use ecow::EcoVec;
use kukla_base::cancel::walk;
use std::sync::Arc;

use super::ConvertError;

/// Builds the tree of `[[path, value], …]`; arrays become hashes if `all_hashes`.
pub(super) fn build(entries: &[Value], all_hashes: bool) -> Result<Value, ConvertError> {
    let mut root = Value::hash(Hash::new());
    for entry in entries {
        let Value::Array(entry) = entry else { continue };
        let [Value::Array(path), value] = entry.as_slice() else { continue };
        match path.split_last() {
            None => merge_root(&mut root, value)?,
            Some((last, way)) => {
                let value = if all_hashes { array_as_hash(value) } else { value.clone() };
                let mut node = &mut root;
                for key in way {
                    node = child(node, key)?;
                }
                set(node, last, value)?;
            }
        }
    }
    Ok(root)
}

/// Merges a value at the empty path, which is the root itself.
fn merge_root(root: &mut Value, value: &Value) -> Result<(), ConvertError> {
    let Value::Hash(root) = root else { return Ok(()) };
    let root = Arc::make_mut(root);
    match value {
        Value::Array(values) => {
            root.extend((0..).map(Value::Integer).zip(values.iter().cloned()));
            Ok(())
        }
        Value::Hash(hash) => {
            root.extend(hash.iter().map(|(key, value)| (key.clone(), value.clone())));
            Ok(())
        }
        other => Err(no_conversion(other, "Hash")),
    }
}

/// Returns the node below a key; a hash creates it if it is missing.
fn child<'a>(node: &'a mut Value, key: &Value) -> Result<&'a mut Value, ConvertError> {
    match node {
        Value::Hash(hash) => {
            let hash = Arc::make_mut(hash);
            if !hash.contains_key(key) {
                hash.insert(key.clone(), Value::hash(Hash::new()));
            }
            hash.get_mut(key).ok_or_else(|| ConvertError::new("no such key"))
        }
        Value::Array(values) => {
            let at = index(values, key)?;
            match at.filter(|at| *at < values.len()) {
                Some(at) => Ok(&mut values.make_mut()[at]),
                None => Err(undefined("has_key?", &Value::Undef)),
            }
        }
        other => Err(undefined("has_key?", other)),
    }
}

fn set(node: &mut Value, key: &Value, value: Value) -> Result<(), ConvertError> {
    match node {
        Value::Hash(hash) => {
            Arc::make_mut(hash).insert(key.clone(), value);
            Ok(())
        }
        Value::Array(values) => {
            let Some(at) = index(values, key)? else {
                let (key, n) = (text(key), values.len());
                let message = format!("index {key} too small for array; minimum: -{n}");
                return Err(ConvertError(message));
            };
            put(values, at, value)
        }
        Value::String(text) => {
            let inspected = kukla_rubytext::inspect::inspect(text);
            Err(ConvertError(format!("can't modify frozen String: {inspected}")))
        }
        other => Err(undefined("[]=", other)),
    }
}

/// Sets an element; Ruby fills the gap with `undef`.
fn put(values: &mut EcoVec<Value>, at: usize, value: Value) -> Result<(), ConvertError> {
    if at >= MAX_ELEMENTS {
        return Err(ConvertError(format!("index {at} too big")));
    }
    while values.len() <= at {
        values.push(Value::Undef);
    }
    values.make_mut()[at] = value;
    Ok(())
}

/// Returns the index in an array, counted from its end if negative; `None` is before its beginning.
fn index(values: &[Value], key: &Value) -> Result<Option<usize>, ConvertError> {
    let Value::Integer(key) = key else { return Err(no_conversion(key, "Integer")) };
    Ok(match usize::try_from(*key) {
        Ok(at) => Some(at),
        Err(_) => {
            usize::try_from(key.unsigned_abs()).ok().and_then(|back| values.len().checked_sub(back))
        }
    })
}

/// Converts an array to a hash; nested arrays too, but not those in hashes.
fn array_as_hash(value: &Value) -> Value {
    let Value::Array(values) = value else { return value.clone() };
    walk(Value::Undef, || {
        let values = values.iter().map(array_as_hash);
        (0..).map(Value::Integer).zip(values).collect::<Hash>().into()
    })
}

fn no_conversion(value: &Value, target: &str) -> ConvertError {
    let name = match value {
        Value::Undef => "nil".into(),
        Value::Boolean(value) => value.to_string().into(),
        other => ruby_class(other),
    };
    ConvertError(format!("no implicit conversion of {name} into {target}"))
}

fn undefined(method: &str, value: &Value) -> ConvertError {
    let inspected = match value {
        Value::Undef => "nil".into(),
        other => text(other),
    };
    ConvertError(format!("undefined method `{method}' for {inspected}:{}", ruby_class(value)))
}
