//! Creation of types from parameters, in code and in text that is parsed.
//!
//! Errors are Puppet's messages.

use std::sync::{Arc, LazyLock};

use ecow::EcoString;
use kukla_base::name::segments;

use super::{
    CallableType, FloatRange, IntegerRange, RuntimeType, StructElement, TupleType, Type,
    infer_generic, mismatch,
};
use crate::regex::Regex;
use crate::uri::Uri;
use crate::value::Rare;
use crate::{Hash, Value};
use kukla_rubytext::float;
use kukla_rubytext::semver::VersionRange;

/// Creates the range of `Integer[from, to]`; `default` is no limit.
pub(super) fn integer_range(from: &Value, to: &Value) -> Result<IntegerRange, String> {
    let limit = |value: &Value| if let Value::Integer(limit) = value { Some(*limit) } else { None };
    let range = IntegerRange::new(limit(from), limit(to));
    if range.min > range.max {
        let IntegerRange { min, max, .. } = range;
        return Err(format!("'from' must be less or equal to 'to'. Got ({min}, {max}"));
    }
    Ok(range)
}

/// Creates `Float[from, to]` from numbers and `default`.
pub(super) fn float_range(from: &Value, to: &Value) -> Result<Type, String> {
    let number = |value: &Value, otherwise: f64| match value {
        #[expect(clippy::cast_precision_loss, reason = "that is what Ruby's Float() does")]
        Value::Integer(value) => *value as f64,
        Value::Float(value) => *value,
        _ => otherwise,
    };
    let range = FloatRange { min: number(from, f64::NEG_INFINITY), max: number(to, f64::INFINITY) };
    if range.min > range.max {
        return Err(format!(
            "'from' must be less or equal to 'to'. Got ({}, {}",
            float::to_s(range.min),
            float::to_s(range.max)
        ));
    }
    Ok(Type::Float(range))
}

/// Returns true if a parameter can be a limit of a size.
pub(super) fn is_range_parameter(value: &Value) -> bool {
    match value {
        Value::Integer(_) | Value::Default => true,
        Value::String(text) => text == "default",
        _ => false,
    }
}

/// Takes a size off the end of parameters.
pub(super) fn take_size(parameters: &mut Vec<Value>) -> Result<Option<IntegerRange>, String> {
    let count = parameters.len();
    let is_range = |place: Option<usize>| {
        place.and_then(|place| parameters.get(place)).is_some_and(is_range_parameter)
    };
    let is_last = is_range(count.checked_sub(1));
    if is_last && is_range(count.checked_sub(2)) {
        let range = integer_range(&parameters[count - 2], &parameters[count - 1])?;
        parameters.truncate(count - 2);
        return Ok(Some(range));
    }
    if is_last {
        let range = integer_range(&parameters[count - 1], &Value::Default)?;
        parameters.truncate(count - 1);
        return Ok(Some(range));
    }
    Ok(None)
}

/// Converts a parameter to a type: strings are names of Ruby classes, all remaining values have their own types.
pub(super) fn type_of(value: &Value) -> Result<Type, String> {
    match value {
        Value::Type(type_) => Ok((**type_).clone()),
        Value::String(_) => runtime("ruby".into(), value),
        value => Ok(infer_generic(value)),
    }
}

/// Converts parameters to types.
pub(super) fn types_of(values: &[Value]) -> Result<Vec<Type>, String> {
    values.iter().map(type_of).collect()
}

/// Creates `Struct[{…}]`.
pub(super) fn structure(hash: &Hash) -> Result<Type, String> {
    let elements: Result<Vec<_>, _> = hash.iter().map(|(key, value)| element(key, value)).collect();
    Ok(Type::Struct(elements?.into()))
}

fn element(key: &Value, value: &Value) -> Result<StructElement, String> {
    let value = type_of(value)?;
    let (name, optional_key) = match key {
        Value::String(name) if name.is_empty() => {
            return Err("Struct element key cannot be an empty String".to_owned());
        }
        Value::String(name) => (name.clone(), value.is_assignable(&Type::Undef)),
        Value::Type(type_) => key_of(type_)?,
        key => {
            return Err(format!("{ILLEGAL_KEY}{}", super::access::ruby_class(key)));
        }
    };
    Ok(StructElement { name, optional_key, value })
}

const ILLEGAL_KEY: &str =
    "Illegal Struct member key type. Expected NotUndef, Optional, String, or Enum. Got: ";

/// Converts a key that is written as a type.
fn key_of(key: &Type) -> Result<(EcoString, bool), String> {
    let unable = |key: Option<&Type>| {
        let key = key.map_or_else(String::new, Type::text);
        Err(format!(
            "Unable to extract a non-empty literal string from Struct member key type {key}"
        ))
    };
    match key {
        Type::StringValue(name) => Ok((name.clone(), false)),
        Type::NotUndef(inner) => match inner.as_deref() {
            Some(Type::StringValue(name)) => Ok((name.clone(), false)),
            inner => unable(inner),
        },
        Type::Optional(Some(inner)) => match &**inner {
            Type::StringValue(name) => Ok((name.clone(), true)),
            _ => unable(Some(key)),
        },
        Type::Optional(None) | Type::String(_) => unable(Some(key)),
        Type::Enum(enumeration) => match &enumeration.values[..] {
            [name] => Ok((name.clone(), false)),
            _ => unable(Some(key)),
        },
        key => Err(format!("{ILLEGAL_KEY}{}", super::access::ruby_class_of_type(key))),
    }
}

/// Creates `Callable[…]`.
pub(super) fn callable(parameters: &[Value]) -> Result<Type, String> {
    let (parameters, returns) = match parameters {
        [Value::Array(parameters), returns] => (parameters.as_slice(), Some(type_of(returns)?)),
        parameters => (parameters, None),
    };
    let mut parameters = parameters.to_vec();
    let is_block =
        |value: &Value| matches!(value, Value::Type(type_) if type_.is_kind_of_callable(true));
    let block = if parameters.last().is_some_and(is_block) { parameters.pop() } else { None };
    let size = take_size(&mut parameters)?;
    let mut types: Vec<Type> = types_of(&parameters)?;
    if types.is_empty() && size.is_some_and(|size| size.max > 0) {
        types.push(Type::Unit);
    }
    Ok(Type::Callable(Arc::new(CallableType {
        parameters: Some(TupleType::new(types, size)),
        block: block.as_ref().map(type_of).transpose()?,
        returns: returns.filter(|returns| *returns != Type::Any),
    })))
}

/// Creates `Pattern[…]`; `Err` is the parameter that can't be a regular expression.
pub(super) fn pattern(parameters: &[Value]) -> Result<Type, String> {
    let mut regexps = Vec::new();
    for parameter in parameters {
        match parameter {
            Value::String(text) => regexps.push(regexp(text)?),
            Value::Regexp(regexp) => regexps.push(regexp.clone()),
            Value::Type(type_) => match &**type_ {
                Type::Regexp(inner) => match inner {
                    Some(inner) => regexps.push(inner.clone()),
                    None => regexps.push(regexp("")?),
                },
                Type::Pattern(inner) => regexps.extend(inner.iter().cloned()),
                _ => return Err(not_a_pattern(parameter)),
            },
            other => return Err(not_a_pattern(other)),
        }
    }
    Ok(Type::pattern(regexps))
}

fn not_a_pattern(value: &Value) -> String {
    format!(
        "Only String, Regexp, Pattern-Type, and Regexp-Type are allowed: got '{}",
        super::access::ruby_class(value)
    )
}

/// Compiles a regular expression.
pub(super) fn regexp(text: &str) -> Result<Regex, String> {
    Regex::new(text).map_err(|error| error.to_string())
}

fn no_range(value: &Value) -> String {
    format!("Unable to convert a {} to a SemVerRange", super::access::ruby_class(value))
}

/// Creates `SemVer[ranges]`.
pub(super) fn versions(parameters: &[Value]) -> Result<Type, String> {
    let range = |value: &Value| match value {
        Value::String(text) => VersionRange::parse(text).map_err(|error| error.message),
        Value::Rare(rare) => match &**rare {
            Rare::SemVerRange(range) => Ok(range.clone()),
            _ => Err(no_range(value)),
        },
        value => Err(no_range(value)),
    };
    let ranges = parameters.iter().map(range).collect::<Result<Vec<_>, _>>()?;
    Ok(Type::SemVer(super::versions::merge(ranges).into()))
}

/// Creates `URI[uri]`; `None` if it is neither text nor a hash of parts.
pub(super) fn uri(parameter: &Value) -> Option<Result<Type, String>> {
    match parameter {
        Value::Hash(parts) => {
            let checked =
                mismatch::assert_instance("URI-Type parameter", &URI_PARAMETER, parameter);
            let parts = (!parts.is_empty()).then(|| Arc::clone(parts));
            Some(checked.map(|()| Type::Uri(parts)).map_err(Into::into))
        }
        Value::String(text) if !has_scheme(text) => Some(Err(format!(
            "URI-Type parameter has wrong type, expects a match for Pcore::URI, got '{text}'"
        ))),
        Value::String(text) => {
            let uri = Uri::parse(text).map_err(|error| error.0);
            Some(uri.map(|uri| Type::Uri(uri.parameters().map(Arc::new))))
        }
        Value::Rare(rare) => match &**rare {
            Rare::Uri(uri) => Some(Ok(Type::Uri(uri.parameters().map(Arc::new)))),
            _ => None,
        },
        _ => None,
    }
}

/// The type of the parameter of `URI[…]`.
pub(super) static URI_PARAMETER: LazyLock<Type> = LazyLock::new(|| {
    let text = "Optional[Variant[String[1], Regexp, Type[Pattern], Type[Enum], Type[NotUndef], Type[Undef]]]";
    let port = "Optional[Variant[Integer[0], Type[NotUndef], Type[Undef]]]";
    let part = |name: &str| {
        let type_ = if name == "port" { port } else { text };
        format!("Optional[{name}] => {type_}")
    };
    let names = ["scheme", "userinfo", "host", "port", "path", "query", "fragment", "opaque"];
    let parts = names.map(part).join(", ");
    super::parse(&format!("Variant[String[1], Struct[{{{parts}}}]]"), &super::NoNames)
        .expect("it is written here")
});

/// Returns true if a text contains `scheme:rest`.
fn has_scheme(text: &str) -> bool {
    text.match_indices(':').any(|(place, _)| {
        let is_letter = |letter: char| letter.is_ascii_alphabetic();
        let is_part = |letter: char| letter.is_ascii_alphanumeric() || "-+.".contains(letter);
        let before = text[..place].trim_start_matches(|letter| !is_letter(letter));
        place + 1 < text.len() && !before.is_empty() && before.ends_with(is_part)
    })
}

/// Creates `Runtime[runtime, name]`.
pub(super) fn runtime(runtime: EcoString, name: &Value) -> Result<Type, String> {
    static NAME: LazyLock<Type> = LazyLock::new(|| {
        let text = Type::String(Some(IntegerRange::new(Some(1), None)));
        Type::variant([text.clone(), Type::tuple(vec![Type::Regexp(None), text], None)])
    });
    if !name.is_undef() {
        mismatch::assert_instance("Runtime 'name_or_pattern'", &NAME, name)?;
    }
    let (name, pattern) = match name {
        Value::String(name) => (Some(name.clone()), None),
        Value::Array(parts) => match parts.as_slice() {
            [Value::Regexp(regexp), Value::String(replacement)] => {
                (None, Some((regexp.clone(), replacement.clone())))
            }
            _ => (None, None),
        },
        _ => (None, None),
    };
    Ok(Type::Runtime(Arc::new(RuntimeType { runtime: Some(runtime), name, pattern })))
}

/// Returns true for the name of a type: `Apache::Vhost`.
pub(super) fn is_type_name(name: &str) -> bool {
    let name = name.strip_prefix("::").unwrap_or(name);
    !name.is_empty() && segments(name).all(is_type_segment)
}

fn is_type_segment(segment: &str) -> bool {
    let Some((first, rest)) = segment.as_bytes().split_first() else { return false };
    first.is_ascii_uppercase()
        && rest.iter().all(|letter| letter.is_ascii_alphanumeric() || *letter == b'_')
}
