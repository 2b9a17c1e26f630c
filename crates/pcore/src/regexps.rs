//! Regular expressions as Puppet shows them.
//!
//! Puppet asks Ruby for the options of an expression, and one of them is that it is tied to Unicode.
//! So `/é/` is shown as if somebody had switched options.

use std::borrow::Cow;

use crate::regex::Regex;

/// Between slashes: `/a/`, but `/(?-mix:é)/`.
pub fn delimited(regex: &Regex) -> String {
    if is_tied(regex.source()) { format!("/{}/", regex.to_s()) } else { regex.inspect() }
}

/// Without slashes: `a`, but `(?-imx:é)`.
pub fn plain(regex: &Regex) -> Cow<'_, str> {
    let source = regex.source();
    if is_tied(source) { format!("(?-imx:{source})").into() } else { source.into() }
}

/// Whether Ruby ties an expression to Unicode: it has characters beyond ASCII, or asks for some by number or property.
fn is_tied(source: &str) -> bool {
    let mut characters = source.chars();
    while let Some(character) = characters.next() {
        let is_unicode = match character {
            '\\' => characters
                .next()
                .is_some_and(|escaped| matches!(escaped, 'u' | 'p' | 'P') || !escaped.is_ascii()),
            character => !character.is_ascii(),
        };
        if is_unicode {
            return true;
        }
    }
    false
}
