//! HOCON, parsed as `parsehocon` of stdlib and Puppet's `hocon_data` do.
//!
//! A text becomes tokens ([`token`]), then a tree in which every key has all of its values ([`parse()`]), and then the
//! result: later values override earlier ones, substitutions are replaced ([`resolve`]).
//!
//! Nothing is included: an `include` statement is skipped, as it is when the file does not exist, or refused.

mod parse;
mod resolve;
mod token;

use super::{Data, RubyError};
use token::TokenKind;

/// An error of a document, in the words of the gem `hocon`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HoconError {
    class: &'static str,
    /// The line, if the gem says one.
    pub line: Option<usize>,
    /// The message without the line.
    pub message: String,
}

impl From<HoconError> for RubyError {
    fn from(error: HoconError) -> Self {
        let place = error.line.map(|line| format!("String: {line}: ")).unwrap_or_default();
        Self::new(error.class, place + &error.message)
    }
}

/// The treatment of statements that include a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Includes {
    /// They are passed over, as the gem does if the file does not exist.
    Skipped,
    /// They are errors.
    Refused,
}

/// Parses a document, which is a hash. `environment` supplies substitutions that the document has no value for.
pub fn parse(text: &str, environment: &dyn Fn(&str) -> Option<String>) -> Result<Data, RubyError> {
    Ok(read(text, environment, Includes::Skipped)?)
}

/// Like [`parse()`], but the caller decides about includes, and an error has its line apart from its message.
pub fn read(
    text: &str,
    environment: &dyn Fn(&str) -> Option<String>,
    includes: Includes,
) -> Result<Data, HoconError> {
    let tokens = token::tokens(text);
    let root = parse::document(&tokens, includes)?;
    resolve::resolve(&root, environment)
}

/// Returns the lines on which a key has a text for its value, with these texts, in their order.
pub fn lines(text: &str, key: &str) -> Vec<(String, usize)> {
    let tokens = token::tokens(text);
    let mut found = Vec::new();
    for (n, token) in tokens.iter().enumerate() {
        let is_key =
            matches!(&token.kind, TokenKind::Bare(word) | TokenKind::Quoted(word) if word == key);
        let rest = tokens[n + 1..].iter().map(|token| &token.kind);
        let mut rest = rest.skip_while(|kind| matches!(kind, TokenKind::Space(_)));
        if is_key && matches!(rest.next(), Some(TokenKind::Mark(":" | "="))) {
            found.push((texts(rest), token.line));
        }
    }
    found
}

/// Joins the texts of a value.
fn texts<'a>(tokens: impl Iterator<Item = &'a TokenKind>) -> String {
    let mut out = String::new();
    for token in tokens {
        match token {
            TokenKind::Space(text) | TokenKind::Bare(text) | TokenKind::Quoted(text) => {
                out.push_str(text);
            }
            _ => break,
        }
    }
    out.trim().to_owned()
}

fn parse_error(line: usize, message: &str) -> HoconError {
    let class = "Hocon::ConfigError::ConfigParseError";
    HoconError { class, line: Some(line), message: message.to_owned() }
}

fn error(class: &'static str, message: impl Into<String>) -> HoconError {
    HoconError { class, line: None, message: message.into() }
}
