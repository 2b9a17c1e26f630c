//! Formatted texts of values: `String.new(value, formats)`.
//!
//! Start at [`convert`]. The formats of the manifest (`input`) become a [`FormatMap`] of [`Directive`]s by type; each kind of
//! value has a file with its letters. [`program()`] formats a value as Puppet code.
//!
//! Invariant: the depth of values is bounded by an error, not by the stack.

mod any;
mod containers;
mod directive;
mod error;
mod indent;
mod input;
mod map;
mod numbers;
mod program;
mod words;

#[cfg(test)]
mod tests;

pub use directive::Directive;
pub use error::FormatError;
pub use map::FormatMap;
pub use program::{program, write_program};

use crate::Value;
use crate::convert::elements;
use crate::value::Rare;
use indent::Indent;
use kukla_base::cancel::walk;

/// The maximum depth of a value; Ruby's stack ends at about the same depth.
const MAX_DEPTH: usize = 1500;

/// Formats a value: `formats` is `default`, a format, or a hash of formats by type.
///
/// ```puppet
/// String.new(10, '%#x')            # 0xa
/// String.new([1, 2], { Array => { format => '%(a', separator => ';' } })  # (1;2)
/// ```
pub fn convert(value: &Value, formats: &Value) -> Result<String, FormatError> {
    // Fast path with the result of the map: a format for the value itself precedes all defaults.
    if let (Value::String(format), Value::Integer(_) | Value::Float(_) | Value::String(_)) =
        (formats, value)
    {
        return scalar(value, &Directive::parse(format)?);
    }
    if let (Value::Default, Value::String(text)) = (formats, value) {
        return Ok(text.as_str().into());
    }
    convert_with(value, &*input::formats(value, formats)?)
}

/// Like [`convert`], but with parsed formats.
pub fn convert_with(value: &Value, formats: &FormatMap) -> Result<String, FormatError> {
    convert_at(value, formats, Indent::TOP)
}

fn convert_at(value: &Value, formats: &FormatMap, indent: Indent) -> Result<String, FormatError> {
    if indent.level > MAX_DEPTH {
        return Err(FormatError::new("stack level too deep"));
    }
    walk(Ok(String::new()), || {
        let directive = formats.find(value);
        match value {
            Value::Array(values) => containers::array(values, directive, formats, indent),
            Value::Hash(hash) => containers::hash(hash, directive, formats, indent),
            Value::Rare(rare) => match &**rare {
                Rare::Object(_) => program::object(value, directive, indent),
                Rare::Uri(_) => program::uri(value, directive, indent),
                Rare::Iterator(_) => {
                    let all = elements(value).map_err(|error| FormatError::new(error.0))?;
                    convert_at(&Value::Array(all.unwrap_or_default()), formats, indent)
                }
                Rare::SemVer(_) | Rare::SemVerRange(_) => any::any(value, directive),
            },
            _ => scalar(value, directive),
        }
    })
}

/// Formats a value that contains no values.
fn scalar(value: &Value, directive: &Directive) -> Result<String, FormatError> {
    match value {
        Value::Undef => words::undef(directive),
        Value::Default => words::default(directive),
        Value::Boolean(value) => words::boolean(*value, directive),
        Value::Integer(value) => numbers::integer(*value, directive),
        Value::Float(value) => numbers::float(*value, directive),
        Value::String(text) => words::string(text, directive),
        Value::Regexp(regex) => words::regexp(regex, directive),
        Value::Type(type_) => words::type_(type_, directive),
        Value::Binary(bytes) => words::binary(bytes, directive),
        Value::Sensitive(_) | Value::Timestamp(_) | Value::Timespan(_) => {
            any::any(value, directive)
        }
        Value::Array(_) | Value::Hash(_) | Value::Rare(_) => {
            convert_with(value, FormatMap::default_formats())
        }
    }
}
