//! Expressions without an effect besides their value.

use super::Validator;
use crate::ast::{BinaryOp, Expr, ExprId, UnaryOp};

/// The number of nodes visited for one expression before the answers for all nodes are computed.
const MAX_STEPS: usize = 500;

impl Validator<'_> {
    /// Returns true if the evaluation of an expression changes nothing (Puppet says *idem*).
    ///
    /// Calls are never idem, since their effects are unknown.
    pub(super) fn is_idem(&self, id: ExprId) -> bool {
        let mut steps = MAX_STEPS;
        let answer = self.idem.get().is_none() && self.is_idem_within(id, &mut steps);
        if steps > 0 && self.idem.get().is_none() { answer } else { self.all_answers()[id.index()] }
    }

    /// Returns the answer for every node. Otherwise nested blocks would be visited once per level.
    fn all_answers(&self) -> &[bool] {
        self.idem.get_or_init(|| {
            let mut answers = vec![false; self.ast.len() + 1];
            for id in self.ast.children_first() {
                answers[id.index()] = self.is_idem_if(id, &mut |child| answers[child.index()]);
            }
            answers
        })
    }

    /// Like [`Self::is_idem`], but gives up once `steps` is zero.
    fn is_idem_within(&self, id: ExprId, steps: &mut usize) -> bool {
        *steps = steps.saturating_sub(1);
        *steps > 0 && self.is_idem_if(id, &mut |child| self.is_idem_within(child, steps))
    }

    /// Returns true if a node is idem, given the answers for its children.
    fn is_idem_if(&self, id: ExprId, idem: &mut dyn FnMut(ExprId) -> bool) -> bool {
        let all = |list, idem: &mut dyn FnMut(ExprId) -> bool| {
            self.ast.list(list).iter().all(|&id| idem(id))
        };
        match self.ast[id] {
            Expr::Nop
            | Expr::Regexp(_)
            | Expr::String(_)
            | Expr::Integer { .. }
            | Expr::Float(_)
            | Expr::Undef
            | Expr::Default
            | Expr::Boolean(_)
            | Expr::QualifiedName(_)
            | Expr::ReservedWord(_)
            | Expr::QualifiedReference(_)
            | Expr::List(_)
            | Expr::Hash(_)
            | Expr::Access { .. }
            | Expr::NamedAccess { .. }
            | Expr::Concat(_)
            | Expr::Heredoc { .. }
            | Expr::Selector { .. }
            | Expr::Variable(_) => true,
            Expr::Unary { op, expr } => match op {
                UnaryOp::Paren => idem(expr),
                UnaryOp::Render => false,
                UnaryOp::Not | UnaryOp::Minus | UnaryOp::Unfold | UnaryOp::Text => true,
            },
            // A match sets $1 and so on.
            Expr::Binary { op, left: _, right: _ } => !matches!(
                op,
                BinaryOp::Match
                    | BinaryOp::NoMatch
                    | BinaryOp::Assign(_)
                    | BinaryOp::Before
                    | BinaryOp::Require
                    | BinaryOp::Notify
                    | BinaryOp::Subscribe
            ),
            Expr::Block(list) | Expr::ApplyBlock(list) => all(list, idem),
            Expr::If { test, then, otherwise } | Expr::Unless { test, then, otherwise } => {
                idem(test) && then.is_none_or(&mut *idem) && otherwise.is_none_or(idem)
            }
            Expr::Case { test, options } => idem(test) && all(options, idem),
            Expr::CaseOption { values, then } => all(values, idem) && then.is_none_or(idem),
            Expr::Error
            | Expr::KeyedEntry { .. }
            | Expr::Query { .. }
            | Expr::Collect { .. }
            | Expr::AttributeOperation { .. }
            | Expr::AttributesOperation(_)
            | Expr::Parameter { .. }
            | Expr::Named(_)
            | Expr::Node { .. }
            | Expr::TypeAlias { .. }
            | Expr::TypeMapping { .. }
            | Expr::TypeDefinition(_)
            | Expr::Lambda { .. }
            | Expr::Apply { .. }
            | Expr::Call { .. }
            | Expr::Epp { .. }
            | Expr::RenderString(_)
            | Expr::ResourceBody { .. }
            | Expr::Resource { .. }
            | Expr::ResourceDefaults { .. }
            | Expr::ResourceOverride { .. }
            | Expr::SelectorEntry { .. } => false,
        }
    }

    /// Returns the last statement of a body, if it is idem.
    pub(super) fn idem_at_end(&self, body: Option<ExprId>) -> Option<ExprId> {
        let last = match self.ast[body?] {
            Expr::Block(list) => *self.ast.list(list).last()?,
            _ => body?,
        };
        self.is_idem(last).then_some(last)
    }
}
