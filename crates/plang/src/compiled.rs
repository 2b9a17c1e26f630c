//! The compiled form: the same decisions as the [reference](crate::reference), quickly.
//!
//! What has an order (statements, effects, blocks that run) becomes a list of [`code::Instruction`]s; everything pure
//! becomes a closure of a known type. A [`Machine`] runs the list and does no I/O: when a service is to be
//! called it says so, and goes on when it is told the answer.
//!
//! Names are lazy without snapshots. An assignment only notes which expression the name stands for. Before
//! anything changes what such an expression reads (the message, or a name that is assigned anew when its block
//! runs again) the names that are still pending are computed; a failure is kept and raised where the name is
//! used.
//!
//! - [`emit`]: statements and effects to instructions
//! - [`closures`], [`texts`]: pure expressions to closures
//! - [`rules`], [`index`]: rules in a row, of which only those are tried that can apply
//! - [`machine`]: running them

mod closures;
mod code;
mod emit;
mod expressions;
mod index;
mod machine;
mod rules;
mod runtime;
mod texts;

pub use code::Compiled;
pub use machine::{Machine, Step};

use crate::program::Program;
use crate::services::Services;
use crate::transaction::Transaction;
use crate::verdict::Outcome;

impl Compiled {
    /// Compiles a program.
    pub fn new(program: Program) -> Self {
        emit::compile(program)
    }
}

/// Runs a program on a message to its end.
pub fn run<'a>(
    compiled: &'a Compiled,
    transaction: Transaction<'a>,
    services: &mut dyn Services,
) -> Outcome<'a> {
    let mut machine = Machine::new(compiled, transaction);
    let mut step = machine.run();
    while let Step::Call(call) = step {
        let answer = services.call(&call);
        step = machine.resume(&answer);
    }
    machine.into_outcome(&step)
}
