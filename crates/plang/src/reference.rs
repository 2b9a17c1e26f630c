//! The reference: walks the checked program, and tells everything it does.
//!
//! It is the oracle of the compiled form and what `explain` shows. It is written to be obviously right: a name
//! that is assigned keeps the message and the names as they were (a snapshot), and is evaluated in them when
//! it is used. So it needs none of the compiled form's care about what must be computed before what changes.

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

/// A run of the reference.
#[derive(Debug)]
pub struct Run<'a> {
    /// How it ended.
    pub outcome: Outcome<'a>,
    /// What happened.
    pub trace: Trace<'a>,
    /// The steps that it took.
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

/// The interpreter at work.
struct Interpreter<'a, 's> {
    program: &'a Program,
    transaction: Transaction<'a>,
    services: &'s mut dyn Services,
    names: Rc<Names<'a>>,
    /// Services that were applied before a restart.
    earlier: Vec<u16>,
    /// What `interpreter.fail` said last.
    reason: Option<&'a [u8]>,
    events: Vec<Event<'a>>,
    depth: u32,
    n_steps: u64,
    n_restarts: u32,
}

/// What each name stands for.
type Names<'a> = Vec<Option<Rc<Named<'a>>>>;

/// What a name stands for.
#[derive(Debug)]
struct Named<'a>(RefCell<Binding<'a>>);

/// A value, or what is needed to compute it as it would have been at the assignment.
#[derive(Clone, Debug)]
enum Binding<'a> {
    Pending { value: NodeId, state: Mark<'a>, names: Rc<Names<'a>> },
    Known(Result<Value<'a>, Fail>),
}

/// Why evaluation does not go on.
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

    /// From the start, on the message as it is now, without names.
    fn restart(&mut self) {
        self.n_restarts += 1;
        self.names = Rc::new(vec![None; self.program.names.len()]);
        self.earlier.clone_from(&self.transaction.applied);
        self.depth = 0;
    }
}
