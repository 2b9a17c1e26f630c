//! `Comparable`: order by way of `<=>`.

use std::cmp::Ordering;

use super::table::{Builtin, method};
use super::tools::yes;
use crate::run::{Args, Eval, Run};
use crate::value::RubyValue;

/// The methods of this file.
pub(super) static METHODS: &[Builtin<RubyValue>] = &[
    method("<=>", compare),
    method("<", |run, this, a| is_ordered(run, this, a, Ordering::is_lt)).arity(1, 1),
    method("<=", |run, this, a| is_ordered(run, this, a, Ordering::is_le)).arity(1, 1),
    method(">", |run, this, a| is_ordered(run, this, a, Ordering::is_gt)).arity(1, 1),
    method(">=", |run, this, a| is_ordered(run, this, a, Ordering::is_ge)).arity(1, 1),
    method("between?", is_between).arity(2, 2),
    method("clamp", clamp),
];

fn compare(run: &mut Run<'_>, this: &RubyValue, a: Args<'_>) -> Eval {
    let order = run.compare(this, &a.get(0))?;
    Ok(order.map_or(RubyValue::Nil, |order| RubyValue::Int(order as i64)))
}

fn is_ordered(
    run: &mut Run<'_>,
    this: &RubyValue,
    a: Args<'_>,
    fits: fn(Ordering) -> bool,
) -> Eval {
    let other = &a.items[0];
    let is_nan = |value: &RubyValue| matches!(value, RubyValue::Float(x) if x.is_nan());
    let is_number = matches!(other, RubyValue::Int(_) | RubyValue::Big(_) | RubyValue::Float(_));
    if is_number && (is_nan(this) || is_nan(other)) {
        return yes(false);
    }
    yes(fits(run.order(this, other)?))
}

fn is_between(run: &mut Run<'_>, this: &RubyValue, a: Args<'_>) -> Eval {
    yes(run.order(this, &a.items[0])?.is_ge() && run.order(this, &a.items[1])?.is_le())
}

fn clamp(run: &mut Run<'_>, this: &RubyValue, a: Args<'_>) -> Eval {
    let (least, most) = match (a.get(0), a.len()) {
        (RubyValue::Range(range), 1) => (range.from.clone(), range.to.clone()),
        _ => (a.get(0), a.get(1)),
    };
    if !least.is_nil() && !most.is_nil() && run.order(&least, &most)?.is_gt() {
        return run.argument_error("min argument must be smaller than max argument");
    }
    if !least.is_nil() && run.order(this, &least)?.is_lt() {
        return Ok(least);
    }
    if !most.is_nil() && run.order(this, &most)?.is_gt() {
        return Ok(most);
    }
    Ok(this.clone())
}
