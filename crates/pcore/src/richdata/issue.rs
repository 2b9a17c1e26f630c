//! Losses of conversions to strings, and errors that stop a conversion.

use std::fmt;

/// A loss, because there is no rich data.
///
/// Puppet reports it as an error, a warning or not at all, depending on its setting `strict`.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum DataLoss {
    /// `default` becomes a string.
    Default {
        /// Its path.
        path: String,
    },
    /// A value that is not data becomes a string.
    Value {
        /// Its path.
        path: String,
        /// Its class in messages.
        class: String,
        /// The string that replaces it.
        text: String,
    },
    /// A key that is not a string becomes one.
    Key {
        /// The path of the hash.
        path: String,
        /// The class of the key in messages.
        class: String,
        /// The string that replaces it.
        text: String,
    },
}

impl fmt::Display for DataLoss {
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

/// Puppet's message for a failed conversion, without a place.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum DataError {
    /// The value is nested too deeply, in Ruby's words.
    #[error("stack level too deep")]
    TooDeep,
    /// Any other error.
    #[error("{0}")]
    Refused(String),
}
