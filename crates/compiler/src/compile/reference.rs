//! References to resources and classes: values such as `File['/tmp']` and `Class['ntp']`.

use std::sync::Arc;

use ecow::EcoString;
use kukla_pcore::types::{ResourceType, capitalize_segments};
use kukla_pcore::{Type, Value};

/// `Type[title]`
pub(crate) fn resource(type_: &str, title: impl Into<EcoString>) -> Type {
    Type::resource(Some(type_.into()), Some(title.into()))
}

/// Returns a reference to a resource as a parameter has it.
pub(crate) fn given_resource(type_: &str, title: EcoString) -> Type {
    let (name, title) = (Some(type_.into()), Some(title));
    Type::Resource(Arc::new(ResourceType { name, title, is_parameter_value: true }))
}

/// `Class[name]`
pub(crate) fn class(name: impl Into<EcoString>) -> Type {
    Type::Class(Some(name.into()))
}

/// The name of a type of resources, if no title is named.
pub(crate) fn untitled(type_: &Type) -> Option<&EcoString> {
    match type_ {
        Type::Resource(reference) if reference.title.is_none() => reference.name.as_ref(),
        _ => None,
    }
}

/// The type and title of a reference to a resource that is no class.
pub(crate) fn named_resource(value: &Value) -> Option<(EcoString, EcoString)> {
    let Value::Type(type_) = value else { return None };
    match &**type_ {
        Type::Resource(reference) => {
            let name = reference.name.clone().filter(|name| !name.eq_ignore_ascii_case("class"))?;
            Some((name, reference.title.clone().unwrap_or_default()))
        }
        _ => None,
    }
}

/// `File[/tmp]`, of a value that is a reference to a resource or class.
pub(crate) fn text(value: &Value) -> Option<EcoString> {
    match value {
        Value::Type(type_) => text_of(type_),
        _ => None,
    }
}

/// Returns the text of a type that is a reference.
pub(crate) fn text_of(type_: &Type) -> Option<EcoString> {
    match type_ {
        Type::Resource(reference) => {
            let title = reference.title.as_deref().unwrap_or_default();
            Some(bracketed(reference.name.as_ref()?, title))
        }
        Type::Class(Some(name)) => {
            let name = name.strip_prefix("::").unwrap_or(name);
            Some(bracketed("Class", &capitalize_segments(name)))
        }
        _ => None,
    }
}

/// Whether a value is a reference to a resource or class.
pub(crate) fn is_reference(value: &Value) -> bool {
    let Value::Type(type_) = value else { return false };
    match &**type_ {
        Type::Resource(reference) => reference.name.is_some(),
        Type::Class(name) => name.is_some(),
        _ => false,
    }
}

/// `name[title]`
pub(crate) fn bracketed(name: &str, title: &str) -> EcoString {
    // An `EcoString` asks with every piece whether it is shared; this is copied once instead.
    let mut text = String::with_capacity(name.len() + title.len() + 2);
    write(name, title, &mut text);
    text.as_str().into()
}

/// Appends a reference to a text.
pub(crate) fn write(name: &str, title: &str, text: &mut String) {
    for piece in [name, "[", title, "]"] {
        text.push_str(piece);
    }
}
