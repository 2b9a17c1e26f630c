//! The methods of Ruby's `String` that take a regular expression.

mod replace;
mod split;

pub use replace::{ReplaceError, Scanned};
