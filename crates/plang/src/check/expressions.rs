//! Expressions: dispatch, literals, names, blocks that are run.

use std::sync::Arc;

use kukla_base::Span;

use super::build::{Checker, Code};
use super::constant::Constant;
use crate::ast::{Expr, ExprId};
use crate::fail::FailCode;
use crate::issues;
use crate::program::{Node, NodeId, Slot};
use crate::types::{Plain, Type};

/// Maximum depth of blocks that run each other: every pass over them recurses.
const DEEPEST: u32 = 512;

impl Checker<'_> {
    /// Checks an expression for its value. A block is not run.
    pub(super) fn expression(&mut self, id: ExprId) -> NodeId {
        let span = self.ast.span(id);
        match &self.ast[id] {
            Expr::Boolean(value) => self.boolean(*value, span),
            Expr::Number(value) => self.number(*value, span),
            Expr::Text(bytes) => self.text_literal(bytes, span),
            Expr::Name(_) | Expr::Member { .. } => self.reference_value(id),
            Expr::Call { callee, args } => self.call(*callee, args, span),
            Expr::Unary { op, operand } => self.unary(*op, *operand, span),
            Expr::Binary { op, left, right } => self.binary(*op, *left, *right, span),
            Expr::Logic { op, operands } => self.logic(*op, operands, span),
            Expr::Otherwise { left, right } => self.otherwise(*left, *right, span),
            Expr::Try(operand) => self.try_(*operand, span),
            Expr::Import(operand) => self.import(*operand, span),
            Expr::Block(_) => self.block_value(id),
            Expr::If { .. } | Expr::Assign { .. } | Expr::Error => self.unknown(span),
        }
    }

    fn boolean(&mut self, value: bool, span: Span) -> NodeId {
        let node = self.add(Node::Boolean(value), span, Type::BOOLEAN);
        self.facts_mut(node).constant = Some(Constant::Boolean(value));
        node
    }

    fn number(&mut self, value: i64, span: Span) -> NodeId {
        let node = self.add(Node::Number(value), span, Type::NUMBER);
        self.facts_mut(node).constant = Some(Constant::Number(value));
        node
    }

    fn text_literal(&mut self, bytes: &Arc<[u8]>, span: Span) -> NodeId {
        let node = self.add(Node::Text(Arc::clone(bytes)), span, Type::TEXT);
        let facts = self.facts_mut(node);
        facts.size = bytes.len() as u64;
        facts.constant = Some(Constant::Text(Arc::clone(bytes)));
        node
    }

    /// Checks the use of a name of the program.
    pub(super) fn name(&mut self, name: usize, text: &str, span: Span) -> NodeId {
        self.names[name].is_used = true;
        let (is_definite, is_maybe) = (self.flow.definite.has(name), self.flow.maybe.has(name));
        let is_reported = !self.flow.ends && !is_definite;
        if is_reported && !(is_maybe && self.options.is_lenient) {
            let site = self.names[name].sites.last().copied();
            self.diagnostics.push(issues::unassigned(span, text, site, is_maybe));
            return self.unknown(span);
        }
        let target = &self.names[name];
        let (type_, fails, facts) = (target.type_, target.fails, target.facts.clone());
        let node = self.add(Node::Name(Slot::new(name)), span, type_);
        let cost = self.facts(node).cost;
        let depth = facts.depth + 1;
        *self.facts_mut(node) = super::build::NodeFacts { cost, depth, ..facts };
        if let Some(Constant::Fails(code)) = self.facts(node).constant {
            self.always_fails(node, code);
        } else if fails {
            self.may_fail(node, &format!("`{text}` has no value"));
        }
        if is_reported {
            self.may_fail(node, FailCode::Unassigned.words());
        }
        node
    }

    /// Checks an expression whose code is run; the value is that of the block.
    pub(super) fn run_operand(&mut self, id: ExprId) -> NodeId {
        match &self.ast[id] {
            Expr::Block(_) => {
                let code = self.inline_code(id);
                self.run(code, Node::Run, None)
            }
            _ => {
                let node = self.expression(id);
                match self.type_of(node) {
                    Type::Code(_) => {
                        self.apply_code(node);
                        self.run(node, Node::Run, None)
                    }
                    Type::Plain(_) | Type::Function | Type::Unknown => node,
                }
            }
        }
    }

    /// Checks a block literal that runs in place: its assignments hold from then on.
    pub(super) fn inline_code(&mut self, id: ExprId) -> NodeId {
        let block = self.inline_block(id, true);
        let code = Code {
            assigns: self.flow.definite.clone(),
            ends: self.flow.ends,
            fails: self.block_fails(block),
            cost: self.block_cost(block),
            depth: self.block_depth(block),
        };
        self.block_node(id, block, code)
    }

    /// Updates the flow state as if the code of a node had run.
    pub(super) fn apply_code(&mut self, node: NodeId) {
        let Some(code) = self.facts(node).code else { return };
        let code = self.code(code).clone();
        self.flow.definite = self.flow.definite.or(&code.assigns);
        self.flow.maybe = self.flow.maybe.or(&code.assigns);
        self.flow.ends |= code.ends;
        if code.fails && self.n_catching == 0 {
            self.may_fail(node, "the block fails");
        }
    }

    /// Adds a node that runs code; `type_` overrides the block's type as that of the result.
    pub(super) fn run(
        &mut self,
        code: NodeId,
        kind: fn(NodeId) -> Node,
        type_: Option<Type>,
    ) -> NodeId {
        let value = match self.type_of(code) {
            Type::Code(value) => Type::Plain(value),
            Type::Plain(_) | Type::Function | Type::Unknown => Type::Unknown,
        };
        let node = self.add(kind(code), self.span_of(code), type_.unwrap_or(value));
        let block = self.facts(code).code.map(|code| self.code(code).clone());
        let size = self.options.limits.field;
        let cost = block.as_ref().map(|code| code.cost).unwrap_or_default();
        let mut depth = self.facts(node).depth.max(block.as_ref().map_or(0, |code| code.depth) + 1);
        if depth > DEEPEST {
            self.diagnostics.push(issues::too_deep_blocks(self.span_of(code), DEEPEST));
            depth = 0;
        }
        let facts = self.facts_mut(node);
        facts.cost = facts.cost.plus(cost);
        facts.size = size;
        facts.depth = depth;
        self.traits_mut(node).acts = true;
        self.traits_mut(node).fails = block.is_some_and(|code| code.fails);
        node
    }

    /// `left otherwise right`
    fn otherwise(&mut self, left: ExprId, right: ExprId, span: Span) -> NodeId {
        if let Some(node) = self.import_choice(left, right) {
            return node;
        }
        let before = self.flow.clone();
        self.n_catching += 1;
        let left_node = self.run_operand(left);
        self.n_catching -= 1;
        if !self.traits_of(left_node).fails && self.type_of(left_node) != Type::Unknown {
            let issue = issues::needless_otherwise(self.ast.span(right), self.span_of(left_node));
            self.diagnostics.push(issue);
        }
        let after = std::mem::replace(&mut self.flow, before);
        let was_strict = std::mem::replace(&mut self.is_strict, false);
        let right_node = self.run_operand(right);
        self.is_strict = was_strict;
        self.flow = after.join(self.flow.clone());
        let type_ = self.otherwise_type(left_node, right_node);
        let (left, right) = (left_node, right_node);
        let node = self.add(Node::Otherwise { left, right }, span, type_);
        self.traits_mut(node).fails = self.traits_of(right).fails;
        self.facts_mut(node).size = self.facts(left).size.max(self.facts(right).size);
        node
    }

    fn otherwise_type(&mut self, left: NodeId, right: NodeId) -> Type {
        let are_blocks = [left, right].iter().any(|id| matches!(self.node(*id), Node::Run(_)));
        match (self.type_of(left), self.type_of(right)) {
            (Type::Plain(Plain::Never), type_) | (type_, Type::Plain(Plain::Never)) => type_,
            (Type::Unknown, type_) | (type_, Type::Unknown) => type_,
            (one, other) if one == other => one,
            _ if are_blocks => Type::NOTHING,
            (one, other) => {
                let span = self.span_of(right);
                self.diagnostics.push(issues::bad_operands(span, "otherwise", one, other));
                Type::Unknown
            }
        }
    }

    /// `try code`
    fn try_(&mut self, operand: ExprId, span: Span) -> NodeId {
        let code = match &self.ast[operand] {
            Expr::Block(_) => self.inline_code(operand),
            _ => {
                let node = self.expression(operand);
                self.apply_code(node);
                node
            }
        };
        match self.type_of(code) {
            Type::Code(_) => self.run(code, Node::Try, Some(Type::BOOLEAN)),
            Type::Unknown => self.unknown(span),
            found => {
                let issue = issues::wrong_type(span, "block", found, "the operand of `try`");
                self.diagnostics.push(issue);
                self.unknown(span)
            }
        }
    }

    /// Reports a node that always fails: an error if it is always evaluated and nothing catches it.
    pub(super) fn always_fails(&mut self, node: NodeId, code: FailCode) {
        let span = self.span_of(node);
        let is_certain = self.is_strict && self.n_catching == 0 && !self.flow.ends;
        self.diagnostics.push(match is_certain {
            true => issues::always_fails(span, code.words()),
            false => issues::will_fail(span, code.words()),
        });
        self.facts_mut(node).constant = Some(Constant::Fails(code));
        self.traits_mut(node).fails = true;
    }
}
