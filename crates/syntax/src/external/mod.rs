//! Languages inside Puppet's text: regular expressions, JSON, Base64.
//!
//! Puppet hands such text to Ruby. Each module here gives Ruby's verdict in Ruby's words, without
//! Ruby; [`ruby`] has the few conversions of Ruby's that Puppet's output shows.

pub mod base64;
pub mod json;
pub mod ruby;

pub use kukla_regex as regexp;
