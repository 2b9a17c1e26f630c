//! An interpreter for the Ruby code of modules: ERB templates and functions.
//!
//! Ruby's own parser (prism) parses the source, `read` lowers it to a tree, `judge` decides whether all of it is supported,
//! and `run` walks the tree. `methods` and `library` have the methods of Ruby's classes.
//! Start with [`Template`] and [`FunctionFile`]; both see the compilation around them through a [`Host`](kukla_foreign::Host).
//!
//! Invariant: only the host reads files, runs programs or asks the clock; and every run ends.

#![expect(
    clippy::wrong_self_convention,
    reason = "methods have Ruby's names, and all may run code"
)]

mod class;
mod convert;
mod data_type;
mod erb;
mod evaluate;
mod function;
mod judge;
mod library;
mod methods;
mod names;
mod read;
mod release;
mod run;
mod show;
mod template;
mod value;

pub use data_type::{DataTypeError, DataTypeText};
pub use evaluate::{evaluate, evaluate_within};
pub use function::{FunctionFile, RequiredFiles};
pub use template::{Interpreter, Template};
