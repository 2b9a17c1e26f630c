//! Conditions of rules, for which what is unknown is not true, even where it is negated.

use super::eval::eval;
use super::{Condition, Expr, Operator};
use crate::{Fault, Host};

impl Condition {
    /// Returns whether it holds, and would whatever the values are that the node does not have.
    ///
    /// `$trusted['extensions']['pp_zone'] != 'dmz'` does not hold for a node without a zone.
    pub(crate) fn holds_for_sure(&self, host: &mut dyn Host) -> Result<bool, Fault> {
        Ok(decide(&self.0, host)? == Some(true))
    }
}

/// Returns whether an expression is true; `None` if that depends on a value that is not there.
fn decide(expr: &Expr, host: &mut dyn Host) -> Result<Option<bool>, Fault> {
    match expr {
        Expr::Not(inner) => Ok(decide(inner, host)?.map(|is_true| !is_true)),
        Expr::Binary(operator @ (Operator::And | Operator::Or), left, right) => {
            // The value that decides alone, whatever the other is.
            let decisive = *operator == Operator::Or;
            let left = decide(left, host)?;
            if left == Some(decisive) {
                return Ok(left);
            }
            let right = decide(right, host)?;
            Ok(if right == Some(decisive) { right } else { left.and(right) })
        }
        expr if is_unknown(expr, host)? => Ok(None),
        expr => Ok(Some(eval(expr, host, true)?.is_truthy())),
    }
}

/// Returns whether something in an expression is not there.
fn is_unknown(expr: &Expr, host: &mut dyn Host) -> Result<bool, Fault> {
    if matches!(expr, Expr::Variable(_) | Expr::Access(..)) {
        return Ok(eval(expr, host, true)?.is_undef());
    }
    for part in parts(expr) {
        if is_unknown(part, host)? {
            return Ok(true);
        }
    }
    Ok(false)
}

/// Returns the expressions that an expression is made of.
pub(super) fn parts(expr: &Expr) -> Vec<&Expr> {
    match expr {
        Expr::Literal(_) | Expr::Regex(_) | Expr::Variable(_) => Vec::new(),
        Expr::Text(parts) | Expr::Array(parts) | Expr::Call(_, parts) => parts.iter().collect(),
        Expr::Hash(entries) => entries.iter().flat_map(|(key, value)| [key, value]).collect(),
        Expr::Access(left, right) | Expr::Binary(_, left, right) => vec![left, right],
        Expr::Not(inner) => vec![inner],
    }
}
