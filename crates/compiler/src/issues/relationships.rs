//! References, relationships, collectors, defaults and overrides.

use kukla_base::Symbol;
use kukla_pcore::{Type, Value};

use super::{Code, Issue};
use crate::interpreter::label;

/// Returns the text that Puppet shows for the class or define that set a parameter, without the address in it.
const SOURCE: &str = "#<Puppet::Resource::Type>";

/// `require => 'nonsense'`
pub(crate) fn illegal_reference(shown: &str) -> Issue {
    let message = format!("No title provided and {shown} is not a valid resource reference");
    Issue::new(Code::ILLEGAL_REFERENCE, message)
}

/// `1 -> File['/a']`
pub(crate) fn illegal_operand_value(value: &Value) -> Issue {
    let message = format!(
        "Illegal relationship operand, can not form a relationship with {}. \
         A Catalog type is required.",
        label::a_an(value)
    );
    Issue::new(Code::ILLEGAL_RELATIONSHIP_OPERAND, message)
}

/// `Integer -> File['/a']`
pub(crate) fn illegal_operand_type(type_: &Type) -> Issue {
    let message = format!(
        "Illegal relationship operand, can not form a relationship with something of type \
         {type_}. A Catalog type is required."
    );
    Issue::new(Code::ILLEGAL_RELATIONSHIP_OPERAND, message)
}

/// `File['/nope'] -> File['/a']`
pub(crate) fn unknown_source(source: &str, target: &str) -> Issue {
    let message = format!("Could not find resource '{source}' for relationship on '{target}'");
    Issue::new(Code::UNKNOWN_RESOURCE, message)
}

/// `File['/a'] -> File['/nope']`
pub(crate) fn unknown_target(source: &str, target: &str) -> Issue {
    let message = format!("Could not find resource '{target}' for relationship from '{source}'");
    Issue::new(Code::UNKNOWN_RESOURCE, message)
}

/// `require => File['/nope']`
pub(crate) fn unknown_in_parameter(resource: &str, parameter: Symbol) -> Issue {
    let message = format!("Could not find resource '{resource}' in parameter '{parameter}'");
    Issue::new(Code::UNKNOWN_RESOURCE, message)
}

/// `realize(File['/nope'])`
pub(crate) fn not_realized(resources: &[String]) -> Issue {
    let message = format!("Failed to realize virtual resources {}", resources.join(", "));
    Issue::new(Code::UNKNOWN_RESOURCE, message)
}

/// `File['/nope'] { mode => '0644' }`
pub(crate) fn not_overridden(resources: &[String]) -> Issue {
    let message = format!("Could not find resource(s) {} for overriding", resources.join(", "));
    Issue::new(Code::UNKNOWN_RESOURCE, message)
}

/// `File { mode => '0644' } File { mode => '0600' }`
pub(crate) fn duplicate_resource_default(type_: Symbol, name: &str) -> Issue {
    let message = format!("Default already defined for {type_} {{ {name} }}; cannot redefine");
    Issue::new(Code::DUPLICATE_RESOURCE_DEFAULT, message)
}

/// `Integer[1] { }`
pub(crate) fn override_of_no_resource(value: &Value) -> Issue {
    let message =
        format!("Resource Override can only operate on resources, got: {}", label::label(value));
    Issue::new(Code::ILLEGAL_OVERRIDE, message)
}

/// An override by what does not inherit the class of the resource.
pub(crate) fn override_not_inherited() -> Issue {
    Issue::new(Code::OVERRIDE_NOT_INHERITED, "Only subclasses can override parameters")
}

/// An override of a resource whose code has been evaluated; `at` is where it was declared, or empty.
pub(crate) fn override_after_evaluation(at: &str) -> Issue {
    let message = match at.is_empty() {
        true => "Attempt to override an already evaluated resource with new values".to_owned(),
        false => format!(
            "Attempt to override an already evaluated resource, defined at {at}, with new values"
        ),
    };
    Issue::new(Code::OVERRIDE_AFTER_EVALUATION, message)
}

/// An override of a parameter that has a value; `at` is where it was set, or empty.
pub(crate) fn parameter_already_set(name: &str, resource: &str, at: &str) -> Issue {
    let at = if at.is_empty() { String::new() } else { format!(" at {at}") };
    let message =
        format!("Parameter '{name}' is already set on {resource} by {SOURCE}{at}; cannot redefine");
    Issue::new(Code::PARAMETER_ALREADY_SET, message)
}

/// `Class <| |>`
pub(crate) fn classes_not_collectable() -> Issue {
    Issue::new(Code::CLASSES_NOT_COLLECTABLE, "Classes cannot be collected")
}

/// `Nope <| |>`
pub(crate) fn unknown_collected_type(name: &str) -> Issue {
    Issue::new(Code::UNKNOWN_RESOURCE_TYPE, format!("Resource type {name} doesn't exist"))
}

/// `File <| tag == 1 |>`
pub(crate) fn number_as_tag() -> Issue {
    Issue::new(Code::ILLEGAL_QUERY, "Cannot transform a number to a tag")
}

/// `File <| mode == 1 + 1 |>`
pub(crate) fn illegal_query(class: &str) -> Issue {
    let message = format!("Cannot transform object of class Puppet::Pops::Model::{class}");
    Issue::new(Code::ILLEGAL_QUERY, message)
}

/// A collector whose tree has no query.
pub(crate) fn not_a_query() -> Issue {
    Issue::new(Code::ILLEGAL_QUERY, "not a query")
}
