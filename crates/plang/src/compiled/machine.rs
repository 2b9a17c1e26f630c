//! Runs all instructions, with failure handlers, calls and services.

use super::code::{Act, CodeIndex, Compiled, Instruction, ValueFn};
use super::run_pure::Pause;
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
    place: CodeIndex,
    handlers: Vec<Handler<'a>>,
    /// Undo log: bindings of names before they were assigned.
    trail: Vec<(usize, Slot<'a>)>,
    /// Return addresses of running blocks.
    calls: Vec<CodeIndex>,
    /// The last reason of `interpreter.fail`.
    reason: Option<&'a [u8]>,
    /// Services that were applied before a restart.
    earlier: Vec<u16>,
    n_restarts: u32,
    /// The awaited service: the slot of its result, and its node.
    waiting: Option<(usize, NodeId)>,
}

/// A failure handler, and the state to roll back to.
#[derive(Clone, Copy, Debug)]
struct Handler<'a> {
    place: CodeIndex,
    mark: Mark<'a>,
    n_trail: usize,
    n_calls: usize,
}

/// Result of running a [`Machine`].
#[derive(Debug)]
pub enum Step<'a> {
    /// The program ended, at this node.
    Done(Ending<'a>, Option<NodeId>),
    /// A service must be called; [`Machine::resume`] takes its answer.
    Call(Box<ServiceCall<'a>>),
}

/// Control flow after an instruction.
enum Transfer<'a> {
    Next,
    To(CodeIndex),
    Step(Step<'a>),
}

type Executed<'a> = Result<Transfer<'a>, Fail>;

impl<'a> Machine<'a> {
    /// Creates a machine at the start of a program.
    pub fn new(compiled: &'a Compiled, transaction: Transaction<'a>) -> Self {
        Self::at(Runtime::new(compiled, transaction), 0)
    }

    /// Creates a machine that continues a run which began without one.
    pub(super) fn at(runtime: Runtime<'a>, place: CodeIndex) -> Self {
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
            let executed = match self.runtime.run_pure(self.place) {
                Pause::Done(ending, node) => return Step::Done(ending, node),
                Pause::Failed(fail) => Err(fail),
                Pause::NeedsMachine(place) => {
                    self.place = place;
                    self.execute()
                }
            };
            match executed {
                Ok(Transfer::Next) => self.place += 1,
                Ok(Transfer::To(place)) => self.place = place,
                Ok(Transfer::Step(step)) => return step,
                Err(fail) => {
                    if let Some(step) = self.fail(fail) {
                        return step;
                    }
                }
            }
        }
    }

    /// Continues with the answer of the service.
    pub fn resume(&mut self, answer: &ServiceAnswer) -> Step<'a> {
        let Some((to, node)) = self.waiting.take() else { return self.run() };
        match services::accept(&mut self.runtime.transaction, answer) {
            Ok(Application::Answered) => Step::Done(Ending::Answered, Some(node)),
            Ok(Application::Done | Application::Call(_)) => {
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

    /// Returns the current state of the message.
    pub fn transaction(&self) -> &Transaction<'a> {
        &self.runtime.transaction
    }

    /// Returns the outcome of a run that ended with this step.
    pub fn into_outcome(self, step: &Step<'a>) -> Outcome<'a> {
        let (ending, place) = match step {
            Step::Done(ending, place) => (*ending, *place),
            // A caller that gives up waiting fails the service.
            Step::Call(_) => {
                let node = self.waiting.map_or(NodeId::new(0), |(_, node)| node);
                (Ending::Failed(Fail::new(FailCode::Service, node), None), Some(node))
            }
        };
        let n_restarts = self.n_restarts;
        Outcome { ending, place, transaction: self.runtime.transaction, n_restarts }
    }

    /// Runs an instruction that needs more than the runtime.
    fn execute(&mut self) -> Executed<'a> {
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
                return Ok(Transfer::To(back));
            }
            Instruction::Restart(node) => return self.restart(*node),
            Instruction::Fail { reason, node } => {
                self.reason = Some(reason(runtime)?);
                return Err(Fail::new(FailCode::Forced, *node));
            }
            // `Runtime::run_pure` handles all others.
            _ => (),
        }
        Ok(Transfer::Next)
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
    ) -> Executed<'a> {
        let runtime = &self.runtime;
        let service = service(runtime)?;
        let parts = parts.iter().map(|part| part(runtime)).collect::<Result<_, _>>()?;
        self.settle_readers();
        let program = &self.runtime.compiled.program;
        let transaction = &mut self.runtime.transaction;
        let call = (node, self.earlier.as_slice());
        let application = services::apply(program, transaction, service, parts, call);
        match application.map_err(|code| Fail::new(code, node))? {
            Application::Answered => Ok(Transfer::Step(Step::Done(Ending::Answered, Some(node)))),
            Application::Done => {
                self.runtime.put(to, Value::Boolean(true));
                Ok(Transfer::Next)
            }
            Application::Call(call) => {
                self.waiting = Some((to, node));
                Ok(Transfer::Step(Step::Call(call)))
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

    fn catch(&mut self, place: CodeIndex) {
        let mark = self.runtime.transaction.mark();
        let (n_trail, n_calls) = (self.trail.len(), self.calls.len());
        self.handlers.push(Handler { place, mark, n_trail, n_calls });
    }

    fn call(&mut self, code: &'a ValueFn) -> Executed<'a> {
        let Value::Code(block) = code(&self.runtime)? else { return Ok(Transfer::Next) };
        match self.runtime.compiled.entries[block.index()] {
            Some(entry) => {
                self.calls.push(self.place + 1);
                Ok(Transfer::To(entry))
            }
            None => Ok(Transfer::Next),
        }
    }

    /// Passes a failure to its handler; without a handler, the program failed.
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

    fn restart(&mut self, node: NodeId) -> Executed<'a> {
        if self.n_restarts >= self.runtime.transaction.limits.restarts {
            let ending = Ending::Failed(Fail::new(FailCode::Limit, node), None);
            return Ok(Transfer::Step(Step::Done(ending, Some(node))));
        }
        self.n_restarts += 1;
        self.runtime.clear();
        self.handlers.clear();
        self.trail.clear();
        self.calls.clear();
        self.earlier.clone_from(&self.runtime.transaction.applied);
        Ok(Transfer::To(0))
    }
}

impl std::fmt::Debug for Machine<'_> {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(out, "Machine(at {})", self.place)
    }
}
