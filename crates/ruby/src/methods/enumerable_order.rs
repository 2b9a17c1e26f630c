//! `Enumerable`: order and sums.

use std::cmp::Ordering;
use std::rc::Rc;

use super::table::{Builtin, iterator, method};
use super::tools::list;
use crate::run::{Args, Eval, Run};
use crate::value::{Proc, RubyValue};

/// The methods of this file.
pub(super) static METHODS: &[Builtin<RubyValue>] = &[
    method("sort", sort),
    iterator("sort_by", sort_by),
    method("min", min),
    method("max", max),
    method("minmax", minmax).arity(0, 0),
    iterator("min_by", |run, this, block, _| best_by(run, this, block, Ordering::Less)),
    iterator("max_by", |run, this, block, _| best_by(run, this, block, Ordering::Greater)),
    method("inject", inject),
    method("reduce", inject),
    method("sum", sum),
];

fn sort(run: &mut Run<'_>, this: &RubyValue, a: Args<'_>) -> Eval {
    let items = run.items_of(this)?;
    list(run.sort(items, a.block)?)
}

fn sort_by(run: &mut Run<'_>, this: &RubyValue, block: &Rc<Proc>, _a: Args<'_>) -> Eval {
    let items = run.items_of(this)?;
    list(run.sort_by(&items, block)?)
}

pub(super) fn min(run: &mut Run<'_>, this: &RubyValue, a: Args<'_>) -> Eval {
    let items = run.items_of(this)?;
    let Some(n) = a.items.first() else { return best(run, &items, a.block, Ordering::Less) };
    let n = run.usize_arg(n, "negative size")?;
    let mut sorted = run.sort(items, a.block)?;
    sorted.truncate(n);
    list(sorted)
}

pub(super) fn max(run: &mut Run<'_>, this: &RubyValue, a: Args<'_>) -> Eval {
    let items = run.items_of(this)?;
    let Some(n) = a.items.first() else { return best(run, &items, a.block, Ordering::Greater) };
    let n = run.usize_arg(n, "negative size")?;
    let mut sorted = run.sort(items, a.block)?;
    sorted.reverse();
    sorted.truncate(n);
    list(sorted)
}

fn minmax(run: &mut Run<'_>, this: &RubyValue, a: Args<'_>) -> Eval {
    let items = run.items_of(this)?;
    let least = best(run, &items, a.block, Ordering::Less)?;
    let most = best(run, &items, a.block, Ordering::Greater)?;
    list(vec![least, most])
}

/// Returns the first of the least or greatest items.
fn best(
    run: &mut Run<'_>,
    items: &[RubyValue],
    block: Option<&Rc<Proc>>,
    wanted: Ordering,
) -> Eval {
    let mut best: Option<&RubyValue> = None;
    for item in items {
        if replaces(run, block, item, best, wanted)? {
            best = Some(item);
        }
    }
    Ok(best.cloned().unwrap_or_default())
}

fn best_by(run: &mut Run<'_>, this: &RubyValue, block: &Rc<Proc>, wanted: Ordering) -> Eval {
    let items = run.items_of(this)?;
    let mut best: Option<(RubyValue, RubyValue)> = None;
    for item in &items {
        let key = run.yield1(block, item)?;
        let better = match &best {
            Some((known, _)) => run.order(&key, known)? == wanted,
            None => true,
        };
        if better {
            best = Some((key, item.clone()));
        }
    }
    Ok(best.map_or(RubyValue::Nil, |(_, item)| item))
}

fn inject(run: &mut Run<'_>, this: &RubyValue, a: Args<'_>) -> Eval {
    let items = run.items_of(this)?;
    let (start, name) = match (a.items, a.block) {
        ([], Some(_)) => (None, None),
        ([start], Some(_)) => (Some(start.clone()), None),
        ([name], None) => (None, Some(run.name_arg(name)?)),
        ([start, name], _) => (Some(start.clone()), Some(run.name_arg(name)?)),
        _ => return run.wrong_arity(a.len(), "0..2"),
    };
    let mut items = items.iter();
    let Some(mut memo) = start.or_else(|| items.next().cloned()) else {
        return Ok(RubyValue::Nil);
    };
    for item in items {
        memo = match (&name, a.block) {
            (Some(name), _) => run.call(&memo, name, std::slice::from_ref(item))?,
            (None, Some(block)) => run.yield2(block, &memo, item)?,
            (None, None) => return Ok(memo),
        };
    }
    Ok(memo)
}

pub(super) fn sum(run: &mut Run<'_>, this: &RubyValue, a: Args<'_>) -> Eval {
    let items = run.items_of(this)?;
    let mut values = Vec::with_capacity(items.len());
    for item in &items {
        values.push(match a.block {
            Some(block) => run.yield1(block, item)?,
            None => item.clone(),
        });
    }
    let mut sum = if a.is_empty() { RubyValue::Int(0) } else { a.get(0) };
    for (index, value) in values.iter().enumerate() {
        // Ruby sums floats with compensation, which is more exact than adding them.
        if matches!(value, RubyValue::Float(_))
            && matches!(sum, RubyValue::Int(_) | RubyValue::Float(_))
        {
            return sum_floats(run, &sum, &values[index..]);
        }
        sum = run.call(&sum, "+", std::slice::from_ref(value))?;
    }
    Ok(sum)
}

/// Kahan and Babuška's sum.
#[expect(clippy::cast_precision_loss, reason = "as Ruby does")]
fn sum_floats(run: &mut Run<'_>, start: &RubyValue, values: &[RubyValue]) -> Eval {
    let as_float = |value: &RubyValue| match value {
        RubyValue::Int(number) => Some(*number as f64),
        RubyValue::Float(number) => Some(*number),
        _ => None,
    };
    let (mut sum, mut lost) = (as_float(start).unwrap_or(0.0), 0.0);
    for (index, value) in values.iter().enumerate() {
        let Some(x) = as_float(value) else {
            let mut total = RubyValue::Float(sum + lost);
            for value in &values[index..] {
                total = run.call(&total, "+", std::slice::from_ref(value))?;
            }
            return Ok(total);
        };
        if !x.is_finite() || !sum.is_finite() {
            sum += x;
            continue;
        }
        let next = sum + x;
        lost += if sum.abs() >= x.abs() { (sum - next) + x } else { (x - next) + sum };
        sum = next;
    }
    Ok(RubyValue::Float(sum + lost))
}

/// Returns true if an item is better than the best so far.
fn replaces(
    run: &mut Run<'_>,
    block: Option<&Rc<Proc>>,
    item: &RubyValue,
    best: Option<&RubyValue>,
    wanted: Ordering,
) -> Eval<bool> {
    let Some(best) = best else { return Ok(true) };
    let order = match block {
        Some(block) => {
            let result = run.yield2(block, item, best)?;
            run.sign(&result, item, best)?
        }
        // Without a block, Ruby calls `<=>` of the best so far.
        None => run.order(best, item)?.reverse(),
    };
    Ok(order == wanted)
}
