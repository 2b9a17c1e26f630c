//! Rich data: values as hashes, arrays and scalars that JSON can hold, and back.
//!
//! [`to_data`] is what Puppet's `ToDataConverter` does: `/a/` becomes `{"__ptype": "Regexp", "__pvalue": "a"}`.
//! Without rich data such values become strings, and the caller is told of each ([`Issue`]).
//! [`from_data`] makes values of such hashes again.
//!
//! Invariant: what [`to_data`] returns has but hashes with string keys, arrays, strings, numbers, booleans and
//! `undef` in it.

mod from;
mod from_types;
mod issue;
mod objects;
mod path;
mod to;
mod types;

#[cfg(test)]
mod tests;

pub use from::from_data;
pub use issue::{DataError, Issue};
pub use to::{Options, to_data};

/// The key of a type's name.
const TYPE_KEY: &str = "__ptype";

/// The key of a value that is a string or a list.
const VALUE_KEY: &str = "__pvalue";

/// Deeper data is refused.
const MAX_DEPTH: usize = 1500;
