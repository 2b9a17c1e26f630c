//! Text formats and conversions that Puppet leaves to Ruby.
//!
//! The results become file contents on servers, so every function answers as Ruby 3.1 and Puppet 7.23 do, to the last byte,
//! and fails with their messages ([`RubyError`]).
//!
//! Invariant: nothing here uses values or types of Puppet. Functions work on primitives, on [`Data`], or on a small trait.

pub mod base64;
pub mod bigint;
pub mod case;
mod case_table;
pub mod crypt;
pub mod data;
pub mod digest;
pub mod error;
pub mod float;
pub mod hocon;
pub mod inspect;
pub mod integer;
pub mod ip;
pub mod json;
pub mod msgpack;
mod printable;
pub mod random;
pub mod scanf;
pub mod semver;
pub mod shell;
pub mod sprintf;
pub mod time;
pub mod toml;
pub mod tree;
pub mod uri;
pub mod versioncmp;
pub mod yaml;

pub use bigint::{BigInt, RubyInteger};
pub use data::Data;
pub use error::RubyError;
