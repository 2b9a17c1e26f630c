//! `and`, `or`, `xor`, `not`: on truth values, and on blocks that complete or fail.

use kukla_base::Span;

use super::build::Checker;
use super::constant::Constant;
use super::flow::FlowState;
use crate::ast::{Expr, ExprId, LogicOp};
use crate::issues;
use crate::program::{Node, NodeId};
use crate::types::{Plain, Type};

impl Checker<'_> {
    /// Checks `a and b and c`. Operands after the first are evaluated on some paths only.
    pub(super) fn logic(&mut self, op: LogicOp, operands: &[ExprId], span: Span) -> NodeId {
        let was_strict = self.is_strict;
        let mut nodes = Vec::with_capacity(operands.len());
        let mut exits: Option<FlowState> = None;
        for &operand in operands {
            self.lint_xor(op, operand);
            let before = self.flow.clone();
            let node = self.boolean_operand(operand, &format!("an operand of `{}`", op.text()));
            let is_block = matches!(self.node(node), Node::Completes(_));
            let failed = if is_block { before } else { self.flow.clone() };
            let (leaves, goes_on) = match op {
                LogicOp::And => (failed, self.flow.clone()),
                LogicOp::Or => (self.flow.clone(), failed),
                LogicOp::Xor => {
                    let either = failed.join(self.flow.clone());
                    (either.clone(), either)
                }
            };
            if op != LogicOp::Xor {
                exits = Some(match exits.take() {
                    Some(exits) => exits.join(leaves),
                    None => leaves,
                });
                self.is_strict = false;
            }
            self.flow = goes_on;
            nodes.push(node);
        }
        self.is_strict = was_strict;
        if let Some(exits) = exits {
            self.flow = exits.join(self.flow.clone());
        }
        self.lint_logic(op, operands, &nodes);
        let constant = self.fold_logic(op, &nodes);
        let node = self.add(Node::Logic { op, operands: nodes.into() }, span, Type::BOOLEAN);
        self.facts_mut(node).constant = constant;
        node
    }

    fn fold_logic(&self, op: LogicOp, nodes: &[NodeId]) -> Option<Constant> {
        let value_of = |id: &NodeId| self.constant(*id).and_then(Constant::boolean);
        let mut values = nodes.iter().map(value_of);
        match op {
            // Operands before a deciding constant may still fail.
            LogicOp::And | LogicOp::Or => {
                let decides = op == LogicOp::Or;
                for value in values {
                    match value {
                        Some(value) if value == decides => return Some(Constant::Boolean(decides)),
                        Some(_) => (),
                        None => return None,
                    }
                }
                Some(Constant::Boolean(!decides))
            }
            LogicOp::Xor => {
                values.try_fold(false, |sum, value| Some(sum ^ value?)).map(Constant::Boolean)
            }
        }
    }

    fn lint_xor(&mut self, op: LogicOp, operand: ExprId) {
        let span = self.ast.span(operand);
        let is_bare = self.text.as_bytes().get(span.start as usize) != Some(&b'(');
        if let (LogicOp::Xor, Expr::Logic { op: LogicOp::And | LogicOp::Or, .. }, true) =
            (op, &self.ast[operand], is_bare)
        {
            self.diagnostics.push(issues::mixed_xor(span));
        }
    }

    /// Checks a truth value, or a block whose completion is one.
    pub(super) fn boolean_operand(&mut self, id: ExprId, context: &str) -> NodeId {
        let before = self.flow.clone();
        let node = match &self.ast[id] {
            Expr::Block(_) => {
                self.n_catching += 1;
                let node = self.inline_code(id);
                self.n_catching -= 1;
                node
            }
            _ => self.expression(id),
        };
        match self.type_of(node) {
            Type::Plain(Plain::Boolean) | Type::Unknown => node,
            Type::Code(_) => {
                self.n_catching += 1;
                self.apply_code(node);
                self.n_catching -= 1;
                // A block that ends the program when it completes may still fail.
                if self.flow.ends && self.code_fails(node) {
                    self.flow = before;
                }
                let node = self.run(node, Node::Completes, Some(Type::BOOLEAN));
                self.traits_mut(node).fails = false;
                node
            }
            found => {
                let issue = issues::wrong_type(self.ast.span(id), "boolean", found, context);
                self.diagnostics.push(issue);
                self.unknown(self.ast.span(id))
            }
        }
    }

    fn code_fails(&self, node: NodeId) -> bool {
        self.facts(node).code.is_none_or(|code| self.code(code).fails)
    }

    /// `not a`, `!a`
    pub(super) fn not(&mut self, operand: ExprId, span: Span) -> NodeId {
        let before = self.flow.clone();
        let operand = self.boolean_operand(operand, "the operand of `not`");
        if matches!(self.node(operand), Node::Completes(_)) {
            self.flow = before.join(self.flow.clone());
        }
        let constant = self.constant(operand).and_then(Constant::boolean);
        let node = self.add(Node::Not(operand), span, Type::BOOLEAN);
        self.facts_mut(node).constant = constant.map(|value| Constant::Boolean(!value));
        node
    }
}
