//! Values and types of the Puppet language, and the texts they are read from and written to.
//!
//! [`texts`] holds what Puppet leaves to Ruby: printing and reading numbers, times, JSON, YAML and the like.

pub mod texts;
