//! Regular expressions as Puppet prints them.
//!
//! Puppet asks Ruby for the options of an expression, one of which is a fixed encoding. So `/é/` is printed as if it had
//! options.

use std::borrow::Cow;

use crate::regex::Regex;

/// Formats an expression between slashes: `/a/`, but `/(?-mix:é)/`.
pub fn delimited(regex: &Regex) -> String {
    if is_tied(regex.source()) { format!("/{}/", regex.to_s()) } else { regex.inspect() }
}

/// Formats an expression without slashes: `a`, but `(?-imx:é)`.
pub fn plain(regex: &Regex) -> Cow<'_, str> {
    let source = regex.source();
    if is_tied(source) { format!("(?-imx:{source})").into() } else { source.into() }
}

/// Returns true if Ruby fixes the encoding: for characters beyond ASCII, as such, by number or by property.
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
