//! Regular expressions with Ruby's meaning.

use std::sync::Arc;

/// A regular expression.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Regex(Arc<str>);

impl Regex {
    /// Its text, without slashes.
    pub fn source(&self) -> &str {
        &self.0
    }
}
