//! Parameters of classes, defines and resources.

use std::sync::Arc;

use super::super::{StructElement, Type, infer_set, named};
use super::describe::describe;
use super::path::Step;
use super::{Mismatch, MismatchKind, after_subject};
use crate::Value;
use crate::value::Rare;

/// Checks parameters by name: each must exist and match its type, and no required one may be missing.
///
/// A `Deferred` value is checked by the type of its result, which `deferred` returns, or not at all.
pub fn validate_parameters(
    subject: &str,
    parameters: &[StructElement],
    arguments: &[(&str, &Value)],
    missing_ok: bool,
    deferred: &dyn Fn(&Value) -> Option<Type>,
) -> Result<(), ParameterError> {
    let is_parameter = |name: &str| parameters.iter().any(|parameter| parameter.name == name);
    let unknown = arguments.iter().filter(|(name, _)| !is_parameter(name));
    let mut errors: Vec<Mismatch> = unknown
        .map(|(name, _)| Mismatch::new(&[], MismatchKind::InvalidParameter((*name).to_owned())))
        .collect();
    for parameter in parameters {
        let name = parameter.name.to_string();
        match arguments.iter().find(|(other, _)| *other == name) {
            Some((_, value)) => errors.extend(wrong_value(parameter, value, deferred)),
            None if missing_ok || parameter.optional_key => (),
            None => errors.push(Mismatch::new(&[], MismatchKind::MissingParameter(name))),
        }
    }
    match after_subject(subject, &errors) {
        Some(message) => Err(ParameterError { fault: first_fault(&errors), message }),
        None => Ok(()),
    }
}

/// Puppet's message for invalid parameters.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("{message}")]
pub struct ParameterError {
    /// The first error.
    pub fault: ParameterFault,
    /// The message, which lists all errors.
    pub message: String,
}

/// An error in a parameter.
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
        Some(MismatchKind::InvalidParameter(name)) => ParameterFault::Unknown(name.clone()),
        Some(MismatchKind::MissingParameter(name)) => ParameterFault::Missing(name.clone()),
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
