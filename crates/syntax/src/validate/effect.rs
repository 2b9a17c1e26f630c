//! Whether an expression does anything but produce a value.

use super::Validator;
use crate::ast::{BinaryOp, Expr, ExprId, UnaryOp};

impl Validator<'_> {
    /// Whether nothing is different after the expression was evaluated (Puppet says *idem*).
    ///
    /// Calls are never idem, since nobody knows what they do.
    pub(super) fn is_idem(&self, id: ExprId) -> bool {
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
                UnaryOp::Paren => self.is_idem(expr),
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
            Expr::Block(list) | Expr::ApplyBlock(list) => self.all_idem(self.ast.list(list)),
            Expr::If { test, then, otherwise } | Expr::Unless { test, then, otherwise } => {
                self.is_idem(test) && self.is_none_or_idem(then) && self.is_none_or_idem(otherwise)
            }
            Expr::Case { test, options } => {
                self.is_idem(test) && self.all_idem(self.ast.list(options))
            }
            Expr::CaseOption { values, then } => {
                self.all_idem(self.ast.list(values)) && self.is_none_or_idem(then)
            }
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

    fn is_none_or_idem(&self, id: Option<ExprId>) -> bool {
        id.is_none_or(|id| self.is_idem(id))
    }

    fn all_idem(&self, ids: &[ExprId]) -> bool {
        ids.iter().all(|&id| self.is_idem(id))
    }

    /// The last statement of a body, if it is idem.
    pub(super) fn idem_at_end(&self, body: Option<ExprId>) -> Option<ExprId> {
        let last = match self.ast[body?] {
            Expr::Block(list) => *self.ast.list(list).last()?,
            _ => body?,
        };
        self.is_idem(last).then_some(last)
    }
}
