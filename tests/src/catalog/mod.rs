//! Catalogs of nodes, compared between Kukla and real Puppet.
//!
//! A question is a JSON object with the keys of `kukla compile --jsonl`; both sides answer with the same keys.
//! [`normal()`] removes differences without meaning, [`difference()`] finds where two answers differ and why, [`kukla`]
//! and the oracle's `compile.rb` are the two sides. Small cases of our own are in Markdown ([`spec`]). Those of Debian's
//! modules ([`corpus`]) are stored as [`digests`]; [`score`] counts them, and [`origins`] follows their values.

pub mod answer_cache;
mod blank;
pub mod corpus;
pub mod difference;
pub mod digests;
pub mod environment;
mod examples;
pub mod kukla;
pub mod markdown;
pub mod normal;
pub mod origins;
pub mod score;
pub mod spec;
#[cfg(test)]
mod tests;

pub use difference::{Cause, difference};
pub use kukla::Kukla;
pub use normal::normal;

/// The script of the oracle that compiles.
pub const ORACLE: &str = "compile.rb";
