//! Evaluation: one function per kind of node.

use std::cell::RefCell;
use std::rc::Rc;

use super::operate::{binary, negate};
use super::trace::{Event, EventResult};
use super::{Binding, Eval, Interpreter, Named, Names, Stop};
use crate::ast::LogicOp;
use crate::fail::{Fail, FailCode};
use crate::module::Run;
use crate::program::{Access, BlockId, End, Node, NodeId, Slot};
use crate::services::{self, Application};
use crate::text;
use crate::transaction::Mark;
use crate::value::Value;
use crate::verdict::Ending;

/// State to which a failed block is rolled back.
struct Before<'a> {
    state: Mark<'a>,
    names: Rc<Names<'a>>,
}

impl<'a> Interpreter<'a, '_> {
    /// Runs statements; the value is that of the last.
    pub(super) fn block(&mut self, block: BlockId) -> Eval<'a> {
        self.n_steps += 1;
        let mut value = Value::Nothing;
        for &statement in self.program.block(block) {
            value = self.node(statement)?;
        }
        Ok(value)
    }

    /// Evaluates a node and records an event in the trace.
    pub(super) fn node(&mut self, id: NodeId) -> Eval<'a> {
        self.n_steps += 1;
        let event = self.events.len();
        self.events.push(Event { node: id, depth: self.depth, result: EventResult::Open });
        self.depth += 1;
        let result = self.evaluate(id, event);
        self.depth -= 1;
        let came = match &result {
            Ok(value) => EventResult::Value(*value),
            Err(Stop::Fail(fail)) => EventResult::Failed(*fail),
            Err(Stop::End(..) | Stop::Restart(_)) => EventResult::Left,
        };
        if let EventResult::Open = self.events[event].result {
            self.events[event].result = came;
        }
        result
    }

    fn evaluate(&mut self, id: NodeId, event: usize) -> Eval<'a> {
        let program = self.program;
        match &program[id] {
            Node::Boolean(value) => Ok(Value::Boolean(*value)),
            Node::Number(value) => Ok(Value::Number(*value)),
            Node::Text(text) => Ok(Value::Text(text)),
            Node::Set(set) => Ok(Value::Set(set)),
            Node::NetSet(set) => Ok(Value::NetSet(set)),
            Node::Object | Node::Nothing => Ok(Value::Nothing),
            Node::Block(block) => Ok(Value::Code(*block)),
            Node::Name(slot) => self.name(*slot, id),
            Node::Read(access) => self.read(access, id),
            Node::Act(access) => self.act(access, id),
            Node::Not(operand) => Ok(Value::Boolean(!self.node(*operand)?.boolean())),
            Node::Minus(operand) => negate(self.node(*operand)?).map_err(|code| at(code, id)),
            Node::Binary { op, left, right } => {
                let (left, right) = (self.node(*left)?, self.node(*right)?);
                binary(*op, left, right, &self.transaction).map_err(|code| at(code, id))
            }
            Node::Matches { text, regex } => {
                Ok(Value::Boolean(regex.is_match(self.node(*text)?.text())))
            }
            Node::Capture { text, regex, group } => {
                let text = self.node(*text)?.text();
                text::capture(regex, *group, text).map(Value::Text).ok_or(at(FailCode::Absent, id))
            }
            Node::Logic { op, operands } => self.logic(*op, operands),
            Node::Completes(code) => self.completes(*code, event),
            Node::Try(code) => self.run_code(*code).map(|_| Value::Boolean(true)),
            Node::Run(code) => self.run_code(*code),
            Node::Otherwise { left, right } => self.otherwise(*left, *right, event),
            Node::Assign { slot, value, settles } => {
                let result = self.assign(*slot, *value);
                if *settles && result.is_ok() {
                    // The binding stores a failure, which is raised where the name is used.
                    let _ = self.name(*slot, id);
                }
                result
            }
            Node::If { arms, otherwise } => self.choose(arms, *otherwise),
            Node::End(end) => self.end(*end, id),
            Node::Restart => Err(Stop::Restart(id)),
            Node::Fail(reason) => {
                self.reason = Some(self.node(*reason)?.text());
                Err(at(FailCode::Forced, id))
            }
            Node::Version(version) => {
                let version = self.node(*version)?.text();
                let is_known = crate::is_language_version(version);
                if is_known { Ok(Value::Nothing) } else { Err(at(FailCode::Version, id)) }
            }
            Node::FindOne(uri) => {
                let uri = self.node(*uri)?.text();
                services::find(program, uri).map_err(|code| at(code, id))
            }
            Node::Apply { service, parts } => self.apply(*service, parts, id),
            Node::SetParameter { service, name, value } => {
                let (service, value) = (self.node(*service)?, self.node(*value)?);
                let transaction = &mut self.transaction;
                services::set_parameter(program, transaction, service, name, value)
                    .map_err(|code| at(code, id))?;
                Ok(Value::Nothing)
            }
        }
    }

    /// Returns the value of a name, computed in the snapshot of its assignment.
    fn name(&mut self, slot: Slot, id: NodeId) -> Eval<'a> {
        let Some(named) = self.names[slot.index()].clone() else {
            return Err(at(FailCode::Unassigned, id));
        };
        let binding = named.0.borrow().clone();
        let result = match binding {
            Binding::Computed(result) => result,
            Binding::Pending { value, state, names } => {
                let now = self.mark();
                self.back_to(Before { state, names });
                let result = self.node(value);
                self.back_to(now);
                let result = match result {
                    Ok(value) => Ok(value),
                    Err(Stop::Fail(fail)) => Err(fail),
                    // Only effects can end a program, and they are never lazy.
                    Err(stop) => return Err(stop),
                };
                *named.0.borrow_mut() = Binding::Computed(result);
                result
            }
        };
        result.map_err(Stop::Fail)
    }

    fn assign(&mut self, slot: Slot, value: NodeId) -> Eval<'a> {
        let binding = if self.program.traits(value).acts {
            Binding::Computed(Ok(self.node(value)?))
        } else {
            let (state, names) = (self.transaction.mark(), Rc::clone(&self.names));
            Binding::Pending { value, state, names }
        };
        let named = Rc::new(Named(RefCell::new(binding)));
        Rc::make_mut(&mut self.names)[slot.index()] = Some(named);
        Ok(Value::Nothing)
    }

    fn arguments(&mut self, access: &Access) -> Result<(Value<'a>, Vec<Value<'a>>), Stop<'a>> {
        let receiver = match access.receiver {
            Some(receiver) => self.node(receiver)?,
            None => Value::Nothing,
        };
        let args = access.args.iter().map(|arg| self.node(*arg)).collect::<Result<_, _>>()?;
        Ok((receiver, args))
    }

    fn read(&mut self, access: &Access, id: NodeId) -> Eval<'a> {
        let (receiver, args) = self.arguments(access)?;
        let transaction = &self.transaction;
        let result = match access.member.run {
            Run::Constant(value) => Ok(value),
            Run::Field(field) => Ok(Value::Text(field(transaction))),
            Run::Header(about) => match receiver.side() {
                Some(side) => about(transaction.headers(side), args[0].text()),
                None => Err(FailCode::Host),
            },
            Run::Read(read) => read(transaction, receiver, &args),
            Run::Host => match transaction.host {
                Some(host) => host.read(access.member, receiver, &args, transaction.arena),
                None => Err(FailCode::Host),
            },
            Run::Act(_) | Run::Special(_) => Err(FailCode::Host),
        };
        result.map_err(|code| at(code, id))
    }

    fn act(&mut self, access: &Access, id: NodeId) -> Eval<'a> {
        let (receiver, args) = self.arguments(access)?;
        let result = match access.member.run {
            Run::Act(act) => act(&mut self.transaction, receiver, &args),
            Run::Constant(_) | Run::Field(_) | Run::Header(_) | Run::Read(_) => Err(FailCode::Host),
            Run::Special(_) | Run::Host => Err(FailCode::Host),
        };
        result.map_err(|code| at(code, id))
    }

    fn logic(&mut self, op: LogicOp, operands: &[NodeId]) -> Eval<'a> {
        let mut sum = op == LogicOp::And;
        for &operand in operands {
            let value = self.node(operand)?.boolean();
            match op {
                LogicOp::And if !value => return Ok(Value::Boolean(false)),
                LogicOp::Or if value => return Ok(Value::Boolean(true)),
                LogicOp::And | LogicOp::Or => (),
                LogicOp::Xor => sum ^= value,
            }
        }
        Ok(Value::Boolean(sum))
    }

    fn run_code(&mut self, code: NodeId) -> Eval<'a> {
        match self.node(code)? {
            Value::Code(block) => self.block(block),
            _ => Ok(Value::Nothing),
        }
    }

    fn completes(&mut self, code: NodeId, event: usize) -> Eval<'a> {
        let mark = self.mark();
        match self.run_code(code) {
            Ok(_) => Ok(Value::Boolean(true)),
            Err(Stop::Fail(fail)) if fail.is_catchable() => {
                self.events[event].result = EventResult::Caught(fail);
                self.back_to(mark);
                Ok(Value::Boolean(false))
            }
            Err(stop) => Err(stop),
        }
    }

    fn otherwise(&mut self, left: NodeId, right: NodeId, event: usize) -> Eval<'a> {
        let mark = self.mark();
        match self.node(left) {
            Err(Stop::Fail(fail)) if fail.is_catchable() => {
                self.events[event].result = EventResult::Caught(fail);
                self.back_to(mark);
                self.node(right)
            }
            result => result,
        }
    }

    fn mark(&self) -> Before<'a> {
        Before { state: self.transaction.mark(), names: Rc::clone(&self.names) }
    }

    fn back_to(&mut self, before: Before<'a>) {
        self.transaction.back_to(before.state);
        self.names = before.names;
    }

    fn choose(&mut self, arms: &[(NodeId, BlockId)], otherwise: Option<BlockId>) -> Eval<'a> {
        for (condition, block) in arms {
            if self.node(*condition)?.boolean() {
                self.block(*block)?;
                return Ok(Value::Nothing);
            }
        }
        if let Some(block) = otherwise {
            self.block(block)?;
        }
        Ok(Value::Nothing)
    }

    fn end(&mut self, end: End, id: NodeId) -> Eval<'a> {
        let ending = match end {
            End::Stop => Ending::Stopped,
            End::Allow => Ending::Allowed,
            End::Deny(reason) => Ending::Denied(self.node(reason)?.text()),
            End::Challenge(scheme) => Ending::Challenged(self.node(scheme)?.text()),
            End::Respond(status, text) => {
                Ending::Responded(self.node(status)?.number(), self.node(text)?.text())
            }
        };
        Err(Stop::End(ending, id))
    }

    fn apply(&mut self, service: NodeId, parts: &[NodeId], id: NodeId) -> Eval<'a> {
        let service = self.node(service)?;
        let parts = parts.iter().map(|part| self.node(*part)).collect::<Result<_, _>>()?;
        let (program, transaction) = (self.program, &mut self.transaction);
        let call = (id, self.earlier.as_slice());
        let mut application = services::apply(program, transaction, service, parts, call)
            .map_err(|code| at(code, id))?;
        if let Application::Call(call) = &application {
            let answer = self.services.call(call);
            application =
                services::accept(&mut self.transaction, &answer).map_err(|code| at(code, id))?;
        }
        match application {
            Application::Answered => Err(Stop::End(Ending::Answered, id)),
            Application::Done | Application::Call(_) => Ok(Value::Boolean(true)),
        }
    }
}

fn at<'a>(code: FailCode, node: NodeId) -> Stop<'a> {
    Stop::Fail(Fail::new(code, node))
}
