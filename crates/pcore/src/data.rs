//! Conversion between values and the data of JSON, YAML and similar formats.

use std::sync::Arc;

use crate::{Hash, Value, ruby};
use kukla_base::cancel::walk;
use kukla_rubytext::tree::{Tree, View};
use kukla_rubytext::{Data, RubyError};

/// Values that are no data are written as nil; [`plain`] converts them to texts first.
impl Tree for Value {
    fn view(&self) -> View<'_> {
        match self {
            Value::Boolean(value) => View::Bool(*value),
            Value::Integer(number) => View::Int(*number),
            Value::Float(number) => View::Float(*number),
            Value::String(text) => View::Str(text),
            Value::Default => View::Symbol("default"),
            Value::Array(values) => View::Array(values.iter().map(|v| v as &dyn Tree).collect()),
            Value::Hash(hash) => {
                View::Hash(hash.iter().map(|(k, v)| (k as &dyn Tree, v as &dyn Tree)).collect())
            }
            _ => View::Nil,
        }
    }

    fn identity(&self) -> Option<usize> {
        match self {
            // All empty arrays share one address.
            Value::Array(values) if !values.is_empty() => Some(values.as_ptr().addr()),
            Value::Hash(hash) => Some(Arc::as_ptr(hash).addr()),
            _ => None,
        }
    }
}

/// Returns true if a value consists of data only.
pub fn is_plain(value: &Value) -> bool {
    match value {
        Value::Undef
        | Value::Boolean(_)
        | Value::Integer(_)
        | Value::Float(_)
        | Value::String(_) => true,
        Value::Array(values) => walk(true, || values.iter().all(is_plain)),
        Value::Hash(hash) => walk(true, || hash.iter().all(|(k, v)| is_plain(k) && is_plain(v))),
        _ => false,
    }
}

/// Replaces everything that is no data by Ruby's `to_s` of it.
pub fn plain(value: &Value) -> Value {
    match value {
        value if is_plain(value) => value.clone(),
        Value::Array(values) => walk(Value::Undef, || Value::array(values.iter().map(plain))),
        Value::Hash(hash) => walk(Value::Undef, || {
            Value::hash(hash.iter().map(|(key, value)| (plain(key), plain(value))).collect())
        }),
        other => Value::from(ruby::to_s(other)),
    }
}

/// Converts parsed data to a value; numbers of more than 64 bits are refused.
pub fn value(data: Data) -> Result<Value, RubyError> {
    Ok(match data {
        Data::Nil => Value::Undef,
        Data::Bool(value) => Value::Boolean(value),
        Data::Int(number) => Value::Integer(number),
        Data::Big(number) => {
            let message = format!("Use of an Integer that is too large: {number}");
            return Err(RubyError::new("RangeError", message));
        }
        Data::Float(number) => Value::Float(number),
        Data::Str(text) | Data::Symbol(text) | Data::Other(_, text) => Value::from(text),
        Data::Binary(bytes) => match String::from_utf8(bytes) {
            Ok(text) => Value::from(text),
            Err(error) => Value::Binary(error.into_bytes().into()),
        },
        Data::Array(items) => {
            let values: Result<Vec<Value>, RubyError> =
                nested(|| items.into_iter().map(value).collect());
            Value::array(values?)
        }
        Data::Hash(entries) => {
            let entries = entries.into_iter().map(|(k, v)| Ok((value(k)?, value(v)?)));
            Value::hash(nested(|| entries.collect::<Result<Hash, RubyError>>())?)
        }
    })
}

/// Runs `work` on a larger stack if needed: values may be nested deeply.
fn nested<T>(work: impl FnOnce() -> T) -> T {
    stacker::maybe_grow(32 << 10, 1 << 20, work)
}
