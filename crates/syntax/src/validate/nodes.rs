//! Node definitions.

use super::{Validator, names};
use crate::ast::{Expr, ExprId, ExprList, UnaryOp};
use crate::issues;

impl Validator<'_> {
    pub(super) fn node(
        &mut self,
        id: ExprId,
        matches: ExprList,
        parent: Option<ExprId>,
        body: Option<ExprId>,
    ) {
        if !self.may_compile(id) {
            return;
        }
        for &hostname in self.ast.list(matches) {
            self.hostname(id, hostname);
        }
        self.top(id);
        self.no_idem_last(id, body);
        if let Some(parent) = parent {
            self.report(issues::illegal_node_inheritance(self.span(parent)));
        }
    }

    fn hostname(&mut self, node: ExprId, id: ExprId) {
        match self.ast[id] {
            Expr::String(name) => {
                let name = self.ast.text(name);
                if !names::is_hostname(name) {
                    self.report(issues::illegal_hostname_chars(self.span(id), name));
                }
            }
            Expr::Concat(segments) => {
                let interpolated =
                    self.ast.list(segments).iter().find_map(|&segment| match self.ast[segment] {
                        Expr::Unary { op: UnaryOp::Text, expr } => Some(expr),
                        _ => None,
                    });
                let span = self.span(interpolated.unwrap_or(id));
                self.report(issues::illegal_hostname_interpolation(span));
            }
            Expr::Regexp(_) | Expr::Default | Expr::Error => (),
            _ => {
                let (what, container) = (self.a_an_uc(id), self.a_an(node));
                let span = self.span(id);
                self.report(issues::illegal_expression(span, &what, "hostname", &container));
            }
        }
    }
}
