//! Tests on texts and sets: the shape of most rules, so each has a closure of its own.

use std::sync::Arc;

use memchr::memmem::Finder;

use super::closures;
use super::code::{BooleanFn, TextFn};
use super::emit::Emitter;
use crate::ast::{BinaryOp, TextOp, TextTest};
use crate::module::Run;
use crate::program::{Access, Node, NodeId};
use crate::text;
use crate::transaction::Transaction;
use crate::types::{Plain, Type};
use crate::value::Value;

/// A text of the message that is always there.
type Field = for<'a> fn(&Transaction<'a>) -> &'a [u8];

impl Emitter<'_> {
    pub(super) fn text_comparison(
        &mut self,
        op: BinaryOp,
        left: NodeId,
        right: NodeId,
    ) -> BooleanFn {
        let literal = match (&self.program[right], self.spilled.contains_key(&right)) {
            (Node::Text(text), false) => Some(text.clone()),
            _ => None,
        };
        match (self.field(left), literal) {
            (Some(field), Some(literal)) => field_literal(op, field, literal),
            (_, Some(literal)) => {
                let left = self.text(left);
                text_literal(op, left, literal)
            }
            (_, None) => {
                let (left, right) = (self.text(left), self.text(right));
                text_text(op, left, right)
            }
        }
    }

    /// The function that reads a field, if the node is one.
    fn field(&self, id: NodeId) -> Option<Field> {
        if self.spilled.contains_key(&id) {
            return None;
        }
        match &self.program[id] {
            Node::Read(access) => match access.member.run {
                Run::Field(field)
                    if access.receiver.is_none_or(|receiver| self.is_inert(receiver)) =>
                {
                    Some(field)
                }
                _ => None,
            },
            _ => None,
        }
    }

    /// `set.has(text)` and `networks.has(address)` of sets that stand right there.
    pub(super) fn quick_test(&mut self, access: &Access) -> Option<BooleanFn> {
        let program = self.program;
        let [arg] = *access.args else { return None };
        match &program[access.receiver?] {
            Node::Set(set) if access.member.name == "has" => {
                let set = Arc::clone(set);
                if let Some(field) = self.field(arg) {
                    return Some(closures::boolean(move |runtime| {
                        Ok(set.has(field(&runtime.transaction)))
                    }));
                }
                let text = self.text(arg);
                Some(closures::boolean(move |runtime| Ok(set.has(text(runtime)?))))
            }
            Node::NetSet(set) if access.member.name == "has" && self.is_ip(arg) => {
                let (set, ip) = (Arc::clone(set), self.value(arg));
                Some(closures::boolean(move |runtime| match ip(runtime)? {
                    Value::Ip(ip) => Ok(set.has(ip)),
                    _ => Ok(false),
                }))
            }
            _ => None,
        }
    }

    fn is_ip(&self, id: NodeId) -> bool {
        !matches!(self.program.type_of(id), Type::Plain(Plain::Text))
    }
}

/// The shape of most rules: `request.method == "GET"`.
fn field_literal(op: BinaryOp, field: Field, literal: Box<[u8]>) -> BooleanFn {
    match op {
        BinaryOp::NotEqual => closures::boolean(move |rt| Ok(field(&rt.transaction) != &*literal)),
        BinaryOp::Text(TextOp { test: TextTest::BeginsWith, ignores_case: false }) => {
            closures::boolean(move |rt| Ok(field(&rt.transaction).starts_with(&literal)))
        }
        BinaryOp::Text(TextOp { test: TextTest::EndsWith, ignores_case: false }) => {
            closures::boolean(move |rt| Ok(field(&rt.transaction).ends_with(&literal)))
        }
        BinaryOp::Text(TextOp { test: TextTest::Contains, ignores_case: false }) => {
            let finder = Finder::new(&literal).into_owned();
            closures::boolean(move |rt| Ok(finder.find(field(&rt.transaction)).is_some()))
        }
        BinaryOp::Text(op) if op.test != TextTest::Equal || op.ignores_case => {
            closures::boolean(move |rt| Ok(text::test(op, field(&rt.transaction), &literal)))
        }
        _ => closures::boolean(move |rt| Ok(field(&rt.transaction) == &*literal)),
    }
}

fn text_literal(op: BinaryOp, left: TextFn, literal: Box<[u8]>) -> BooleanFn {
    match op {
        BinaryOp::Equal => closures::boolean(move |rt| Ok(left(rt)? == &*literal)),
        BinaryOp::NotEqual => closures::boolean(move |rt| Ok(left(rt)? != &*literal)),
        BinaryOp::Text(TextOp { test: TextTest::Contains, ignores_case: false }) => {
            let finder = Finder::new(&literal).into_owned();
            closures::boolean(move |rt| Ok(finder.find(left(rt)?).is_some()))
        }
        BinaryOp::Text(op) => closures::boolean(move |rt| Ok(text::test(op, left(rt)?, &literal))),
        _ => closures::boolean(|_| Ok(false)),
    }
}

fn text_text(op: BinaryOp, left: TextFn, right: TextFn) -> BooleanFn {
    match op {
        BinaryOp::Equal => closures::boolean(move |rt| Ok(left(rt)? == right(rt)?)),
        BinaryOp::NotEqual => closures::boolean(move |rt| Ok(left(rt)? != right(rt)?)),
        BinaryOp::Text(op) => {
            closures::boolean(move |rt| Ok(text::test(op, left(rt)?, right(rt)?)))
        }
        _ => closures::boolean(|_| Ok(false)),
    }
}
