//! Resources: their types, titles, attributes and tags.

use super::{Code, Issue};

/// `nope { 'a': }`
pub(crate) fn unknown_resource_type(name: &str) -> Issue {
    Issue::new(Code::UNKNOWN_RESOURCE_TYPE, format!("Unknown resource type: '{name}'"))
}

/// `Integer { 'a': }`
pub(crate) fn illegal_resource_type(actual: &dyn std::fmt::Display) -> Issue {
    let message = format!(
        "Illegal Resource Type expression, expected result to be a type name, \
         or untitled Resource, got {actual}"
    );
    Issue::new(Code::ILLEGAL_RESOURCE_TYPE, message)
}

/// `notify { undef: }`
pub(crate) fn undef_title() -> Issue {
    let message = "Missing title. The title expression resulted in undef";
    Issue::new(Code::ILLEGAL_TITLE, message)
}

/// `notify { ['a', undef]: }`
pub(crate) fn undef_title_at(index: usize) -> Issue {
    let message =
        format!("Missing title at index {index}. The title expression resulted in an undef title");
    Issue::new(Code::ILLEGAL_TITLE, message)
}

/// `notify { '': }`
pub(crate) fn empty_title(index: usize) -> Issue {
    let message = format!(
        "Empty string title at {index}. Title strings must have a length greater than zero."
    );
    Issue::new(Code::ILLEGAL_TITLE, message)
}

/// `notify { 1: }`
pub(crate) fn title_type(index: usize, actual: &str) -> Issue {
    let message = format!("Illegal title type at index {index}. Expected String, got {actual}");
    Issue::new(Code::ILLEGAL_TITLE, message)
}

/// `notify { 'a': ; 'a': }`
pub(crate) fn duplicate_title(title: &str) -> Issue {
    let message = format!("The title '{title}' has already been used in this resource expression");
    Issue::new(Code::DUPLICATE_TITLE, message)
}

/// `notify { 'a': message => 'b', * => { message => 'c' } }`
pub(crate) fn duplicate_attribute(name: &str) -> Issue {
    let message = format!("The attribute '{name}' has already been set");
    Issue::new(Code::DUPLICATE_ATTRIBUTE, message)
}

/// A parameter that a function gives twice.
pub(crate) fn duplicate_parameter(name: &str, resource: &str) -> Issue {
    let message = format!("Duplicate parameter '{name}' for on {resource}");
    Issue::new(Code::DUPLICATE_ATTRIBUTE, message)
}

/// `* => 1`
pub(crate) fn attributes_not_hash(actual: &dyn std::fmt::Display) -> Issue {
    let message = format!("Expected value of type Hash, got {actual}");
    Issue::new(Code::ILLEGAL_ATTRIBUTES, message)
}

/// Two resources of one type and title; `at` and `new_at` are where, or empty.
pub(crate) fn duplicate_declaration(resource: &str, at: &str, new_at: &str) -> Issue {
    let at = if at.is_empty() { String::new() } else { format!(" at {at}") };
    let message = format!(
        "Duplicate declaration: {resource} is already declared{at}; cannot redeclare{new_at}"
    );
    Issue::new(Code::DUPLICATE_DECLARATION, message)
}

/// Two resources that are the same to their type.
pub(crate) fn duplicate_alias(resource: &str, to: &str, key: &str, known_at: &str) -> Issue {
    let message =
        format!("Cannot alias {resource} to {to}; resource {key} already declared{known_at}");
    Issue::new(Code::DUPLICATE_ALIAS, message)
}

/// A collected resource that is the same as another: here Puppet shows that it did not expect this.
pub(crate) fn duplicate_alias_of_export(issue: &Issue) -> Issue {
    let message = format!("Puppet::Parser::Compiler failed with error ArgumentError: {issue}");
    Issue::new(Code::DUPLICATE_ALIAS, message)
}

/// A collected resource that the node declares itself.
pub(crate) fn duplicate_export(resource: &str) -> Issue {
    let message = format!(
        "A duplicate resource was found while collecting exported resources, \
         with the type and title {resource}"
    );
    Issue::new(Code::DUPLICATE_EXPORT, message)
}

/// A title that the type does not understand, in the words of the type.
pub(crate) fn title_mismatch(error: &dyn std::error::Error) -> Issue {
    Issue::new(Code::TITLE_MISMATCH, error.to_string())
}

/// `tag => 'a b'`
pub(crate) fn invalid_tag(name: &str) -> Issue {
    Issue::new(Code::INVALID_TAG, format!("Invalid tag '{name}'"))
}

/// `file { '/a': nope => 1 }`; `at` is where, or empty.
pub(crate) fn unknown_parameter(name: &str, at: &str, resource: &str) -> Issue {
    let message = format!("no parameter named '{name}'{at} on {resource}");
    Issue::new(Code::UNKNOWN_PARAMETER, message)
}

/// `create_resources('@class', …)`
pub(crate) fn virtual_class() -> Issue {
    Issue::new(Code::ILLEGAL_RESOURCE_TYPE, "Evaluation Error: Classes are not virtualizable")
}

/// `File['/a']['mode']` where there is no such resource.
pub(crate) fn resource_not_found(type_: &str, title: &str) -> Issue {
    Issue::new(Code::RESOURCE_NOT_FOUND, format!("Resource not found: {type_}['{title}']"))
}

/// `File['/a']['nope']`
pub(crate) fn unknown_attribute(type_: &str, title: &str, name: &str) -> Issue {
    let message =
        format!("The resource {type_}['{title}'] does not have a parameter called '{name}'");
    Issue::new(Code::UNKNOWN_PARAMETER, message)
}

/// `File['/a']['mode']` in code that belongs to no catalog.
pub(crate) fn no_catalog() -> Issue {
    let message = "attributes of resources are not available without a catalog";
    Issue::new(Code::NO_CATALOG, message)
}
