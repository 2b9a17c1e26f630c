//! Why a value has no text.

use std::fmt;

/// Why a value can't be converted: Puppet's message, without a place.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct FormatError(pub String);

impl FormatError {
    /// An error with these words.
    pub fn new(message: impl Into<String>) -> Self {
        Self(message.into())
    }

    /// A letter that the kind of value does not know.
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
