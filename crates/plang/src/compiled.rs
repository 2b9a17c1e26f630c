//! The compiled back end: takes the same decisions as the [reference](crate::reference), but faster.
//!
//! Code with an order (statements, effects, blocks that run) becomes a list of [`code::Instruction`]s; pure
//! expressions become closures of a known type. A [`Machine`] runs the list and does no I/O: it returns when a
//! service must be called, and resumes with the answer.
//!
//! Names are lazy without snapshots. An assignment only notes the expression of the name. Before anything changes
//! an input of such an expression (the message, or a name that is assigned again when its block runs again), the
//! names that are still pending are computed; a failure is stored and raised where the name is used.
//!
//! - [`emit`]: statements and effects to instructions
//! - [`closures`], [`texts`]: pure expressions to closures
//! - [`names`]: the expressions of names, and which names need a slot
//! - [`rules`], [`index`]: consecutive rules, of which only those are tried that can apply; [`prefixes`] and
//!   [`networks`] find them
//! - [`run_pure`]: runs instructions that change, catch and await nothing
//! - [`machine`]: runs all instructions

mod closures;
mod code;
mod emit;
mod expressions;
mod index;
mod machine;
mod names;
mod networks;
mod prefixes;
mod rules;
mod run_pure;
mod runtime;
mod texts;

pub use code::Compiled;
pub use machine::{Machine, Step};

use run_pure::Pause;
use runtime::Runtime;

use crate::program::Program;
use crate::services::Services;
use crate::transaction::Transaction;
use crate::verdict::{Ending, Outcome};

impl Compiled {
    /// Compiles a program.
    pub fn new(program: Program) -> Self {
        emit::compile(program)
    }
}

/// Runs a program on a message to its end.
#[inline]
pub fn run<'a>(
    compiled: &'a Compiled,
    transaction: Transaction<'a>,
    services: &mut dyn Services,
) -> Outcome<'a> {
    let runtime = Runtime::new(compiled, transaction);
    let (ending, place) = match runtime.run_pure(0) {
        Pause::Done(ending, place) => (ending, place),
        // No handler is installed yet.
        Pause::Failed(fail) => (Ending::Failed(fail, None), Some(fail.node())),
        Pause::NeedsMachine(at) => return run_from(Machine::at(runtime, at), services),
    };
    Outcome { ending, place, transaction: runtime.transaction, n_restarts: 0 }
}

/// Finishes a run with a machine.
#[inline(never)]
fn run_from<'a>(mut machine: Machine<'a>, services: &mut dyn Services) -> Outcome<'a> {
    let mut step = machine.run();
    while let Step::Call(call) = step {
        let answer = services.call(&call);
        step = machine.resume(&answer);
    }
    machine.into_outcome(&step)
}
