//! JSON, read and written as Ruby's `json` does it.
//!
//! Puppet 7 reads JSON with the parser that comes with Ruby. It takes comments and any value at the top; its messages
//! begin with a number (a line of its own source) and quote the rest of the text from the innermost array element, or
//! from the value at the top, in which something is wrong.

mod read;
mod surrogates;
mod write;

#[cfg(test)]
mod tests;

pub use read::{Build, DataBuilder, check, parse, parse_with};
pub use write::{Style, generate, push_string, string};
