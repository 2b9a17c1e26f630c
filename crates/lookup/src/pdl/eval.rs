//! Evaluation of values and conditions.

use std::borrow::Cow;
use std::cmp::Ordering;

use kukla_pcore::{Hash, Value, interpolate, ruby};
use kukla_syntax::ast::{BinaryOp, Expr, ExprId, ExprList, UnaryOp};

use super::tree::Tree;
use super::{Pdl, Statement};
use crate::{Fault, Host, Variable};

impl Pdl {
    /// Whether the condition of a statement holds. A variable without a value is `undef` there.
    pub(super) fn holds(&self, statement: &Statement, host: &mut dyn Host) -> Result<bool, Fault> {
        match statement.condition {
            Some(condition) => self.tree.holds(condition, host),
            None => Ok(true),
        }
    }

    /// Evaluates the value of a statement.
    pub fn value(&self, statement: &Statement, host: &mut dyn Host) -> Result<Value, Fault> {
        Evaluation { tree: &self.tree, host, is_condition: false }.eval(statement.value)
    }
}

impl Tree {
    /// Whether a condition holds.
    pub(super) fn holds(&self, condition: ExprId, host: &mut dyn Host) -> Result<bool, Fault> {
        Ok(self.condition_value(condition, host)?.is_truthy())
    }

    /// Evaluates an expression of a condition, where a variable without a value is `undef`.
    pub(super) fn condition_value(&self, id: ExprId, host: &mut dyn Host) -> Result<Value, Fault> {
        Evaluation { tree: self, host, is_condition: true }.eval(id)
    }
}

/// Evaluation of one value or condition.
struct Evaluation<'a> {
    tree: &'a Tree,
    host: &'a mut dyn Host,
    /// Whether a variable without a value is `undef`; otherwise it is a fault.
    is_condition: bool,
}

impl Evaluation<'_> {
    fn eval(&mut self, id: ExprId) -> Result<Value, Fault> {
        if let Some(value) = self.tree.literal(id) {
            return Ok(value.clone());
        }
        // A chain of operators is as deep as it is long.
        stacker::maybe_grow(32 << 10, 1 << 20, || self.compound(id))
    }

    fn compound(&mut self, id: ExprId) -> Result<Value, Fault> {
        let tree = self.tree;
        match tree.expr(id) {
            Expr::Variable(name) => self.variable(tree.text(name), id),
            Expr::Concat(parts) => {
                let mut out = String::new();
                for &part in tree.list(parts) {
                    out.push_str(&interpolate::text(&self.eval(part)?));
                }
                Ok(Value::from(out))
            }
            Expr::List(items) => Ok(Value::array(self.all(tree.list(items))?)),
            Expr::Hash(entries) => self.hash(entries),
            Expr::Access { left, keys } => match tree.list(keys) {
                [key] => Ok(element(&self.eval(left)?, &self.eval(*key)?)),
                _ => Ok(Value::Undef),
            },
            Expr::Call { functor, arguments, .. } => {
                let arguments = self.all(tree.list(arguments))?;
                let name = match tree.expr(functor) {
                    Expr::QualifiedName(name) => tree.text(name),
                    _ => "",
                };
                self.host.call_pure(name, &arguments).map_err(|fault| tree.locate(fault, id))
            }
            Expr::Unary { op: UnaryOp::Not, expr } => {
                Ok(Value::Boolean(!self.eval(expr)?.is_truthy()))
            }
            Expr::Unary { op: _, expr } => self.eval(expr),
            Expr::Binary { op, left, right } => self.binary(id, op, left, right),
            // Validation refuses all others.
            _ => Ok(Value::Undef),
        }
    }

    fn all(&mut self, ids: &[ExprId]) -> Result<Vec<Value>, Fault> {
        ids.iter().map(|&id| self.eval(id)).collect()
    }

    /// Returns a variable of top scope: those of the class that makes the lookup are not visible.
    fn variable(&mut self, name: &str, id: ExprId) -> Result<Value, Fault> {
        match self.host.variable(&global(name)) {
            Variable::Value(value) => Ok(value),
            Variable::Unknown(_) if self.is_condition => Ok(Value::Undef),
            Variable::Unknown(_) => {
                let fault = Fault::lookup(format!("unknown variable: '{name}'"));
                Err(self.tree.locate(fault, id))
            }
        }
    }

    fn hash(&mut self, entries: ExprList) -> Result<Value, Fault> {
        let mut hash = Hash::new();
        for (key, value) in self.tree.entries(entries) {
            let key = self.eval(key)?;
            hash.insert(key, self.eval(value)?);
        }
        Ok(Value::from(hash))
    }

    fn binary(
        &mut self,
        id: ExprId,
        op: BinaryOp,
        left: ExprId,
        right: ExprId,
    ) -> Result<Value, Fault> {
        let left = self.eval(left)?;
        match op {
            BinaryOp::And if !left.is_truthy() => return Ok(Value::Boolean(false)),
            BinaryOp::Or if left.is_truthy() => return Ok(Value::Boolean(true)),
            _ => (),
        }
        let right = self.eval(right)?;
        let holds = binary(op, &left, &right).map_err(|fault| self.tree.locate(fault, id))?;
        Ok(Value::Boolean(holds))
    }
}

/// Returns an element of an array or hash; `undef` if there is none.
fn element(of: &Value, key: &Value) -> Value {
    match (of, key) {
        (Value::Hash(hash), key) => hash.get(key).cloned().unwrap_or_default(),
        (Value::Array(items), Value::Integer(index)) => {
            let index = usize::try_from(*index).ok();
            index.and_then(|index| items.get(index)).cloned().unwrap_or_default()
        }
        _ => Value::Undef,
    }
}

/// Returns the name of a variable at top scope.
fn global(name: &str) -> Cow<'_, str> {
    match name.contains("::") {
        true => Cow::Borrowed(name),
        false => Cow::Owned(format!("::{name}")),
    }
}

fn binary(op: BinaryOp, left: &Value, right: &Value) -> Result<bool, Fault> {
    Ok(match op {
        BinaryOp::And | BinaryOp::Or => right.is_truthy(),
        BinaryOp::Equal => is_equal(left, right),
        BinaryOp::NotEqual => !is_equal(left, right),
        BinaryOp::Less => compare(left, right)? == Ordering::Less,
        BinaryOp::LessEqual => compare(left, right)? != Ordering::Greater,
        BinaryOp::Greater => compare(left, right)? == Ordering::Greater,
        BinaryOp::GreaterEqual => compare(left, right)? != Ordering::Less,
        BinaryOp::Match => is_match(left, right)?,
        BinaryOp::NoMatch => !is_match(left, right)?,
        BinaryOp::In => is_in(left, right)?,
        // Validation refuses all others.
        _ => false,
    })
}

/// Compares like the Puppet language, ignoring the case of letters.
fn is_equal(left: &Value, right: &Value) -> bool {
    match (left, right) {
        (Value::String(a), Value::String(b)) => a.to_lowercase() == b.to_lowercase(),
        (Value::Array(a), Value::Array(b)) => {
            a.len() == b.len() && a.iter().zip(b).all(|(a, b)| is_equal(a, b))
        }
        (a, b) => ruby::equal(a, b),
    }
}

fn compare(left: &Value, right: &Value) -> Result<Ordering, Fault> {
    let order = match (left, right) {
        (Value::String(a), Value::String(b)) => Some(ruby::casecmp(a, b)),
        (a, b) => ruby::compare(a, b),
    };
    order.ok_or_else(|| {
        let (a, b) = (ruby::class_name(left), ruby::class_name(right));
        Fault::lookup(format!("Comparison of: {a} < {b}, is not possible"))
    })
}

fn is_match(left: &Value, right: &Value) -> Result<bool, Fault> {
    let limit = |_| Fault::lookup("the pattern takes too long");
    match (left, right) {
        (Value::String(text), Value::Regexp(regex)) => regex.is_match(text).map_err(limit),
        (_, Value::Regexp(_)) => Ok(false),
        _ => Err(Fault::lookup("a pattern is expected behind `=~`")),
    }
}

fn is_in(left: &Value, right: &Value) -> Result<bool, Fault> {
    let fits = |item: &Value| match left {
        Value::Regexp(_) => is_match(item, left),
        _ => Ok(is_equal(left, item)),
    };
    match (left, right) {
        (_, Value::Array(items)) => items.iter().try_fold(false, |is, item| Ok(is || fits(item)?)),
        (_, Value::Hash(hash)) => hash.keys().try_fold(false, |is, key| Ok(is || fits(key)?)),
        (Value::String(part), Value::String(whole)) => {
            Ok(whole.to_lowercase().contains(part.to_lowercase().as_str()))
        }
        (Value::Regexp(_), whole) => is_match(whole, left),
        _ => Ok(false),
    }
}
