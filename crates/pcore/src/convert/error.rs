//! Errors of conversions.

use std::fmt;

use crate::format::FormatError;
use crate::uri::UriError;
use kukla_rubytext::RubyError;

/// Puppet's message for a failed conversion, without a place.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ConvertError(pub String);

impl ConvertError {
    /// Creates an error with this message.
    pub fn new(message: impl Into<String>) -> Self {
        Self(message.into())
    }

    /// Creates an error for an integer of more than 64 bits, which Puppet has only here.
    pub(super) fn out_of_range(value: impl fmt::Display) -> Self {
        Self(format!("{value} is outside of the range of Integer"))
    }
}

impl fmt::Display for ConvertError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for ConvertError {}

impl From<FormatError> for ConvertError {
    fn from(error: FormatError) -> Self {
        Self(error.0)
    }
}

impl From<RubyError> for ConvertError {
    fn from(error: RubyError) -> Self {
        Self(error.message)
    }
}

impl From<UriError> for ConvertError {
    fn from(error: UriError) -> Self {
        Self(error.0)
    }
}
