//! Regular expressions with Ruby's meaning.

use std::sync::Arc;

/// A regular expression.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Regex(Arc<str>);

#[allow(missing_docs)]
impl Regex {
    /// Its text, without slashes.
    pub fn source(&self) -> &str {
        &self.0
    }
    pub fn new(s: &str) -> Result<Self, String> {
        Ok(Self(s.into()))
    }
    pub fn captures(&self, _s: &str, _at: usize) -> Result<Option<Captures>, String> {
        Ok(None)
    }
}
#[allow(missing_docs, missing_debug_implementations)]
pub struct Captures;
#[allow(missing_docs)]
impl Captures {
    pub fn len(&self) -> usize {
        0
    }
    pub fn text(&self, _n: usize) -> Option<&str> {
        None
    }
}
