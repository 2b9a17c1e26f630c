//! HOCON, parsed as `parsehocon` of stdlib and Puppet's `hocon_data` do.
//!
//! A text becomes tokens ([`token`]), then a tree in which every key has all of its values ([`parse()`]), and then the
//! result: later values override earlier ones, substitutions are replaced ([`resolve`]).
//!
//! Nothing is included: an `include` statement is skipped, as it is when the file does not exist.

mod parse;
mod resolve;
mod token;

use super::{Data, RubyError};

/// Parses a document, which is a hash. `environment` supplies substitutions that the document has no value for.
pub fn parse(text: &str, environment: &dyn Fn(&str) -> Option<String>) -> Result<Data, RubyError> {
    let tokens = token::tokens(text);
    let root = parse::document(&tokens)?;
    resolve::resolve(&root, environment)
}

fn parse_error(line: usize, message: &str) -> RubyError {
    RubyError::new("Hocon::ConfigError::ConfigParseError", format!("String: {line}: {message}"))
}
