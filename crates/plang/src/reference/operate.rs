//! Operators.

use crate::ast::BinaryOp;
use crate::fail::FailCode;
use crate::text;
use crate::transaction::Transaction;
use crate::value::Value;

/// `-number`
pub(super) fn negate<'a>(value: Value<'a>) -> Result<Value<'a>, FailCode> {
    value.number().checked_neg().map(Value::Number).ok_or(FailCode::Overflow)
}

/// `left op right`; the checker made sure that the types fit.
pub(super) fn binary<'a>(
    op: BinaryOp,
    left: Value<'a>,
    right: Value<'a>,
    transaction: &Transaction<'a>,
) -> Result<Value<'a>, FailCode> {
    match (left, right) {
        (Value::Number(left), Value::Number(right)) => numbers(op, left, right),
        (Value::Text(left), Value::Text(right)) => texts(op, left, right, transaction),
        (left, right) => Ok(Value::Boolean((left == right) == (op == BinaryOp::Equal))),
    }
}

fn numbers<'a>(op: BinaryOp, left: i64, right: i64) -> Result<Value<'a>, FailCode> {
    let number = |result: Option<i64>| result.map(Value::Number).ok_or(FailCode::Overflow);
    let boolean = |value| Ok(Value::Boolean(value));
    match op {
        BinaryOp::Divide | BinaryOp::Remainder if right == 0 => Err(FailCode::Division),
        BinaryOp::Add => number(left.checked_add(right)),
        BinaryOp::Subtract => number(left.checked_sub(right)),
        BinaryOp::Multiply => number(left.checked_mul(right)),
        BinaryOp::Divide => number(left.checked_div(right)),
        BinaryOp::Remainder => number(left.checked_rem(right)),
        BinaryOp::Equal => boolean(left == right),
        BinaryOp::NotEqual => boolean(left != right),
        BinaryOp::Less => boolean(left < right),
        BinaryOp::LessEqual => boolean(left <= right),
        BinaryOp::Greater => boolean(left > right),
        BinaryOp::GreaterEqual => boolean(left >= right),
        BinaryOp::Text(_) => Err(FailCode::Host),
    }
}

fn texts<'a>(
    op: BinaryOp,
    left: &'a [u8],
    right: &'a [u8],
    transaction: &Transaction<'a>,
) -> Result<Value<'a>, FailCode> {
    match op {
        BinaryOp::Add => transaction.make(&[left, right]).map(Value::Text),
        BinaryOp::NotEqual => Ok(Value::Boolean(left != right)),
        BinaryOp::Text(op) => Ok(Value::Boolean(text::test(op, left, right))),
        _ => Ok(Value::Boolean(left == right)),
    }
}
