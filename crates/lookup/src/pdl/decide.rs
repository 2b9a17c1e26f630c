//! Conditions of rules, in which unknown data never makes a condition true, even if it is negated.

use kukla_syntax::ast::{BinaryOp, Child, Expr, ExprId, UnaryOp};

use super::rules::Condition;
use super::tree::Tree;
use crate::{Fault, Host};

impl Condition {
    /// Whether the condition holds for all possible values of the node's missing data.
    ///
    /// `$trusted['extensions']['pp_zone'] != 'dmz'` does not hold for a node without a zone.
    pub(crate) fn holds_for_sure(&self, host: &mut dyn Host) -> Result<bool, Fault> {
        Ok(decide(&self.tree, self.id, host)? == Some(true))
    }
}

/// Evaluates a condition; `None` if the result depends on missing data.
fn decide(tree: &Tree, id: ExprId, host: &mut dyn Host) -> Result<Option<bool>, Fault> {
    let id = tree.inner(id);
    // A chain of operators is as deep as it is long.
    let mut each =
        |id: ExprId| stacker::maybe_grow(32 << 10, 1 << 20, || decide(tree, id, &mut *host));
    match tree.expr(id) {
        Expr::Unary { op: UnaryOp::Not, expr } => Ok(each(expr)?.map(|is_true| !is_true)),
        Expr::Binary { op: op @ (BinaryOp::And | BinaryOp::Or), left, right } => {
            // The operand value that alone decides the result.
            let decisive = op == BinaryOp::Or;
            let left = each(left)?;
            if left == Some(decisive) {
                return Ok(left);
            }
            let right = each(right)?;
            Ok(if right == Some(decisive) { right } else { left.and(right) })
        }
        _ if is_unknown(tree, id, host)? => Ok(None),
        _ => tree.holds(id, host).map(Some),
    }
}

/// Whether a part of an expression is missing.
fn is_unknown(tree: &Tree, id: ExprId, host: &mut dyn Host) -> Result<bool, Fault> {
    let (mut rest, mut children) = (vec![id], Vec::new());
    while let Some(id) = rest.pop() {
        if matches!(tree.expr(id), Expr::Variable(_) | Expr::Access { .. }) {
            if tree.condition_value(id, host)?.is_undef() {
                return Ok(true);
            }
            continue;
        }
        tree.push_children(id, &mut children);
        rest.extend(children.drain(..).rev().filter_map(Child::id));
    }
    Ok(false)
}
