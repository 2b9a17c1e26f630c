//! Values and types of the Puppet language, and their text forms.
//!
//! A [`Value`] is the result of an expression; a [`Type`] describes a set of values. Both are immutable and cheap to clone,
//! and both can be keys of a [`struct@Hash`].
//!
//! The crate `kukla_rubytext` has the text formats that Puppet leaves to Ruby (numbers, times, JSON, YAML …).
//!
//! Invariant: nothing here evaluates Puppet code, reads files or prints.

pub mod byte_texts;
pub mod convert;
pub mod data;
pub mod digest;
pub mod elements;
pub mod format;
pub mod hash;
pub mod interpolate;
pub mod iterator;
mod object;
pub mod quote;
pub mod regexps;
pub mod richdata;
pub mod ruby;
pub mod time;
pub mod tree;
pub mod types;
pub mod uri;
pub mod value;

pub use byte_texts::ByteTexts;
pub use hash::Hash;
pub use kukla_regex as regex;
pub use types::Type;
pub use value::Value;
