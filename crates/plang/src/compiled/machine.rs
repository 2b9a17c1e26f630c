//! Running instructions.

use super::code::{Act, Compiled, Instruction, Place, ValueFn};
use super::glide::Pause;
use super::runtime::{Runtime, Slot};
use crate::fail::{Fail, FailCode};
use crate::program::{Node, NodeId};
use crate::services::{self, Application, ServiceAnswer, ServiceCall};
use crate::transaction::{Mark, Transaction};
use crate::value::Value;
use crate::verdict::{Ending, Outcome};

/// A run that can wait for a service.
pub struct Machine<'a> {
    runtime: Runtime<'a>,
    place: Place,
    handlers: Vec<Handler<'a>>,
    /// What names stood for before they were assigned, to take it back.
    trail: Vec<(usize, Slot<'a>)>,
    /// Where to go on after blocks that are running.
    calls: Vec<Place>,
    /// What `interpreter.fail` said last.
    reason: Option<&'a [u8]>,
    /// Services that were applied before a restart.
    earlier: Vec<u16>,
    n_restarts: u32,
    /// The service that is waited for.
    waiting: Option<(usize, NodeId)>,
}

/// Where a failure goes, and what is taken back then.
#[derive(Clone, Copy, Debug)]
struct Handler<'a> {
    place: Place,
    mark: Mark<'a>,
    n_trail: usize,
    n_calls: usize,
}

/// What a run came to.
#[derive(Debug)]
pub enum Step<'a> {
    /// It ended; the node at which it did.
    Done(Ending<'a>, Option<NodeId>),
    /// A service must be called; then [`Machine::resume`] goes on.
    Call(Box<ServiceCall<'a>>),
}

/// What an instruction came to, when it is not the next one's turn.
enum Turn<'a> {
    Next,
    To(Place),
    Step(Step<'a>),
}

type Turned<'a> = Result<Turn<'a>, Fail>;

impl<'a> Machine<'a> {
    /// A machine at the start of a program.
    pub fn new(compiled: &'a Compiled, transaction: Transaction<'a>) -> Self {
        Self::at(Runtime::new(compiled, transaction), 0)
    }

    /// A machine that goes on where a run came to without one.
    pub(super) fn at(runtime: Runtime<'a>, place: Place) -> Self {
        Self {
            runtime,
            place,
            handlers: Vec::new(),
            trail: Vec::new(),
            calls: Vec::new(),
            reason: None,
            earlier: Vec::new(),
            n_restarts: 0,
            waiting: None,
        }
    }

    /// Runs until the end, or until a service must be called.
    pub fn run(&mut self) -> Step<'a> {
        loop {
            let turned = match self.runtime.glide(self.place) {
                Pause::Done(ending, node) => return Step::Done(ending, node),
                Pause::Failed(fail) => Err(fail),
                Pause::Turn(place) => {
                    self.place = place;
                    self.turn()
                }
            };
            match turned {
                Ok(Turn::Next) => self.place += 1,
                Ok(Turn::To(place)) => self.place = place,
                Ok(Turn::Step(step)) => return step,
                Err(fail) => {
                    if let Some(step) = self.fail(fail) {
                        return step;
                    }
                }
            }
        }
    }

    /// Goes on with the answer of the service that was asked for.
    pub fn resume(&mut self, answer: &ServiceAnswer) -> Step<'a> {
        let Some((to, node)) = self.waiting.take() else { return self.run() };
        match services::accept(&mut self.runtime.transaction, answer) {
            Ok(()) => {
                self.runtime.put(to, Value::Boolean(true));
                self.place += 1;
                self.run()
            }
            Err(code) => match self.fail(Fail::new(code, node)) {
                Some(step) => step,
                None => self.run(),
            },
        }
    }

    /// What has become of the message.
    pub fn transaction(&self) -> &Transaction<'a> {
        &self.runtime.transaction
    }

    /// The outcome of a run that ended with this step.
    pub fn into_outcome(self, step: &Step<'a>) -> Outcome<'a> {
        let (ending, place) = match step {
            Step::Done(ending, place) => (*ending, *place),
            // Whoever drops a run that waits gives the service up.
            Step::Call(_) => {
                let node = self.waiting.map_or(NodeId::new(0), |(_, node)| node);
                (Ending::Failed(Fail::new(FailCode::Service, node), None), Some(node))
            }
        };
        let n_restarts = self.n_restarts;
        Outcome { ending, place, transaction: self.runtime.transaction, n_restarts }
    }

    /// An instruction that needs more than the runtime.
    fn turn(&mut self) -> Turned<'a> {
        let (runtime, compiled) = (&self.runtime, self.runtime.compiled);
        match &compiled.code[self.place] {
            Instruction::Bind { slot, pending, dependents } => {
                self.bind(*slot, Slot::Pending(*pending), dependents);
            }
            Instruction::Store { slot, from, dependents } => {
                let value = Slot::Value(runtime.value(*from));
                self.bind(*slot, value, dependents);
            }
            Instruction::Act(act) => self.act(act)?,
            Instruction::Apply { service, parts, to, node } => {
                return self.apply(service, parts, *to, *node);
            }
            Instruction::SetParameter { service, value, node } => {
                self.set_parameter(service, value, *node)?;
            }
            Instruction::Catch(place) => self.catch(*place),
            Instruction::Release => drop(self.handlers.pop()),
            Instruction::Call(code) => return self.call(code),
            Instruction::Return => {
                let back = self.calls.pop().unwrap_or_default();
                return Ok(Turn::To(back));
            }
            Instruction::Restart(node) => return self.restart(*node),
            Instruction::Fail { reason, node } => {
                self.reason = Some(reason(runtime)?);
                return Err(Fail::new(FailCode::Forced, *node));
            }
            // All others were done without the machine.
            _ => (),
        }
        Ok(Turn::Next)
    }

    fn bind(&mut self, slot: usize, binding: Slot<'a>, dependents: &[usize]) {
        let runtime = &self.runtime;
        dependents.iter().for_each(|dependent| runtime.settle(*dependent));
        let before = runtime.bind(slot, binding);
        if !self.handlers.is_empty() {
            self.trail.push((slot, before));
        }
    }

    /// Computes all pending names that read what is about to change.
    fn settle_readers(&self) {
        let compiled = self.runtime.compiled;
        compiled.readers.iter().for_each(|slot| self.runtime.settle(*slot));
    }

    fn act(&mut self, act: &'a Act) -> Result<(), Fail> {
        let runtime = &self.runtime;
        let receiver = match &act.receiver {
            Some(receiver) => receiver(runtime)?,
            None => Value::Nothing,
        };
        let args: Vec<Value<'a>> =
            act.args.iter().map(|arg| arg(runtime)).collect::<Result<_, _>>()?;
        if act.changes {
            self.settle_readers();
        }
        let value = (act.run)(&mut self.runtime.transaction, receiver, &args);
        let value = value.map_err(|code| Fail::new(code, act.node))?;
        self.runtime.put(act.to, value);
        Ok(())
    }

    fn apply(
        &mut self,
        service: &'a ValueFn,
        parts: &'a [ValueFn],
        to: usize,
        node: NodeId,
    ) -> Turned<'a> {
        let runtime = &self.runtime;
        let service = service(runtime)?;
        let parts = parts.iter().map(|part| part(runtime)).collect::<Result<_, _>>()?;
        self.settle_readers();
        let program = &self.runtime.compiled.program;
        let transaction = &mut self.runtime.transaction;
        let application = services::apply(program, transaction, service, parts, &self.earlier);
        match application.map_err(|code| Fail::new(code, node))? {
            Application::Done => {
                self.runtime.put(to, Value::Boolean(true));
                Ok(Turn::Next)
            }
            Application::Call(call) => {
                self.waiting = Some((to, node));
                Ok(Turn::Step(Step::Call(Box::new(call))))
            }
        }
    }

    fn set_parameter(
        &mut self,
        service: &'a ValueFn,
        value: &'a ValueFn,
        node: NodeId,
    ) -> Result<(), Fail> {
        let (service, value) = (service(&self.runtime)?, value(&self.runtime)?);
        let program = &self.runtime.compiled.program;
        let Node::SetParameter { name, .. } = &program[node] else { return Ok(()) };
        let transaction = &mut self.runtime.transaction;
        services::set_parameter(program, transaction, service, name, value)
            .map_err(|code| Fail::new(code, node))
    }

    fn catch(&mut self, place: Place) {
        let mark = self.runtime.transaction.mark();
        let (n_trail, n_calls) = (self.trail.len(), self.calls.len());
        self.handlers.push(Handler { place, mark, n_trail, n_calls });
    }

    fn call(&mut self, code: &'a ValueFn) -> Turned<'a> {
        let Value::Code(block) = code(&self.runtime)? else { return Ok(Turn::Next) };
        match self.runtime.compiled.entries[block.index()] {
            Some(entry) => {
                self.calls.push(self.place + 1);
                Ok(Turn::To(entry))
            }
            None => Ok(Turn::Next),
        }
    }

    /// Takes a failure to its handler; without one, the program failed.
    #[cold]
    fn fail(&mut self, fail: Fail) -> Option<Step<'a>> {
        let handler = if fail.is_catchable() { self.handlers.pop() } else { None };
        let Some(handler) = handler else {
            let ending = Ending::Failed(fail, self.reason);
            return Some(Step::Done(ending, Some(fail.node())));
        };
        for (slot, before) in self.trail.drain(handler.n_trail..).rev() {
            self.runtime.bind(slot, before);
        }
        self.calls.truncate(handler.n_calls);
        self.runtime.transaction.back_to(handler.mark);
        self.place = handler.place;
        None
    }

    fn restart(&mut self, node: NodeId) -> Turned<'a> {
        if self.n_restarts >= self.runtime.transaction.limits.restarts {
            let ending = Ending::Failed(Fail::new(FailCode::Limit, node), None);
            return Ok(Turn::Step(Step::Done(ending, Some(node))));
        }
        self.n_restarts += 1;
        self.runtime.clear();
        self.handlers.clear();
        self.trail.clear();
        self.calls.clear();
        self.earlier.clone_from(&self.runtime.transaction.applied);
        Ok(Turn::To(0))
    }
}

impl std::fmt::Debug for Machine<'_> {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(out, "Machine(at {})", self.place)
    }
}
