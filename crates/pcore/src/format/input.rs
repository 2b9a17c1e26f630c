//! The formats argument of `String.new`.

use std::sync::Arc;

use super::directive::Directive;
use super::error::FormatError;
use super::map::FormatMap;
use crate::types::access::ruby_class;
use crate::types::infer_set;
use crate::{Hash, Type, Value};

/// Parses the formats for a value: `default`, a format, or a hash of formats by type.
pub(super) fn formats(value: &Value, formats: &Value) -> Result<Arc<FormatMap>, FormatError> {
    let explicit = match formats {
        Value::Default => return Ok(Arc::clone(FormatMap::default_formats())),
        Value::String(text) => FormatMap::new(vec![(key_for(value), Directive::parse(text)?)]),
        Value::Hash(hash) => by_type(hash)?,
        other => {
            return Err(FormatError::new(format!(
                "string conversion expects a Default value or a Hash of type to format mappings, got a '{}'",
                ruby_class(other)
            )));
        }
    };
    Ok(Arc::new(FormatMap::default_formats().merge(&explicit)?))
}

/// Returns the type of a single format: all arrays, all hashes, or values of the type of this one.
fn key_for(value: &Value) -> Type {
    match value {
        Value::Array(_) => Type::any_array(),
        Value::Hash(_) => Type::any_hash(),
        _ => infer_set(value),
    }
}

/// Parses `{ Type => format }`.
fn by_type(hash: &Hash) -> Result<FormatMap, FormatError> {
    let entries = hash.iter().map(|(key, format)| Ok((type_of_key(key)?, directive(format)?)));
    Ok(FormatMap::new(entries.collect::<Result<_, FormatError>>()?))
}

fn type_of_key(key: &Value) -> Result<Type, FormatError> {
    match key {
        Value::Type(type_) => Ok((**type_).clone()),
        other => Err(FormatError::new(format!(
            "top level keys in the format hash must be data types, got instance of '{}'",
            ruby_class(other)
        ))),
    }
}

/// Parses a format, or a hash with a container's format and its separators.
fn directive(format: &Value) -> Result<Directive, FormatError> {
    match format {
        Value::Hash(hash) => container(hash),
        Value::String(text) => Directive::parse(text),
        // The signature of `new` allows nothing else.
        other => Directive::parse(&crate::interpolate::text(other)),
    }
}

fn container(hash: &Hash) -> Result<Directive, FormatError> {
    let text = |key| hash.get_str(key).and_then(Value::as_str);
    let mut directive = match text("format") {
        Some(format) => Directive::parse(format)?,
        // Ruby matches its pattern against nil, which is no match.
        None => Directive::parse("")?,
    };
    directive.separator = text("separator").map(Into::into);
    directive.separator2 = text("separator2").map(Into::into);
    if let Some(Value::Hash(formats)) = hash.get_str("string_formats") {
        directive.elements = Some(Arc::new(by_type(formats)?));
    }
    Ok(directive)
}
