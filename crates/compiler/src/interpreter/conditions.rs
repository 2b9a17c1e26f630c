//! `if`, `unless`, `case` and selectors.

use kukla_pcore::Value;
use kukla_syntax::ast::{Expr, ExprId, ExprList, UnaryOp};

use super::{CatalogHost, Interpreter, text, unfolded, unwind};
use crate::program::NodeInfo;
use crate::{Eval, Program, issues};

impl<C: CatalogHost> Interpreter<C> {
    /// `if test { then } else { otherwise }`
    ///
    /// Variables that a match sets are gone afterwards.
    pub(super) fn if_(
        &mut self,
        program: &Program,
        test: ExprId,
        then: Option<ExprId>,
        otherwise: Option<ExprId>,
        out: &mut Value,
    ) -> Eval<()> {
        self.guarded(|this| {
            let branch = if this.is_true(program, test)? { then } else { otherwise };
            this.optional(program, branch, out)
        })
    }

    /// `case test { options }`
    #[inline(never)]
    pub(super) fn case(
        &mut self,
        program: &Program,
        test_id: ExprId,
        options: ExprList,
        out: &mut Value,
    ) -> Eval<()> {
        self.guarded(|this| {
            let ast = program.ast();
            let mut test = Value::Undef;
            this.eval_into(program, test_id, &mut test)?;
            let mut default = None;
            for &option in ast.list(options) {
                let Expr::CaseOption { values, then } = ast[option] else { continue };
                for &value in ast.list(values) {
                    match this.matches_option(program, &test, value)? {
                        OptionMatch::Default => default = then,
                        OptionMatch::Matches => return this.optional(program, then, out),
                        OptionMatch::Differs => (),
                    }
                }
            }
            this.optional(program, default, out)
        })
    }

    /// `left ? { selectors }`
    #[inline(never)]
    pub(super) fn selector(
        &mut self,
        program: &Program,
        left: ExprId,
        selectors: ExprList,
        out: &mut Value,
    ) -> Eval<()> {
        self.guarded(|this| {
            let ast = program.ast();
            let mut test = Value::Undef;
            this.eval_into(program, left, &mut test)?;
            let mut default = None;
            for &selector in ast.list(selectors) {
                let Expr::SelectorEntry { matching, value } = ast[selector] else { continue };
                match this.matches_option(program, &test, matching)? {
                    OptionMatch::Default => default = Some(value),
                    OptionMatch::Matches => return this.eval_into(program, value, out),
                    OptionMatch::Differs => (),
                }
            }
            match default {
                Some(value) => this.eval_into(program, value, out),
                None => issues::at(program, left, issues::unmatched_selector(&text::to_s(&test))),
            }
        })
    }

    #[inline]
    fn matches_option(&mut self, program: &Program, test: &Value, id: ExprId) -> Eval<OptionMatch> {
        let matches = match program.node_info(id) {
            NodeInfo::Constant(Value::Default) => return Ok(OptionMatch::Default),
            NodeInfo::Constant(value) => self.matches_value(test, value)?,
            _ => self.matches_evaluated(program, test, unwind(program, id))?,
        };
        Ok(if matches { OptionMatch::Matches } else { OptionMatch::Differs })
    }

    #[inline(never)]
    fn matches_evaluated(&mut self, program: &Program, test: &Value, id: ExprId) -> Eval<bool> {
        let Expr::Unary { op: UnaryOp::Unfold, expr } = program.ast()[id] else {
            let value = self.eval(program, id)?;
            return self.matches_value(test, &value);
        };
        for value in unfolded(self.eval(program, expr)?)? {
            if self.matches_value(test, &value)? {
                return Ok(true);
            }
        }
        Ok(false)
    }

    #[inline]
    fn optional(&mut self, program: &Program, id: Option<ExprId>, out: &mut Value) -> Eval<()> {
        match id {
            Some(id) => self.eval_into(program, id, out),
            None => Ok(()),
        }
    }

    /// Does something, and forgets the matches that were made meanwhile.
    #[inline]
    pub(super) fn guarded<T>(&mut self, run: impl FnOnce(&mut Self) -> Eval<T>) -> Eval<T> {
        let mark = self.scopes.mark();
        let result = run(self);
        self.scopes.restore(mark);
        result
    }
}

/// The relation of an option to the tested value.
enum OptionMatch {
    /// It is written `default`.
    Default,
    /// It matches.
    Matches,
    /// It does not.
    Differs,
}
