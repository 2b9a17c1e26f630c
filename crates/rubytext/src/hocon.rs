//! HOCON, read as `parsehocon` of stdlib and Puppet's `hocon_data` do it.
//!
//! A text becomes tokens ([`token`]), then a tree in which every key has all the values that were given to it ([`parse()`]),
//! and then the result: later values over earlier ones, substitutions replaced ([`resolve`]).
//!
//! Nothing is included: a statement that includes a file is passed over, as it is when the file does not exist.

mod parse;
mod resolve;
mod token;

use super::{Data, RubyError};

/// Reads a document, which is a hash. `environment` is asked for substitutions that the document has no value for.
pub fn parse(text: &str, environment: &dyn Fn(&str) -> Option<String>) -> Result<Data, RubyError> {
    let tokens = token::tokens(text);
    let root = parse::document(&tokens)?;
    resolve::resolve(&root, environment)
}

fn parse_error(line: usize, message: &str) -> RubyError {
    RubyError::new("Hocon::ConfigError::ConfigParseError", format!("String: {line}: {message}"))
}
