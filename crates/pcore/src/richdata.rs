//! Rich data: conversion of values to the hashes, arrays and scalars of JSON, and back.
//!
//! [`to_data`] is Puppet's `ToDataConverter`: `/a/` becomes `{"__ptype": "Regexp", "__pvalue": "a"}`. Without rich data such
//! values become strings, and each is reported to the caller ([`DataLoss`]). [`from_data`] converts such hashes back to values.
//!
//! Invariant: the result of [`to_data`] consists of hashes with string keys, arrays, strings, numbers, Booleans and `undef`.

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
pub use issue::{DataError, DataLoss};
pub use to::{Options, to_data};

/// The key of a type's name.
const TYPE_KEY: &str = "__ptype";

/// The key of a value that is a string or a list.
const VALUE_KEY: &str = "__pvalue";

/// The maximum depth of data.
const MAX_DEPTH: usize = 1500;
