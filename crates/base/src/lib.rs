//! Spans, sources, symbols and diagnostics: the foundation of all rooms.
//!
//! A [`Source`] is a named text, a [`Span`] a piece of it, a [`Diagnostic`] a problem of such a piece. [`render`] formats
//! diagnostics for people and machines.
//!
//! Invariant: nothing here reads files, prints or exits.

pub mod cancel;
pub mod diagnostic;
mod digest;
pub mod edition;
pub mod name;
pub mod nearest;
pub mod render;
pub mod source;
pub mod span;
pub mod symbol;

pub use diagnostic::{Diagnostic, DiagnosticPlace, Label, Phase, Severity};
pub use digest::{Digest, DigestHasher};
pub use edition::{Edition, EditionChange, Editions, RubyChange, RubyEdition};
pub use source::{LineColumn, Source};
pub use span::Span;
pub use symbol::Symbol;
