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
//! - [`names`]: what names stand for, and which of them need a slot
//! - [`rules`], [`index`]: rules in a row, of which only those are tried that can apply; [`prefixes`] and
//!   [`networks`] find them
//! - [`glide`]: running them, as long as nothing is changed, caught or waited for
//! - [`machine`]: running them all

mod closures;
mod code;
mod emit;
mod expressions;
mod glide;
mod index;
mod machine;
mod names;
mod networks;
mod prefixes;
mod rules;
mod runtime;
mod texts;

pub use code::Compiled;
pub use machine::{Machine, Step};

use glide::Pause;
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
    let (ending, place) = match runtime.glide(0) {
        Pause::Done(ending, place) => (ending, place),
        // Nothing was there yet to catch it.
        Pause::Failed(fail) => (Ending::Failed(fail, None), Some(fail.node())),
        Pause::Turn(at) => return run_from(Machine::at(runtime, at), services),
    };
    Outcome { ending, place, transaction: runtime.transaction, n_restarts: 0 }
}

/// The rest of a run, with a machine.
#[inline(never)]
fn run_from<'a>(mut machine: Machine<'a>, services: &mut dyn Services) -> Outcome<'a> {
    let mut step = machine.run();
    while let Step::Call(call) = step {
        let answer = services.call(&call);
        step = machine.resume(&answer);
    }
    machine.into_outcome(&step)
}
