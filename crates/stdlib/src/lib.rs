//! Puppet's functions: those that are built in, and those of the stdlib module.
//!
//! One file a subject, each with a table. A function sees a [`Call`](kukla_compiler::Call) and nothing else.

mod flow;
mod iterate;
mod logging;

use kukla_compiler::Function;

/// The functions that are built into Puppet.
pub const BUILT_IN: &[&[Function]] = &[flow::FUNCTIONS, iterate::FUNCTIONS, logging::FUNCTIONS];
