//! The reference back end: walks the checked program and records a full trace.
//!
//! It is the oracle of the compiled back end, and `explain` shows its trace. It is written to be obviously right: an
//! assigned name keeps a snapshot of the message and of the names, in which it is evaluated on use. So it does not
//! need the compiled back end's order of computations.

mod evaluate;
mod operate;
pub mod trace;

use std::cell::RefCell;
use std::rc::Rc;

use crate::fail::Fail;
use crate::program::{NodeId, Program};
use crate::services::Services;
use crate::transaction::{Mark, Transaction};
use crate::value::Value;
use crate::verdict::{Ending, Outcome};
use trace::{Event, Trace};

/// A finished run of the reference.
#[derive(Debug)]
pub struct Run<'a> {
    /// How it ended.
    pub outcome: Outcome<'a>,
    /// The trace.
    pub trace: Trace<'a>,
    /// Number of steps.
    pub n_steps: u64,
}

/// Runs a program on a message.
pub fn run<'a>(
    program: &'a Program,
    transaction: Transaction<'a>,
    services: &mut dyn Services,
) -> Run<'a> {
    let mut interpreter = Interpreter {
        program,
        transaction,
        services,
        names: Rc::new(vec![None; program.names.len()]),
        earlier: Vec::new(),
        reason: None,
        events: Vec::new(),
        depth: 0,
        n_steps: 0,
        n_restarts: 0,
    };
    let (ending, place) = interpreter.program();
    let Interpreter { transaction, events, n_steps, n_restarts, .. } = interpreter;
    let outcome = Outcome { ending, place, transaction, n_restarts };
    Run { outcome, trace: Trace { events }, n_steps }
}

/// State of a run.
struct Interpreter<'a, 's> {
    program: &'a Program,
    transaction: Transaction<'a>,
    services: &'s mut dyn Services,
    names: Rc<Names<'a>>,
    /// Services that were applied before a restart.
    earlier: Vec<u16>,
    /// The last reason of `interpreter.fail`.
    reason: Option<&'a [u8]>,
    events: Vec<Event<'a>>,
    depth: u32,
    n_steps: u64,
    n_restarts: u32,
}

/// The bindings of all names.
type Names<'a> = Vec<Option<Rc<Named<'a>>>>;

/// The binding of a name.
#[derive(Debug)]
struct Named<'a>(RefCell<Binding<'a>>);

/// A value, or the snapshot that is needed to compute it as it was at the assignment.
#[derive(Clone, Debug)]
enum Binding<'a> {
    Pending { value: NodeId, state: Mark<'a>, names: Rc<Names<'a>> },
    Computed(Result<Value<'a>, Fail>),
}

/// Reason why evaluation stops.
#[derive(Clone, Copy, Debug)]
enum Stop<'a> {
    Fail(Fail),
    End(Ending<'a>, NodeId),
    Restart(NodeId),
}

type Eval<'a> = Result<Value<'a>, Stop<'a>>;

impl<'a> Interpreter<'a, '_> {
    fn program(&mut self) -> (Ending<'a>, Option<NodeId>) {
        loop {
            let result = self.block(self.program.main);
            match result {
                Ok(_) => return (Ending::Completed, None),
                Err(Stop::End(ending, node)) => return (ending, Some(node)),
                Err(Stop::Fail(fail)) => {
                    return (Ending::Failed(fail, self.reason), Some(fail.node()));
                }
                Err(Stop::Restart(node)) => {
                    if self.n_restarts >= self.transaction.limits.restarts {
                        let fail = Fail::new(crate::fail::FailCode::Limit, node);
                        return (Ending::Failed(fail, None), Some(node));
                    }
                    self.restart();
                }
            }
        }
    }

    /// Starts again, on the current message and without names.
    fn restart(&mut self) {
        self.n_restarts += 1;
        self.names = Rc::new(vec![None; self.program.names.len()]);
        self.earlier.clone_from(&self.transaction.applied);
        self.depth = 0;
    }
}
