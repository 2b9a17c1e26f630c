//! Descriptions of type mismatches, in Puppet's words.
//!
//! Start at [`describe_mismatch`] for one value, at [`describe_signatures`] for the arguments of a call, and at
//! [`validate_parameters`] for the parameters of a class or resource.
//!
//! A comparison ([`describe`]) gives a list of mismatches, each with its path; equal ones of variants and signatures are
//! merged.

mod describe;
mod merge;
mod message;
mod parameters;
mod path;
mod signatures;

pub use parameters::{ParameterError, ParameterFault, validate_parameters};
pub use signatures::{Signature, describe_signatures};

use path::Step;

use super::{IntegerRange, Type, TypeError, infer_set};
use crate::Value;

/// A mismatch at the end of a path.
#[derive(Clone, Debug)]
struct Mismatch {
    path: Vec<Step>,
    kind: MismatchKind,
}

#[derive(Clone, Debug)]
enum MismatchKind {
    MissingKey(String),
    MissingParameter(String),
    ExtraneousKey(String),
    InvalidParameter(String),
    UnexpectedBlock,
    MissingBlock,
    Unresolved(String),
    Type { expected: Type, actual: Type },
    Pattern { expected: Type, actual: Type },
    Size { expected: IntegerRange, actual: IntegerRange },
    Count { expected: IntegerRange, actual: IntegerRange },
}

impl Mismatch {
    fn new(path: &[Step], kind: MismatchKind) -> Self {
        Self { path: path.to_vec(), kind }
    }

    fn of_type(path: &[Step], expected: &Type, actual: &Type) -> Self {
        let (expected, actual) = (expected.normalize(), actual.normalize());
        Self::new(path, MismatchKind::Type { expected, actual })
    }
}

/// Describes why values of one type are not of another; empty if they are.
///
/// `subject` is at the start: `f(): parameter 'a' expects …`.
pub fn describe_mismatch(subject: &str, expected: &Type, actual: &Type) -> String {
    let path = [Step::Subject(subject.to_owned())];
    let errors = describe::describe(expected, actual, &path);
    match &errors[..] {
        [] => String::new(),
        [error] => error.format().trim().to_owned(),
        errors => join(errors),
    }
}

/// Describes why a value is not of a type, as an assertion: `subject has wrong type, expects …`.
pub fn assertion(subject: &str, expected: &Type, value: &Value) -> String {
    describe_mismatch(&format!("{subject} has wrong type,"), expected, &infer_set(value))
}

/// Fails if a value is not of a type.
pub fn assert_instance(subject: &str, expected: &Type, value: &Value) -> Result<(), TypeError> {
    match expected.is_instance(value) {
        true => Ok(()),
        false => Err(assertion(subject, expected, value).into()),
    }
}

fn join(errors: &[Mismatch]) -> String {
    errors.iter().map(Mismatch::format).collect::<Vec<_>>().join("\n ")
}

/// Formats `subject: error`, or all errors, one per line.
fn after_subject(subject: &str, errors: &[Mismatch]) -> Option<String> {
    match errors {
        [] => None,
        [error] => Some(format!("{subject}:{}", error.format())),
        errors => Some(format!("{subject}:\n {}", join(errors))),
    }
}
