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
    pub fn new(text: &str) -> Result<Self, String> { Ok(Self(text.into())) }
    pub fn is_match(&self, text: &str) -> bool { regex_lite::Regex::new(&self.0).is_ok_and(|r| r.is_match(text)) }
    pub fn inspect(&self) -> String { let mut o = String::from("/"); let mut esc=false; for c in self.0.chars() { if c=='/' && !esc { o.push('\\'); } esc = c=='\\' && !esc; o.push(c);} o.push('/'); o }
}
