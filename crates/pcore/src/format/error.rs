//! Errors of formatting.

use std::fmt;

/// Puppet's message for a value that can't be formatted, without a place.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct FormatError(pub String);

impl FormatError {
    /// Creates an error with this message.
    pub fn new(message: impl Into<String>) -> Self {
        Self(message.into())
    }

    /// Creates the error for a letter that the kind of value does not have.
    pub(super) fn illegal(kind: &str, letter: char, expected: &str) -> Self {
        Self(format!(
            "Illegal format '{letter}' specified for value of {kind} type - expected one of the characters '{expected}'"
        ))
    }
}

impl fmt::Display for FormatError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for FormatError {}
