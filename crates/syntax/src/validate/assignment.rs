//! Targets of assignments.

use super::{Validator, names};
use crate::ast::{AssignmentOp, BinaryOp, Child, Expr, ExprId, Text};
use crate::issues;

impl Validator<'_> {
    pub(super) fn assignment(&mut self, id: ExprId, op: AssignmentOp, left: ExprId, right: ExprId) {
        match op {
            AssignmentOp::Set => {
                self.assignable(left);
                self.rvalue(right);
            }
            AssignmentOp::Append | AssignmentOp::Delete => {
                let operator = BinaryOp::Assign(op).as_str();
                let span = self.span(id);
                self.report(issues::appends_deletes_no_longer_supported(span, operator));
            }
        }
    }

    fn assignable(&mut self, id: ExprId) {
        // An explicit stack, since arrays may be nested to any depth.
        let mut rest = vec![id];
        while let Some(id) = rest.pop() {
            match self.ast[id] {
                Expr::Variable(name) => self.assignable_variable(id, name),
                Expr::Access { .. } => {
                    self.report(issues::illegal_indexed_assignment(self.span(id)));
                }
                Expr::List(values) => rest.extend(self.ast.list(values).iter().rev()),
                Expr::Error => (),
                _ => {
                    let issue = issues::illegal_assignment(self.span(id), &self.a_an(id));
                    self.report(issue);
                }
            }
        }
    }

    fn assignable_variable(&mut self, id: ExprId, name: Text) {
        let (span, name) = (self.span(id), self.ast.text(name));
        if names::is_numeric_variable(name) {
            self.report(issues::illegal_numeric_assignment(span, name));
        }
        if name.contains("::") {
            self.report(issues::cross_scope_assignment(span, name));
        }
    }

    /// Finds assignments in the default of a parameter; those of a lambda are its own.
    pub(super) fn no_assignment_in(&mut self, id: ExprId) {
        let mut rest = vec![id];
        let mut children = Vec::new();
        while let Some(id) = rest.pop() {
            match self.ast[id] {
                Expr::Binary { op: BinaryOp::Assign(_), .. } => {
                    self.report(issues::illegal_assignment_context(self.span(id)));
                }
                Expr::Lambda { .. } => (),
                _ => {
                    self.ast.push_children(id, &mut children);
                    rest.extend(children.drain(..).rev().filter_map(Child::id));
                }
            }
        }
    }
}
