//! What expressions are worth.

use std::borrow::Cow;
use std::cmp::Ordering;

use kukla_pcore::{Hash, Value, ruby, text};

use super::{Expr, Operator, Statement};
use crate::{Fault, Host, Variable};

impl Statement {
    /// Whether the condition holds. A variable that nobody knows is `undef` there.
    pub(super) fn holds(&self, host: &mut dyn Host) -> Result<bool, Fault> {
        match &self.condition {
            Some(condition) => Ok(eval(condition, host, true)?.is_truthy()),
            None => Ok(true),
        }
    }

    /// What the value is worth.
    pub fn value(&self, host: &mut dyn Host) -> Result<Value, Fault> {
        eval(&self.value, host, false)
    }
}

pub(super) fn eval(expr: &Expr, host: &mut dyn Host, is_condition: bool) -> Result<Value, Fault> {
    let each = |expr: &Expr, host: &mut dyn Host| eval(expr, host, is_condition);
    Ok(match expr {
        Expr::Literal(value) => value.clone(),
        Expr::Regex(regex) => Value::Regexp(regex.clone()),
        // What the class has set in which the lookup is made has no say.
        Expr::Variable(name) => match host.variable(&global(name)) {
            Variable::Value(value) => value,
            Variable::Unknown(_) if is_condition => Value::Undef,
            Variable::Unknown(_) => {
                return Err(Fault::lookup(format!("unknown variable: '{name}'")));
            }
        },
        Expr::Text(parts) => {
            let mut out = String::new();
            for part in parts {
                out.push_str(&text::text(&each(part, host)?));
            }
            Value::from(out)
        }
        Expr::Array(items) => {
            let items: Result<Vec<Value>, Fault> =
                items.iter().map(|item| each(item, host)).collect();
            Value::array(items?)
        }
        Expr::Hash(entries) => {
            let mut hash = Hash::new();
            for (key, value) in entries {
                let key = each(key, host)?;
                hash.insert(key, each(value, host)?);
            }
            Value::from(hash)
        }
        Expr::Access(of, key) => {
            let (of, key) = (each(of, host)?, each(key, host)?);
            match (&of, &key) {
                (Value::Hash(hash), key) => hash.get(key).cloned().unwrap_or_default(),
                (Value::Array(items), Value::Integer(index)) => {
                    let index = usize::try_from(*index).ok();
                    index.and_then(|index| items.get(index)).cloned().unwrap_or_default()
                }
                _ => Value::Undef,
            }
        }
        Expr::Call(name, arguments) => {
            let arguments: Result<Vec<Value>, Fault> =
                arguments.iter().map(|argument| each(argument, host)).collect();
            host.call_pure(name, &arguments?)?
        }
        Expr::Not(inner) => Value::Boolean(!each(inner, host)?.is_truthy()),
        Expr::Binary(operator, left, right) => {
            let left = each(left, host)?;
            match operator {
                Operator::And if !left.is_truthy() => return Ok(Value::Boolean(false)),
                Operator::Or if left.is_truthy() => return Ok(Value::Boolean(true)),
                _ => (),
            }
            Value::Boolean(binary(*operator, &left, &each(right, host)?)?)
        }
    })
}

/// The name of a variable at top scope.
fn global(name: &str) -> Cow<'_, str> {
    match name.contains("::") {
        true => Cow::Borrowed(name),
        false => Cow::Owned(format!("::{name}")),
    }
}

fn binary(operator: Operator, left: &Value, right: &Value) -> Result<bool, Fault> {
    Ok(match operator {
        Operator::And | Operator::Or => right.is_truthy(),
        Operator::Equal => is_equal(left, right),
        Operator::NotEqual => !is_equal(left, right),
        Operator::Less => compare(left, right)? == Ordering::Less,
        Operator::LessEqual => compare(left, right)? != Ordering::Greater,
        Operator::Greater => compare(left, right)? == Ordering::Greater,
        Operator::GreaterEqual => compare(left, right)? != Ordering::Less,
        Operator::Match => is_match(left, right)?,
        Operator::NoMatch => !is_match(left, right)?,
        Operator::In => is_in(left, right)?,
    })
}

/// As the language compares: the case of letters does not matter.
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
