//! Catalogs: what a node gets, Kukla's beside real Puppet's.
//!
//! A question is a JSON object with the keys of `kukla compile --jsonl`; both sides answer with the same keys.
//! [`normal()`] takes out what differs by itself, [`difference()`] says where two answers part and why, [`kukla`] and
//! the oracle's `compile.rb` are the two sides. Small cases of our own stand in Markdown ([`spec`]). Those made of
//! Debian's modules ([`corpus`]) are kept as [`digests`]; [`score`] counts them, and [`origins`] follows their values.

mod blank;
pub mod corpus;
pub mod difference;
pub mod digests;
pub mod environment;
pub mod kept;
pub mod kukla;
pub mod markdown;
pub mod normal;
pub mod origins;
pub mod score;
mod shown;
pub mod spec;
#[cfg(test)]
mod tests;

pub use difference::{Cause, difference};
pub use kukla::Kukla;
pub use normal::normal;

/// The script of the oracle that compiles.
pub const ORACLE: &str = "compile.rb";
