//! Values and types of the Puppet language, and the text forms they have.
//!
//! A [`Value`] is what an expression evaluates to; a [`Type`] says which values are meant.
//! Both are immutable and cheap to clone, and both can be keys of a [`struct@Hash`].
//!
//! Text that Puppet leaves to Ruby (numbers, times, JSON, YAML …) is read and written by the crate `kukla_rubytext`.
//!
//! Invariant: nothing here evaluates Puppet code, reads files or prints.

pub mod convert;
pub mod data;
pub mod digest;
pub mod elements;
pub mod format;
pub mod hash;
pub mod iterator;
mod object;
pub mod quote;
pub mod regexps;
pub mod richdata;
pub mod ruby;
pub mod text;
pub mod time;
pub mod tree;
pub mod types;
pub mod uri;
pub mod value;

pub use hash::Hash;
pub use kukla_regex as regex;
pub use types::Type;
pub use value::Value;
