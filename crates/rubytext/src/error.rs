//! An exception that Ruby would raise.

/// What Ruby says when it can't do what it is asked: the class of the exception and its message.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct RubyError {
    /// The name of the exception's class, e.g. `ArgumentError`.
    pub class: &'static str,
    /// Its message.
    pub message: String,
}

impl RubyError {
    /// An error of any class.
    pub fn new(class: &'static str, message: impl Into<String>) -> Self {
        Self { class, message: message.into() }
    }

    /// The most frequent class.
    pub fn argument(message: impl Into<String>) -> Self {
        Self::new("ArgumentError", message)
    }

    /// A value of the wrong type.
    pub fn type_(message: impl Into<String>) -> Self {
        Self::new("TypeError", message)
    }
}
