//! JSON, parsed and written as Ruby's `json` does.
//!
//! Puppet 7 uses the parser that comes with Ruby. It accepts comments and any value at the top; its messages begin with a
//! number (a line of its own source) and quote the text from the innermost array element, or from the value at the top,
//! that contains the error.

mod read;
mod surrogates;
mod write;

#[cfg(test)]
mod tests;

pub use read::{Build, DataBuilder, check, parse, parse_with};
pub use write::{Style, generate, push_string, string};
