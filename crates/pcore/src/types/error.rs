//! What is wrong with a type, or with a value that is to be of one.

/// Why something is no type, or a value is not of a type, in Puppet's words.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("{0}")]
pub struct TypeError(String);

impl TypeError {
    /// Its message.
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
