//! Names of values in messages.

use std::borrow::Cow;

use super::super::{Type, infer_generic};
use crate::Value;
use crate::value::Rare;

/// Returns the name of a value in messages: `String`, `Undef Value`, `Integer-Type`.
pub fn label(value: &Value) -> String {
    match value {
        Value::Undef => "Undef Value".to_owned(),
        Value::Default => "Object".to_owned(),
        Value::Boolean(_) => "Boolean".to_owned(),
        Value::Integer(_) => "Integer".to_owned(),
        Value::Float(_) => "Float".to_owned(),
        Value::String(_) => "String".to_owned(),
        Value::Array(_) => "Array".to_owned(),
        Value::Hash(_) => "Hash".to_owned(),
        Value::Regexp(_) => "Regexp".to_owned(),
        Value::Sensitive(_) => "Sensitive".to_owned(),
        Value::Binary(_) => "Binary".to_owned(),
        Value::Timestamp(_) => "Timestamp".to_owned(),
        Value::Timespan(_) => "Timespan".to_owned(),
        Value::Rare(rare) => match &**rare {
            Rare::SemVer(_) => "Semver".to_owned(),
            Rare::SemVerRange(_) => "SemverRange".to_owned(),
            _ => "Object".to_owned(),
        },
        Value::Type(type_) => match &**type_ {
            Type::Resource(resource) if resource.title.is_some() => {
                format!("{} Resource-Reference", type_.text())
            }
            type_ => format!("{}-Type", type_.text()),
        },
    }
}

/// Prefixes an indefinite article: `an Integer`.
pub fn a_an(label: &str) -> String {
    format!("{} {label}", article(label))
}

/// Returns `a` or `an`; a quote at the start is skipped.
pub fn article(label: &str) -> &'static str {
    let first = label.chars().find(|&first| first != '"' && first != '\'');
    match first.map(|first| first.to_ascii_lowercase()) {
        Some('a' | 'e' | 'i' | 'o' | 'u' | 'y') => "an",
        _ => "a",
    }
}

/// Capitalizes the first letter.
pub(super) fn capital(text: &str) -> String {
    let mut letters = text.chars();
    letters.next().map(|first| first.to_ascii_uppercase()).into_iter().chain(letters).collect()
}

/// Returns the type of an invalid key.
pub(super) fn type_name(value: &Value) -> String {
    infer_generic(value).text()
}

/// Returns the Ruby class of a value in Puppet, for messages.
pub fn ruby_class(value: &Value) -> Cow<'static, str> {
    Cow::Borrowed(match value {
        Value::Undef => "NilClass",
        Value::Default => "Symbol",
        Value::Boolean(true) => "TrueClass",
        Value::Boolean(false) => "FalseClass",
        Value::Integer(_) => "Integer",
        Value::Float(_) => "Float",
        Value::String(_) => "String",
        Value::Array(_) => "Array",
        Value::Hash(_) => "Hash",
        Value::Regexp(_) => "Regexp",
        Value::Type(type_) => return ruby_class_of_type(type_).into(),
        Value::Sensitive(_) => "Puppet::Pops::Types::PSensitiveType::Sensitive",
        Value::Binary(_) => "Puppet::Pops::Types::PBinaryType::Binary",
        Value::Timestamp(_) => "Puppet::Pops::Time::Timestamp",
        Value::Timespan(_) => "Puppet::Pops::Time::Timespan",
        Value::Rare(rare) => match &**rare {
            Rare::Object(object) if object.type_.name.as_deref() == Some("Error") => {
                "Puppet::DataTypes::Error"
            }
            Rare::Object(object) => return object.type_.label().to_owned().into(),
            Rare::Iterator(iterator) => iterator.class_name(),
            Rare::SemVer(_) => "SemanticPuppet::Version",
            Rare::SemVerRange(_) => "SemanticPuppet::VersionRange",
            Rare::Uri(uri) => uri.class_name(),
        },
    })
}

/// Returns the Ruby class of a type.
pub fn ruby_class_of_type(type_: &Type) -> String {
    let name = match type_ {
        Type::Object(_) => "Object",
        Type::ObjectExtension(_) => return "Puppet::Pops::Types::PObjectTypeExtension".to_owned(),
        type_ => type_.simple_name(),
    };
    format!("Puppet::Pops::Types::P{name}Type")
}
