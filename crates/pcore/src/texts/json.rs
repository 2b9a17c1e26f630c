//! JSON, read and written as Ruby's `json` does it.

mod read;
mod write;

pub use read::{Build, DataBuilder, parse, parse_with};
pub use write::{Style, generate, push_string};
