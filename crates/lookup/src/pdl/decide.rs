//! Conditions of rules, for which what is unknown is not true, even where it is negated.

use kukla_syntax::ast::{BinaryOp, Child, Expr, ExprId, UnaryOp};

use super::rules::Condition;
use super::tree::Tree;
use crate::{Fault, Host};

impl Condition {
    /// Returns whether it holds, and would whatever the values are that the node does not have.
    ///
    /// `$trusted['extensions']['pp_zone'] != 'dmz'` does not hold for a node without a zone.
    pub(crate) fn holds_for_sure(&self, host: &mut dyn Host) -> Result<bool, Fault> {
        Ok(decide(&self.tree, self.id, host)? == Some(true))
    }
}

/// Returns whether an expression is true; `None` if that depends on a value that is not there.
fn decide(tree: &Tree, id: ExprId, host: &mut dyn Host) -> Result<Option<bool>, Fault> {
    let id = tree.inner(id);
    // A chain of operators is as deep as it is long.
    let mut each =
        |id: ExprId| stacker::maybe_grow(32 << 10, 1 << 20, || decide(tree, id, &mut *host));
    match tree.expr(id) {
        Expr::Unary { op: UnaryOp::Not, expr } => Ok(each(expr)?.map(|is_true| !is_true)),
        Expr::Binary { op: op @ (BinaryOp::And | BinaryOp::Or), left, right } => {
            // The value that decides alone, whatever the other is.
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

/// Returns whether something in an expression is not there.
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
