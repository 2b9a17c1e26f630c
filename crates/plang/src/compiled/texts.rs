//! Closures for tests on texts and sets: most rules have this form, so each kind has its own closure.

use std::sync::Arc;

use memchr::memmem::Finder;

use super::closures;
use super::code::{BooleanFn, TextFn};
use super::emit::Emitter;
use super::names::is_inert;
use crate::ast::{BinaryOp, TextOp, TextTest};
use crate::fail::Fail;
use crate::module::{FieldFn, ReadFn, Run};
use crate::program::{Access, Node, NodeId};
use crate::sets::NetSet;
use crate::text;
use crate::types::{Plain, Type};
use crate::value::Value;

/// Maximum length of a text with a prepared searcher, which holds a copy of it.
const LONGEST: usize = 1 << 8;

impl Emitter<'_> {
    pub(super) fn text_comparison(
        &mut self,
        op: BinaryOp,
        left: NodeId,
        right: NodeId,
    ) -> BooleanFn {
        match (self.field(left), self.literal(right)) {
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

    /// Returns a node or its stand-in, unless its value is in a slot.
    fn unspilled(&self, id: NodeId) -> Option<&Node> {
        let program = self.program;
        (!self.spilled.contains_key(&id)).then(|| &program[self.names.stand_in(program, id)])
    }

    /// Returns the text of a literal.
    fn literal(&self, id: NodeId) -> Option<Arc<[u8]>> {
        match self.unspilled(id)? {
            Node::Text(text) => Some(Arc::clone(text)),
            _ => None,
        }
    }

    /// Returns the function that reads a field, if the node is one.
    pub(super) fn field(&self, id: NodeId) -> Option<FieldFn> {
        let Node::Read(access) = self.unspilled(id)? else { return None };
        let is_alone = access.receiver.is_none_or(|receiver| is_inert(self.program, receiver));
        match access.member.run {
            Run::Field(field) if is_alone => Some(field),
            _ => None,
        }
    }

    /// Compiles `headers.value("Name")` with a known receiver.
    pub(super) fn header(&self, access: &Access, id: NodeId) -> Option<TextFn> {
        let Run::Header(about) = access.member.run else { return None };
        let [name] = *access.args else { return None };
        let name = self.literal(name)?;
        let Node::Read(headers) = self.unspilled(access.receiver?)? else { return None };
        let is_alone = headers.receiver.is_none_or(|receiver| is_inert(self.program, receiver));
        let side = match headers.member.run {
            Run::Constant(headers) if is_alone => headers.side()?,
            _ => return None,
        };
        Some(closures::text(move |runtime| {
            let value = about(runtime.transaction.headers(side), &name);
            value.map(Value::text).map_err(|code| Fail::new(code, id))
        }))
    }

    /// Compiles `set.has(text)` and `networks.has(address)` with a literal set.
    pub(super) fn quick_test(&mut self, access: &Access) -> Option<BooleanFn> {
        let [arg] = *access.args else { return None };
        match self.unspilled(access.receiver?)? {
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
                let set = Arc::clone(set);
                if let Some((read, id)) = self.plain_read(arg) {
                    return Some(closures::boolean(move |runtime| {
                        match read(&runtime.transaction, Value::Nothing, &[]) {
                            Ok(ip) => Ok(has(&set, ip)),
                            Err(code) => Err(Fail::new(code, id)),
                        }
                    }));
                }
                let ip = self.value(arg);
                Some(closures::boolean(move |runtime| Ok(has(&set, ip(runtime)?))))
            }
            _ => None,
        }
    }

    /// Returns the function of a member that needs neither receiver nor arguments.
    fn plain_read(&self, id: NodeId) -> Option<(ReadFn, NodeId)> {
        let Node::Read(access) = self.unspilled(id)? else { return None };
        let is_alone = access.receiver.is_none_or(|receiver| is_inert(self.program, receiver));
        match access.member.run {
            Run::Read(read) if is_alone && access.args.is_empty() => Some((read, id)),
            _ => None,
        }
    }

    fn is_ip(&self, id: NodeId) -> bool {
        !matches!(self.program.type_of(id), Type::Plain(Plain::Text))
    }
}

fn has(set: &NetSet, ip: Value<'_>) -> bool {
    matches!(ip, Value::Ip(ip) if set.has(ip))
}

/// Compiles the most common form of rule: `request.method == "GET"`.
fn field_literal(op: BinaryOp, field: FieldFn, literal: Arc<[u8]>) -> BooleanFn {
    match op {
        BinaryOp::NotEqual => {
            closures::boolean(move |rt| Ok(!text::same(field(&rt.transaction), &literal)))
        }
        BinaryOp::Text(TextOp { test: TextTest::BeginsWith, ignores_case: false }) => {
            closures::boolean(move |rt| Ok(text::begins_with(field(&rt.transaction), &literal)))
        }
        BinaryOp::Text(TextOp { test: TextTest::EndsWith, ignores_case: false }) => {
            closures::boolean(move |rt| Ok(text::ends_with(field(&rt.transaction), &literal)))
        }
        BinaryOp::Text(TextOp { test: TextTest::Contains, ignores_case: false })
            if literal.len() <= LONGEST =>
        {
            let finder = Finder::new(&literal).into_owned();
            closures::boolean(move |rt| Ok(finder.find(field(&rt.transaction)).is_some()))
        }
        BinaryOp::Text(op) if op.test != TextTest::Equal || op.ignores_case => {
            closures::boolean(move |rt| Ok(text::test(op, field(&rt.transaction), &literal)))
        }
        _ => closures::boolean(move |rt| Ok(text::same(field(&rt.transaction), &literal))),
    }
}

fn text_literal(op: BinaryOp, left: TextFn, literal: Arc<[u8]>) -> BooleanFn {
    match op {
        BinaryOp::Equal => closures::boolean(move |rt| Ok(text::same(left(rt)?, &literal))),
        BinaryOp::NotEqual => closures::boolean(move |rt| Ok(!text::same(left(rt)?, &literal))),
        BinaryOp::Text(TextOp { test: TextTest::Contains, ignores_case: false })
            if literal.len() <= LONGEST =>
        {
            let finder = Finder::new(&literal).into_owned();
            closures::boolean(move |rt| Ok(finder.find(left(rt)?).is_some()))
        }
        BinaryOp::Text(op) => closures::boolean(move |rt| Ok(text::test(op, left(rt)?, &literal))),
        _ => closures::boolean(|_| Ok(false)),
    }
}

fn text_text(op: BinaryOp, left: TextFn, right: TextFn) -> BooleanFn {
    match op {
        BinaryOp::Equal => closures::boolean(move |rt| Ok(text::same(left(rt)?, right(rt)?))),
        BinaryOp::NotEqual => closures::boolean(move |rt| Ok(!text::same(left(rt)?, right(rt)?))),
        BinaryOp::Text(op) => {
            closures::boolean(move |rt| Ok(text::test(op, left(rt)?, right(rt)?)))
        }
        _ => closures::boolean(|_| Ok(false)),
    }
}
