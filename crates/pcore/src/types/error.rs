//! Errors in types, and in values that are to be of one.

/// Puppet's message for an invalid type, or for a value that is not of a type.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("{0}")]
pub struct TypeError(String);

impl TypeError {
    /// Returns its message.
    pub fn message(&self) -> &str {
        &self.0
    }
}

impl From<String> for TypeError {
    fn from(message: String) -> Self {
        Self(message)
    }
}

impl From<TypeError> for String {
    fn from(error: TypeError) -> Self {
        error.0
    }
}
