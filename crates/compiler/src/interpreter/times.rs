//! Arithmetic of times and durations, and `+` of bytes.

use std::sync::Arc;

use kukla_pcore::Value;
use kukla_pcore::time::{Timespan, Timestamp};
use kukla_rubytext::float;
use kukla_syntax::ast::{BinaryOp, ExprId};

use crate::{Eval, Program, fault, issues};

const NANOSECONDS: i128 = 1_000_000_000;

/// `left op right`, where at least one side is a time.
pub(super) fn arithmetic(
    program: &Program,
    op: BinaryOp,
    left_id: ExprId,
    right_id: ExprId,
    left: &Value,
    right: &Value,
) -> Eval<Value> {
    if op == BinaryOp::Modulo {
        if let Value::Float(_) = left {
            let issue = issues::operator_not_applicable("%", left);
            return issues::at(program, left_id, issue);
        }
        if let Value::Float(_) = right {
            let issue = issues::operator_not_applicable_when("%", left, right);
            return issues::at(program, left_id, issue);
        }
    }
    if let Value::Rare(_) = right
        && let Value::Integer(_) | Value::Float(_) = left
    {
        return match op {
            BinaryOp::LeftShift | BinaryOp::RightShift => {
                issues::at(program, left_id, issues::operator_not_applicable(op.as_str(), left))
            }
            _ => fault(issues::version_is_no_number()),
        };
    }
    if let Value::Integer(_) | Value::Float(_) | Value::Rare(_) = left
        && let Value::Timespan(_) | Value::Timestamp(_) = right
    {
        return number_first(program, op, left_id, right_id, left, right);
    }
    match (left, op) {
        (Value::Timespan(span), BinaryOp::Add) => span_plus(**span, right),
        (Value::Timespan(span), BinaryOp::Subtract) => span_minus(**span, right),
        (Value::Timespan(span), BinaryOp::Multiply) => span_times(**span, right),
        (Value::Timespan(span), BinaryOp::Divide) => span_divided(program, right_id, **span, right),
        (Value::Timespan(span), BinaryOp::Modulo) => span_modulo(program, right_id, **span, right),
        (Value::Timestamp(time), BinaryOp::Add) => time_plus(**time, right),
        (Value::Timestamp(time), BinaryOp::Subtract) => time_minus(**time, right),
        _ => {
            let issue = issues::operator_not_applicable(op.as_str(), left);
            issues::at(program, left_id, issue)
        }
    }
}

/// `-value`
pub(super) fn negate(value: &Value) -> Eval<Value> {
    match value {
        Value::Timespan(span) => timespan(span.0.checked_neg()),
        // Ruby's numbers are subtracted from what they coerce with.
        _ => fault(issues::not_negatable()),
    }
}

fn number_first(
    program: &Program,
    op: BinaryOp,
    left_id: ExprId,
    right_id: ExprId,
    left: &Value,
    right: &Value,
) -> Eval<Value> {
    match (op, right) {
        (BinaryOp::Add, _) | (BinaryOp::Multiply, Value::Timespan(_)) => {
            arithmetic(program, op, left_id, right_id, right, left)
        }
        (BinaryOp::Subtract, Value::Timespan(span)) if !matches!(left, Value::Rare(_)) => {
            span_minus(Timespan(nanoseconds(left)?), &Value::Timespan(Arc::clone(span)))
        }
        (BinaryOp::Subtract, Value::Timespan(_)) => {
            issues::at(program, left_id, issues::operator_not_applicable(op.as_str(), left))
        }
        _ => {
            let issue = issues::operator_not_applicable_when(op.as_str(), left, right);
            issues::at(program, left_id, issue)
        }
    }
}

/// A duration, if it is not too long to be counted.
fn timespan(nanoseconds: Option<i128>) -> Eval<Value> {
    match nanoseconds {
        Some(nanoseconds) => Ok(Value::Timespan(Arc::new(Timespan(nanoseconds)))),
        None => fault(issues::time_too_far()),
    }
}

/// A point in time, if it is not too far away to be counted.
fn timestamp(nanoseconds: Option<i128>) -> Eval<Value> {
    match nanoseconds {
        Some(nanoseconds) => Ok(Value::Timestamp(Arc::new(Timestamp(nanoseconds)))),
        None => fault(issues::time_too_far()),
    }
}

/// A number of seconds in nanoseconds.
fn nanoseconds(value: &Value) -> Eval<i128> {
    match value {
        Value::Integer(seconds) => Ok(i128::from(*seconds) * NANOSECONDS),
        Value::Float(seconds) => whole(seconds * 1e9),
        _ => Ok(0),
    }
}

/// A float without its fraction, as Ruby's `to_i` has it.
fn whole(value: f64) -> Eval<i128> {
    if !value.is_finite() {
        return fault(issues::not_finite(float::to_s(value)));
    }
    if value.abs() >= 1e38 {
        return fault(issues::time_too_far());
    }
    #[expect(clippy::cast_possible_truncation, reason = "Ruby cuts the fraction off too")]
    Ok(value as i128)
}

fn span_plus(span: Timespan, other: &Value) -> Eval<Value> {
    match other {
        Value::Timestamp(time) => timestamp(span.0.checked_add(time.0)),
        Value::Timespan(more) => timespan(span.0.checked_add(more.0)),
        Value::Rare(_) => fault(issues::version_added_to_timespan()),
        number => timespan(span.0.checked_add(nanoseconds(number)?)),
    }
}

fn span_minus(span: Timespan, other: &Value) -> Eval<Value> {
    match other {
        Value::Timespan(less) => timespan(span.0.checked_sub(less.0)),
        Value::Integer(_) | Value::Float(_) => timespan(span.0.checked_sub(nanoseconds(other)?)),
        _ => fault(issues::not_subtractable_from_timespan(other)),
    }
}

fn span_times(span: Timespan, other: &Value) -> Eval<Value> {
    match other {
        Value::Integer(factor) => timespan(span.0.checked_mul(i128::from(*factor))),
        #[expect(clippy::cast_precision_loss, reason = "as Ruby does")]
        Value::Float(factor) => timespan(Some(whole(span.0 as f64 * factor)?)),
        _ => fault(issues::timespan_not_multipliable(other)),
    }
}

#[expect(clippy::cast_precision_loss, reason = "as Ruby does")]
fn span_divided(program: &Program, right_id: ExprId, span: Timespan, other: &Value) -> Eval<Value> {
    match other {
        Value::Timespan(other) => Ok(Value::Float(span.0 as f64 / other.0 as f64)),
        Value::Integer(0) => issues::at(program, right_id, issues::division_by_zero()),
        Value::Integer(by) => timespan(Some(span.0.div_euclid(i128::from(*by)))),
        Value::Float(by) => timespan(Some(whole(span.0 as f64 / by)?)),
        _ => fault(issues::timespan_not_divisible(other)),
    }
}

fn span_modulo(program: &Program, right_id: ExprId, span: Timespan, other: &Value) -> Eval<Value> {
    let seconds = span.0.div_euclid(NANOSECONDS);
    match other {
        Value::Integer(0) => issues::at(program, right_id, issues::division_by_zero()),
        Value::Integer(by) => {
            let by = i128::from(*by);
            let rest = seconds.rem_euclid(by);
            let rest = if by < 0 && rest != 0 { rest + by } else { rest };
            Ok(Value::Integer(i64::try_from(rest).unwrap_or(i64::MAX)))
        }
        _ => fault(issues::timespan_without_modulus(other)),
    }
}

fn time_plus(time: Timestamp, other: &Value) -> Eval<Value> {
    match other {
        Value::Timespan(span) => timestamp(time.0.checked_add(span.0)),
        Value::Integer(_) | Value::Float(_) => timestamp(time.0.checked_add(nanoseconds(other)?)),
        _ => fault(issues::not_addable_to_timestamp(other)),
    }
}

fn time_minus(time: Timestamp, other: &Value) -> Eval<Value> {
    match other {
        Value::Timestamp(earlier) => timespan(time.0.checked_sub(earlier.0)),
        Value::Timespan(span) => timestamp(time.0.checked_sub(span.0)),
        Value::Integer(_) | Value::Float(_) => timestamp(time.0.checked_sub(nanoseconds(other)?)),
        _ => fault(issues::not_subtractable_from_timestamp(other)),
    }
}

/// `left + right` of bytes.
pub(super) fn append_binary(left: &[u8], right: &Value) -> Eval<Value> {
    match right {
        Value::Binary(right) => Ok(Value::Binary([left, right].concat().into())),
        _ => fault(issues::only_binary_appendable()),
    }
}
