//! The Ruby that modules carry, run without Ruby: ERB templates and functions.
//!
//! Ruby's own parser reads the source, `read` makes a tree of it, `judge` decides whether everything in it is known,
//! and `run` walks the tree. `methods` and `library` are what Ruby's classes offer.
//! Start with [`Template`] and [`FunctionFile`]; both see the compilation around them through a [`Host`](kukla_foreign::Host).
//!
//! Invariant: nothing here reads files, runs programs or asks the clock, but through the host; and every run ends.

#![expect(
    clippy::wrong_self_convention,
    reason = "methods have Ruby's names, and all may run code"
)]

mod class;
mod convert;
mod erb;
mod evaluate;
mod function;
mod judge;
mod library;
mod methods;
mod names;
mod read;
mod run;
mod show;
mod template;
mod value;

pub use evaluate::{evaluate, evaluate_within};
pub use function::{FunctionFile, Sources};
pub use template::{Interpreter, Template};
