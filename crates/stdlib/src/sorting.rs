//! Sorting as Ruby does on Linux: a merge sort, whose comparisons are observable in a block.

use std::cmp::Ordering;

use kukla_compiler::{Call, Eval};
use kukla_pcore::{Value, ruby};

use crate::fault::fault;

/// Sorts by Ruby's order of values.
pub(crate) fn sort_by_value(mut values: Vec<Value>) -> Eval<Vec<Value>> {
    if values.iter().all(|value| matches!(value, Value::String(_)))
        || values.iter().all(|value| matches!(value, Value::Integer(_)))
    {
        // Equal values are indistinguishable, and no comparison can fail.
        values.sort_unstable_by(|a, b| ruby::compare(a, b).unwrap_or(Ordering::Equal));
        return Ok(values);
    }
    sort(values, |a, b| match ruby::compare(a, b) {
        Some(ordering) => Ok(ordering),
        None => fault(comparison_failed(a, b)),
    })
}

/// Returns the indexes of values in Ruby's order.
pub(crate) fn order_of(values: &[Value]) -> Eval<Vec<usize>> {
    sort((0..values.len()).collect(), |&a, &b| {
        let (a, b) = (&values[a], &values[b]);
        ruby::compare(a, b).map_or_else(|| fault(comparison_failed(a, b)), Ok)
    })
}

/// Sorts by a comparison.
pub(crate) fn sort<T>(
    values: Vec<T>,
    mut order: impl FnMut(&T, &T) -> Eval<Ordering>,
) -> Eval<Vec<T>> {
    sort_part(values, &mut order)
}

fn sort_part<T>(
    mut values: Vec<T>,
    order: &mut impl FnMut(&T, &T) -> Eval<Ordering>,
) -> Eval<Vec<T>> {
    if values.len() < 2 {
        return Ok(values);
    }
    let right = values.split_off(values.len() / 2);
    let left = sort_part(values, order)?;
    let right = sort_part(right, order)?;
    merge(left, right, order)
}

fn merge<T>(
    left: Vec<T>,
    right: Vec<T>,
    order: &mut impl FnMut(&T, &T) -> Eval<Ordering>,
) -> Eval<Vec<T>> {
    let mut merged = Vec::with_capacity(left.len() + right.len());
    let (mut left, mut right) = (left.into_iter().peekable(), right.into_iter().peekable());
    while let (Some(a), Some(b)) = (left.peek(), right.peek()) {
        let takes_right = order(a, b)?.is_gt();
        merged.extend(if takes_right { right.next() } else { left.next() });
    }
    merged.extend(left);
    merged.extend(right);
    Ok(merged)
}

/// Compares two values by the block of a call.
pub(crate) fn by_block(call: &mut Call<'_>, a: &Value, b: &Value) -> Eval<Ordering> {
    match call.call_block(&[a.clone(), b.clone()])? {
        Value::Integer(sign) => Ok(sign.cmp(&0)),
        Value::Float(sign) => Ok(sign.partial_cmp(&0.0).unwrap_or(Ordering::Equal)),
        Value::Undef => fault(comparison_failed(a, b)),
        Value::String(_) => fault("comparison of String with 0 failed"),
        time @ (Value::Timespan(_) | Value::Timestamp(_)) => {
            Ok(ruby::compare(&time, &Value::Integer(0)).unwrap_or(Ordering::Equal))
        }
        other => fault(ruby::no_method(">", &other)),
    }
}

/// Returns Ruby's message for values without an order.
fn comparison_failed(a: &Value, b: &Value) -> String {
    let operand = match b {
        Value::Undef | Value::Default | Value::Boolean(_) | Value::Integer(_) | Value::Float(_) => {
            ruby::inspect(b)
        }
        other => ruby::class_name(other).into_owned(),
    };
    format!("comparison of {} with {operand} failed", ruby::class_name(a))
}
