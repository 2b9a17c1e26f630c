//! YAML, parsed and written as Psych does.
//!
//! Psych follows YAML 1.1: `yes` is a Boolean, `017` is octal, `1:30` is sexagesimal ([`scalar`]). It writes through libyaml,
//! whose layout is in [`emitter`]; [`write()`] chooses the style of every scalar.

mod analysis;
mod emitter;
mod event;
mod input;
mod quick;
mod read;
pub mod scalar;
mod word_table;
mod write;

pub use read::{KeyMark, LoadError, LoadOptions, load, load_with_keys};
pub use write::{DumpOptions, write, write_tagged};
