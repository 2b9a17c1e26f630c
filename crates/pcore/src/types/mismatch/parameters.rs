//! Parameters of classes, defines and resources.

use std::sync::Arc;

use super::super::{StructElement, Type, infer_set, named};
use super::describe::describe;
use super::path::Step;
use super::{Kind, Mismatch, after_subject};
use crate::Value;
use crate::value::Rare;

/// Checks parameters by name: each must be known and of its type, and none that is required may be missing.
///
/// A `Deferred` value is checked by the type of its result, which `deferred` knows, or not at all.
pub fn validate_parameters(
    subject: &str,
    parameters: &[StructElement],
    given: &[(&str, &Value)],
    missing_ok: bool,
    deferred: &dyn Fn(&Value) -> Option<Type>,
) -> Result<(), ParameterError> {
    let known = |name: &str| parameters.iter().any(|parameter| parameter.name == name);
    let unknown = given.iter().filter(|(name, _)| !known(name));
    let mut errors: Vec<Mismatch> = unknown
        .map(|(name, _)| Mismatch::new(&[], Kind::InvalidParameter((*name).to_owned())))
        .collect();
    for parameter in parameters {
        let name = parameter.name.to_string();
        match given.iter().find(|(other, _)| *other == name) {
            Some((_, value)) => errors.extend(wrong_value(parameter, value, deferred)),
            None if missing_ok || parameter.optional_key => (),
            None => errors.push(Mismatch::new(&[], Kind::MissingParameter(name))),
        }
    }
    match after_subject(subject, &errors) {
        Some(message) => Err(ParameterError { fault: first_fault(&errors), message }),
        None => Ok(()),
    }
}

/// What is wrong with parameters, in Puppet's words.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("{message}")]
pub struct ParameterError {
    /// The first fault.
    pub fault: ParameterFault,
    /// The message, which lists all of them.
    pub message: String,
}

/// What is wrong with a parameter.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum ParameterFault {
    /// There is no parameter of this name.
    Unknown(String),
    /// It has no value.
    Missing(String),
    /// Its value is not of its type.
    Type,
}

fn first_fault(errors: &[Mismatch]) -> ParameterFault {
    match errors.first().map(|error| &error.kind) {
        Some(Kind::InvalidParameter(name)) => ParameterFault::Unknown(name.clone()),
        Some(Kind::MissingParameter(name)) => ParameterFault::Missing(name.clone()),
        _ => ParameterFault::Type,
    }
}

fn wrong_value(
    parameter: &StructElement,
    value: &Value,
    deferred: &dyn Fn(&Value) -> Option<Type>,
) -> Vec<Mismatch> {
    let path = [Step::Parameter(parameter.name.to_string())];
    let expected = &parameter.value;
    if is_deferred(value) {
        return match deferred(value) {
            Some(result) if !expected.generalize().is_assignable(&result.generalize()) => {
                describe(expected, &result, &path)
            }
            _ => Vec::new(),
        };
    }
    match expected.is_instance(value) {
        true => Vec::new(),
        false => describe(expected, &infer_set(value), &path),
    }
}

fn is_deferred(value: &Value) -> bool {
    let Value::Rare(rare) = value else { return false };
    matches!(&**rare, Rare::Object(object) if Arc::ptr_eq(&object.type_, &named::deferred()))
}
