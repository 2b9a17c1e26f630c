//! What is lost when values become strings, and what stops a conversion.

use std::fmt;

/// Something that is lost because there is no rich data.
///
/// Puppet takes it for an error, a warning or nothing, as its setting `strict` says.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Issue {
    /// `default` becomes a string.
    Default {
        /// Where it is.
        path: String,
    },
    /// A value that is not data becomes a string.
    Value {
        /// Where it is.
        path: String,
        /// What it is.
        class: String,
        /// What becomes of it.
        text: String,
    },
    /// A key that is not a string becomes one.
    Key {
        /// Where the hash is.
        path: String,
        /// What it is.
        class: String,
        /// What becomes of it.
        text: String,
    },
}

impl fmt::Display for Issue {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Default { path } => write!(
                f,
                "{path} contains the special value default. It will be converted to the String 'default'"
            ),
            Self::Value { path, class, text } => write!(
                f,
                "{path} contains {} value. It will be converted to the String '{text}'",
                with_article(class)
            ),
            Self::Key { path, class, text } => write!(
                f,
                "{path} contains a hash with {} key. It will be converted to the String '{text}'",
                with_article(class)
            ),
        }
    }
}

fn with_article(class: &str) -> String {
    let is_vowel = |c: char| "aeiouAEIOU".contains(c);
    format!("{} {class}", if class.starts_with(is_vowel) { "an" } else { "a" })
}

/// Why there is no data, or no value: Puppet's message, without a place.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum DataError {
    /// The value is nested too deeply, in Ruby's words.
    #[error("stack level too deep")]
    TooDeep,
    /// Anything else.
    #[error("{0}")]
    Refused(String),
}
