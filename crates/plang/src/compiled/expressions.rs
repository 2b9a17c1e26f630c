//! Compiles pure expressions to closures.

use std::sync::Arc;

use super::closures;
use super::code::{BooleanFn, NumberFn, TextFn, ValueFn};
use super::emit::Emitter;
use super::names::is_inert;
use crate::ast::{BinaryOp, LogicOp};
use crate::fail::{Fail, FailCode};
use crate::module::Run;
use crate::program::{Access, Node, NodeId};
use crate::types::{Plain, Type};
use crate::value::Value;

impl Emitter<'_> {
    /// Compiles a pure node, or one whose value is in a slot.
    pub(super) fn value(&mut self, id: NodeId) -> ValueFn {
        if let Some(&slot) = self.spilled.get(&id) {
            return closures::value(move |runtime| Ok(runtime.value(slot)));
        }
        let program = self.program;
        let id = self.names.stand_in(program, id);
        match &program[id] {
            Node::Name(name) => {
                let Some(slot) = self.names.slot(*name) else { return closures::nothing() };
                let slot = self.needs(slot);
                return closures::value(move |runtime| runtime.name(slot, id));
            }
            Node::Read(access) => return self.read(access, id),
            Node::Otherwise { left, right } => {
                let (left, right) = (self.value(*left), self.value(*right));
                return closures::value(move |runtime| match left(runtime) {
                    Err(fail) if fail.is_catchable() => right(runtime),
                    result => result,
                });
            }
            Node::Set(_) => {
                return closures::value(move |runtime| match &runtime.compiled.program[id] {
                    Node::Set(set) => Ok(Value::Set(set)),
                    _ => Ok(Value::Nothing),
                });
            }
            Node::NetSet(_) => {
                return closures::value(move |runtime| match &runtime.compiled.program[id] {
                    Node::NetSet(set) => Ok(Value::NetSet(set)),
                    _ => Ok(Value::Nothing),
                });
            }
            Node::Block(block) => {
                let block = *block;
                self.queue_block(block);
                return closures::value(move |_| Ok(Value::Code(block)));
            }
            Node::FindOne(uri) => return self.find_one(*uri, id),
            _ => (),
        }
        match program.type_of(id) {
            Type::Plain(Plain::Boolean) => {
                let value = self.boolean(id);
                closures::value(move |runtime| value(runtime).map(Value::Boolean))
            }
            Type::Plain(Plain::Number) => {
                let value = self.number(id);
                closures::value(move |runtime| value(runtime).map(Value::Number))
            }
            Type::Plain(Plain::Text) => {
                let value = self.text(id);
                closures::value(move |runtime| value(runtime).map(Value::Text))
            }
            _ => closures::nothing(),
        }
    }

    fn find_one(&mut self, uri: NodeId, id: NodeId) -> ValueFn {
        let uri = self.text(uri);
        closures::value(move |runtime| {
            let uri = uri(runtime)?;
            let service = crate::services::find(&runtime.compiled.program, uri);
            service.map_err(|code| Fail::new(code, id))
        })
    }

    /// Compiles a member; its receiver and arguments were resolved before.
    fn read(&mut self, access: &Access, id: NodeId) -> ValueFn {
        let receiver = self.receiver(access);
        let member = access.member;
        let mut args: Vec<ValueFn> = access.args.iter().map(|arg| self.value(*arg)).collect();
        let at = move |code| Fail::new(code, id);
        match (member.run, receiver, args.len()) {
            (Run::Constant(value), None, _) => closures::value(move |_| Ok(value)),
            (Run::Header(about), Some(headers), 1) => {
                let name = args.remove(0);
                closures::value(move |runtime| {
                    let side = headers(runtime)?.side().ok_or(at(FailCode::Host))?;
                    let name = name(runtime)?.text();
                    about(runtime.transaction.headers(side), name).map_err(at)
                })
            }
            (Run::Field(field), None, 0) => {
                closures::value(move |runtime| Ok(Value::Text(field(&runtime.transaction))))
            }
            (Run::Read(read), None, 0) => closures::value(move |runtime| {
                read(&runtime.transaction, Value::Nothing, &[]).map_err(at)
            }),
            (Run::Read(read), None, 1) => {
                let arg = args.remove(0);
                closures::value(move |runtime| {
                    read(&runtime.transaction, Value::Nothing, &[arg(runtime)?]).map_err(at)
                })
            }
            (Run::Read(read), Some(receiver), 0) => closures::value(move |runtime| {
                read(&runtime.transaction, receiver(runtime)?, &[]).map_err(at)
            }),
            (Run::Read(read), Some(receiver), 1) => {
                let arg = args.remove(0);
                closures::value(move |runtime| {
                    let receiver = receiver(runtime)?;
                    read(&runtime.transaction, receiver, &[arg(runtime)?]).map_err(at)
                })
            }
            (run, receiver, _) => closures::value(move |runtime| {
                let receiver = match &receiver {
                    Some(receiver) => receiver(runtime)?,
                    None => Value::Nothing,
                };
                let args: Vec<Value<'_>> =
                    args.iter().map(|arg| arg(runtime)).collect::<Result<_, _>>()?;
                let transaction = &runtime.transaction;
                let result = match run {
                    Run::Constant(value) => Ok(value),
                    Run::Field(field) => Ok(Value::Text(field(transaction))),
                    Run::Read(read) => read(transaction, receiver, &args),
                    Run::Host => match transaction.host {
                        Some(host) => host.read(member, receiver, &args, transaction.arena),
                        None => Err(FailCode::Host),
                    },
                    Run::Header(_) | Run::Act(_) | Run::Special(_) => Err(FailCode::Host),
                };
                result.map_err(at)
            }),
        }
    }

    /// Compiles the receiver; None if it is a singleton that can't fail.
    pub(super) fn receiver(&mut self, access: &Access) -> Option<ValueFn> {
        let receiver = access.receiver?;
        (!is_inert(self.program, receiver)).then(|| self.value(receiver))
    }

    /// Compiles a pure node whose value is a boolean.
    pub(super) fn boolean(&mut self, id: NodeId) -> BooleanFn {
        if let Some(&slot) = self.spilled.get(&id) {
            return closures::boolean(move |runtime| Ok(runtime.value(slot).boolean()));
        }
        let program = self.program;
        let id = self.names.stand_in(program, id);
        match &program[id] {
            Node::Boolean(value) => {
                let value = *value;
                closures::boolean(move |_| Ok(value))
            }
            Node::Not(operand) => {
                let operand = self.boolean(*operand);
                closures::boolean(move |runtime| operand(runtime).map(|value| !value))
            }
            Node::Logic { op, operands } => self.pure_logic(*op, operands),
            Node::Matches { text, regex } => {
                let (text, regex) = (self.text(*text), Arc::clone(regex));
                closures::boolean(move |runtime| Ok(regex.is_match(text(runtime)?)))
            }
            Node::Binary { op, left, right } => self.comparison(*op, *left, *right),
            Node::Read(access) => match self.quick_test(access) {
                Some(test) => test,
                None => {
                    let value = self.read(access, id);
                    closures::boolean(move |runtime| value(runtime).map(Value::boolean))
                }
            },
            _ => {
                let value = self.value_of_other(id);
                closures::boolean(move |runtime| value(runtime).map(Value::boolean))
            }
        }
    }

    /// Compiles the kinds of nodes that `value` handles itself; for any other kind the two would recurse forever.
    fn value_of_other(&mut self, id: NodeId) -> ValueFn {
        match &self.program[id] {
            Node::Name(_) | Node::Otherwise { .. } | Node::Read(_) => self.value(id),
            _ => closures::nothing(),
        }
    }

    fn pure_logic(&mut self, op: LogicOp, operands: &[NodeId]) -> BooleanFn {
        let mut operands: Vec<BooleanFn> = operands.iter().map(|id| self.boolean(*id)).collect();
        match (op, operands.len()) {
            (LogicOp::And, 2) => {
                let (right, left) = (operands.remove(1), operands.remove(0));
                closures::boolean(move |runtime| Ok(left(runtime)? && right(runtime)?))
            }
            (LogicOp::Or, 2) => {
                let (right, left) = (operands.remove(1), operands.remove(0));
                closures::boolean(move |runtime| Ok(left(runtime)? || right(runtime)?))
            }
            (LogicOp::And, _) => closures::boolean(move |runtime| {
                for operand in &operands {
                    if !operand(runtime)? {
                        return Ok(false);
                    }
                }
                Ok(true)
            }),
            (LogicOp::Or, _) => closures::boolean(move |runtime| {
                for operand in &operands {
                    if operand(runtime)? {
                        return Ok(true);
                    }
                }
                Ok(false)
            }),
            (LogicOp::Xor, _) => closures::boolean(move |runtime| {
                operands.iter().try_fold(false, |sum, operand| Ok(sum ^ operand(runtime)?))
            }),
        }
    }

    fn comparison(&mut self, op: BinaryOp, left: NodeId, right: NodeId) -> BooleanFn {
        match self.program.type_of(left) {
            Type::Plain(Plain::Text) => self.text_comparison(op, left, right),
            Type::Plain(Plain::Number) => self.number_comparison(op, left, right),
            _ => {
                let (left, right) = (self.boolean(left), self.boolean(right));
                let is_equal = op == BinaryOp::Equal;
                closures::boolean(
                    move |runtime| Ok((left(runtime)? == right(runtime)?) == is_equal),
                )
            }
        }
    }

    fn number_comparison(&mut self, op: BinaryOp, left: NodeId, right: NodeId) -> BooleanFn {
        let (left, right) = (self.number(left), self.number(right));
        match op {
            BinaryOp::Less => closures::boolean(move |rt| Ok(left(rt)? < right(rt)?)),
            BinaryOp::LessEqual => closures::boolean(move |rt| Ok(left(rt)? <= right(rt)?)),
            BinaryOp::Greater => closures::boolean(move |rt| Ok(left(rt)? > right(rt)?)),
            BinaryOp::GreaterEqual => closures::boolean(move |rt| Ok(left(rt)? >= right(rt)?)),
            BinaryOp::NotEqual => closures::boolean(move |rt| Ok(left(rt)? != right(rt)?)),
            _ => closures::boolean(move |rt| Ok(left(rt)? == right(rt)?)),
        }
    }

    /// Compiles a pure node whose value is a number.
    pub(super) fn number(&mut self, id: NodeId) -> NumberFn {
        if let Some(&slot) = self.spilled.get(&id) {
            return closures::number(move |runtime| Ok(runtime.value(slot).number()));
        }
        let id = self.names.stand_in(self.program, id);
        match &self.program[id] {
            Node::Number(value) => {
                let value = *value;
                closures::number(move |_| Ok(value))
            }
            Node::Minus(operand) => {
                let operand = self.number(*operand);
                closures::number(move |runtime| {
                    let negated = operand(runtime)?.checked_neg();
                    negated.ok_or_else(|| Fail::new(FailCode::Overflow, id))
                })
            }
            Node::Binary { op, left, right } => self.arithmetic(*op, *left, *right, id),
            _ => {
                let value = self.value_of_other(id);
                closures::number(move |runtime| value(runtime).map(Value::number))
            }
        }
    }

    fn arithmetic(&mut self, op: BinaryOp, left: NodeId, right: NodeId, id: NodeId) -> NumberFn {
        let (left, right) = (self.number(left), self.number(right));
        closures::number(move |runtime| {
            let (left, right) = (left(runtime)?, right(runtime)?);
            let result = match op {
                BinaryOp::Subtract => left.checked_sub(right),
                BinaryOp::Multiply => left.checked_mul(right),
                BinaryOp::Divide | BinaryOp::Remainder if right == 0 => {
                    return Err(Fail::new(FailCode::Division, id));
                }
                BinaryOp::Divide => left.checked_div(right),
                BinaryOp::Remainder => left.checked_rem(right),
                _ => left.checked_add(right),
            };
            result.ok_or_else(|| Fail::new(FailCode::Overflow, id))
        })
    }

    /// Compiles a pure node whose value is a text.
    pub(super) fn text(&mut self, id: NodeId) -> TextFn {
        if let Some(&slot) = self.spilled.get(&id) {
            return closures::text(move |runtime| Ok(runtime.value(slot).text()));
        }
        let id = self.names.stand_in(self.program, id);
        if let Some(field) = self.field(id) {
            return closures::text(move |runtime| Ok(field(&runtime.transaction)));
        }
        match &self.program[id] {
            Node::Text(_) => closures::text(move |runtime| Ok(runtime.literal(id))),
            Node::Binary { op: _, left, right } => {
                let (left, right) = (self.text(*left), self.text(*right));
                closures::text(move |runtime| {
                    let pieces = [left(runtime)?, right(runtime)?];
                    let text = runtime.transaction.make(&pieces);
                    text.map_err(|code| Fail::new(code, id))
                })
            }
            Node::Read(access) => match self.header(access, id) {
                Some(header) => header,
                None => {
                    let value = self.read(access, id);
                    closures::text(move |runtime| value(runtime).map(Value::text))
                }
            },
            Node::Capture { text, regex, group } => {
                let (text, regex, group) = (self.text(*text), Arc::clone(regex), *group);
                closures::text(move |runtime| {
                    let group_text = crate::text::capture(&regex, group, text(runtime)?);
                    group_text.ok_or_else(|| Fail::new(FailCode::Absent, id))
                })
            }
            Node::Otherwise { left, right } => {
                let (left, right) = (self.text(*left), self.text(*right));
                closures::text(move |runtime| match left(runtime) {
                    Err(fail) if fail.is_catchable() => right(runtime),
                    result => result,
                })
            }
            _ => {
                let value = self.value_of_other(id);
                closures::text(move |runtime| value(runtime).map(Value::text))
            }
        }
    }
}
