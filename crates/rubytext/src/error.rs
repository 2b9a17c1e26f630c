//! Exceptions that Ruby would raise.

/// A Ruby exception: its class and its message.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct RubyError {
    /// The name of the class, such as `ArgumentError`.
    pub class: &'static str,
    /// Its message.
    pub message: String,
}

impl RubyError {
    /// Creates an error of any class.
    pub fn new(class: &'static str, message: impl Into<String>) -> Self {
        Self { class, message: message.into() }
    }

    /// Creates an `ArgumentError`.
    pub fn argument(message: impl Into<String>) -> Self {
        Self::new("ArgumentError", message)
    }

    /// Creates a `TypeError`.
    pub fn type_(message: impl Into<String>) -> Self {
        Self::new("TypeError", message)
    }
}
