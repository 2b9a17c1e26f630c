//! Regular expressions.

use std::hash::{Hash, Hasher};
use std::sync::{Arc, OnceLock};

/// A regular expression; it is compiled when it is matched for the first time.
#[derive(Clone, Debug)]
pub struct Regex(Arc<Inner>);

#[derive(Debug)]
struct Inner {
    source: Box<str>,
    compiled: OnceLock<Option<regex_lite::Regex>>,
}

/// Why text is no regular expression.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("{0}")]
pub struct RegexError(String);

impl Regex {
    /// Its text, without slashes.
    pub fn source(&self) -> &str {
        &self.0.source
    }

    /// A regular expression from its text.
    pub fn new(source: &str) -> Result<Self, RegexError> {
        Ok(Self(Arc::new(Inner { source: source.into(), compiled: OnceLock::new() })))
    }

    /// Whether it matches somewhere in a text.
    pub fn is_match(&self, text: &str) -> bool {
        // Ruby's `^` and `$` match at line breaks.
        let compile =
            || regex_lite::RegexBuilder::new(&self.0.source).multi_line(true).build().ok();
        self.0.compiled.get_or_init(compile).as_ref().is_some_and(|regex| regex.is_match(text))
    }

    /// With slashes around it, as it is written.
    pub fn inspect(&self) -> String {
        let mut text = String::from("/");
        let mut escaped = false;
        for letter in self.source().chars() {
            if letter == '/' && !escaped {
                text.push('\\');
            }
            escaped = letter == '\\' && !escaped;
            text.push(letter);
        }
        text.push('/');
        text
    }
}

impl PartialEq for Regex {
    fn eq(&self, other: &Self) -> bool {
        self.source() == other.source()
    }
}

impl Eq for Regex {}

impl Hash for Regex {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.source().hash(state);
    }
}
