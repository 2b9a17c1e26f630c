//! Plans: catalog statements are allowed only in `apply`.

use super::Validator;
use crate::ast::{Expr, ExprId};
use crate::issues;

impl Validator<'_> {
    /// Returns true if catalog statements are allowed here; reports an error if not.
    pub(super) fn may_compile(&mut self, id: ExprId) -> bool {
        let may = !self.options.tasks || self.in_apply();
        if !may {
            self.only_when_compiling(id);
        }
        may
    }

    /// Returns true if resources may be collected here; in `apply` only virtual ones.
    pub(super) fn may_collect(&mut self, id: ExprId, query: ExprId) -> bool {
        if !self.may_compile(id) {
            return false;
        }
        let exported = matches!(self.ast[query], Expr::Query { exported: true, .. });
        if self.options.tasks && exported {
            let what = self.a_an_uc(id);
            self.report(issues::expression_not_supported_when_compiling(self.span(id), &what));
            return false;
        }
        true
    }

    pub(super) fn apply(&mut self, id: ExprId) {
        if self.in_apply() {
            let what = self.a_an_uc(id);
            self.report(issues::expression_not_supported_when_compiling(self.span(id), &what));
        }
    }

    pub(super) fn only_when_compiling(&mut self, id: ExprId) {
        let what = self.a_an_uc(id);
        self.report(issues::expression_not_supported_when_scripting(self.span(id), &what));
    }

    fn in_apply(&self) -> bool {
        self.apply.is_some()
    }
}
