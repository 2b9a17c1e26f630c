//! P, the message processing language: from text to a checked program to a decision on a message.
//!
//! ```text
//! text ── lexer ──> tokens ── parser ──> Ast ── check ──> Program ──┬── reference: full trace, the oracle
//!                                                                   └── compiled: same decisions, fast
//! ```
//!
//! Start at [`check::check`], then [`reference::run`]. A [`Program`] runs on a [`Message`]; [`modules`] has everything
//! that it can read and do. The two back ends always agree.
//!
//! Invariants: nothing here reads files, the clock or the network. Checking never panics, and no source makes
//! it slow. A run never exceeds the steps and memory that the check computed. A program that fails makes no
//! decision, and then access is denied.

pub mod ast;
pub mod check;
pub mod compiled;
pub mod dump;
pub mod explain;
pub mod fail;
pub mod files;
pub mod format;
pub mod host;
pub mod ip;
pub mod issues;
pub mod lexer;
pub mod limits;
pub mod mail;
pub mod manual;
pub mod message;
pub mod module;
pub mod modules;
pub mod parser;
pub mod program;
pub mod recorded;
pub mod reference;
pub mod registry;
pub mod services;
pub mod sets;
pub mod text;
pub mod token;
pub mod transaction;
pub mod types;
pub mod uri;
pub mod value;
pub mod verdict;

pub use check::{Checked, Options, Point, check, check_bytes};
pub use message::Message;
pub use program::Program;
pub use registry::Registry;
pub use verdict::{Outcome, Verdict};

/// Whether this implementation accepts a version of P: any 1.x.
pub fn is_language_version(version: &[u8]) -> bool {
    let Some(at) = memchr::memchr(b'.', version) else { return version == b"1" };
    let minor = &version[at + 1..];
    &version[..at] == b"1" && !minor.is_empty() && minor.iter().all(u8::is_ascii_digit)
}
