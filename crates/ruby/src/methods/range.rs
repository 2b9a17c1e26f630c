//! `Range`

use std::cmp::Ordering;
use std::rc::Rc;

use super::table::{Builtin, iterator, method, plain};
use super::tools::{int, list, text, yes};
use super::{enumerable_order, enumerable_some};
use crate::run::{Args, Eval, Run};
use crate::value::{Proc, Range, RubyValue, eql};

/// The methods of this file.
pub(super) static METHODS: &[Builtin<Rc<Range>>] = &[
    method("to_a", to_a),
    method("to_ary", to_a).when(|this, _| this.to.is_nil()),
    method("entries", to_a),
    iterator("each", each),
    method("first", first),
    plain("begin", |_, this, _| Ok(this.from.clone())),
    method("end", |_, this, _| Ok(this.to.clone())),
    method("last", last),
    method("min", min),
    method("max", max),
    method("take", take),
    method("size", size).when(|_, a| is_bare(a)),
    method("count", count),
    method("include?", includes),
    method("member?", includes),
    method("===", includes),
    method("cover?", covers),
    method("exclude_end?", |_, this, _| yes(this.excludes_end)),
    iterator("step", step),
    method("%", modulo),
    method("sum", sum).when(|this, a| !is_bare(a) || is_of_integers(this)),
    method("to_s", |_, this, _| text(crate::show::to_s(&own(this)))),
    method("inspect", |_, this, _| text(crate::show::inspect(&own(this)))),
    method("==", |_, this, a| yes(eql(&own(this), &a.get(0)))),
    method("eql?", |_, this, a| yes(eql(&own(this), &a.get(0)))),
    method("hash", |_, _, _| Ok(RubyValue::Int(0))),
    method("frozen?", |_, _, _| yes(true)),
];

fn own(this: &Rc<Range>) -> RubyValue {
    RubyValue::Range(Rc::clone(this))
}

/// Returns whether a call has neither arguments nor a block.
fn is_bare(a: Args<'_>) -> bool {
    a.is_empty() && a.block.is_none()
}

fn is_of_integers(this: &Range) -> bool {
    matches!((&this.from, &this.to), (RubyValue::Int(_), RubyValue::Int(_)))
}

fn to_a(run: &mut Run<'_>, this: &Rc<Range>, _a: Args<'_>) -> Eval {
    if this.to.is_nil() {
        return run.raise("RangeError", "cannot convert endless range to an array");
    }
    list(run.range_items(this)?)
}

fn each(run: &mut Run<'_>, this: &Rc<Range>, block: &Rc<Proc>, _a: Args<'_>) -> Eval {
    if let (RubyValue::Int(from), RubyValue::Nil) = (&this.from, &this.to) {
        for number in *from.. {
            run.yield1(block, &RubyValue::Int(number))?;
        }
    }
    if let (RubyValue::Int(from), RubyValue::Int(to)) = (&this.from, &this.to) {
        let end = if this.excludes_end { *to } else { to.saturating_add(1) };
        for number in *from..end {
            run.yield1(block, &RubyValue::Int(number))?;
        }
        return Ok(own(this));
    }
    for item in run.range_items(this)? {
        run.yield1(block, &item)?;
    }
    Ok(own(this))
}

fn first(run: &mut Run<'_>, this: &Rc<Range>, a: Args<'_>) -> Eval {
    match a.is_empty() {
        true => Ok(this.from.clone()),
        false if has_open_end(this) => leading(run, this, a),
        false => enumerable_some::first(run, &own(this), a),
    }
}

fn take(run: &mut Run<'_>, this: &Rc<Range>, a: Args<'_>) -> Eval {
    match has_open_end(this) {
        true => leading(run, this, a),
        false => enumerable_some::take(run, &own(this), a),
    }
}

/// Returns whether the items can't be listed because there are too many.
fn has_open_end(this: &Range) -> bool {
    matches!(this.to, RubyValue::Nil | RubyValue::Big(_))
}

fn leading(run: &mut Run<'_>, this: &Rc<Range>, a: Args<'_>) -> Eval {
    let n = run.usize_arg(&a.get(0), "negative array size (or size too big)")?;
    run.charge(n.saturating_mul(24))?;
    run.successors(this.from.clone(), n)
}

fn last(run: &mut Run<'_>, this: &Rc<Range>, a: Args<'_>) -> Eval {
    if a.is_empty() {
        return Ok(this.to.clone());
    }
    let all = RubyValue::array(run.range_items(this)?);
    run.call_with(&all, "last", a)
}

fn min(run: &mut Run<'_>, this: &Rc<Range>, a: Args<'_>) -> Eval {
    if !is_bare(a) {
        return enumerable_order::min(run, &own(this), a);
    }
    if is_of_integers(this) || this.excludes_end {
        return Ok(run.range_items(this)?.first().cloned().unwrap_or_default());
    }
    Ok(if is_backward(run, this)? { RubyValue::Nil } else { this.from.clone() })
}

fn max(run: &mut Run<'_>, this: &Rc<Range>, a: Args<'_>) -> Eval {
    if !is_bare(a) {
        return enumerable_order::max(run, &own(this), a);
    }
    if is_of_integers(this) || this.excludes_end {
        return Ok(run.range_items(this)?.last().cloned().unwrap_or_default());
    }
    Ok(if is_backward(run, this)? { RubyValue::Nil } else { this.to.clone() })
}

/// Returns whether the end is before the start.
fn is_backward(run: &mut Run<'_>, this: &Range) -> Eval<bool> {
    Ok(run.compare(&this.from, &this.to)?.is_none_or(Ordering::is_gt))
}

fn size(_run: &mut Run<'_>, this: &Rc<Range>, _a: Args<'_>) -> Eval {
    Ok(known_size(this).unwrap_or_default())
}

fn count(run: &mut Run<'_>, this: &Rc<Range>, a: Args<'_>) -> Eval {
    match known_size(this) {
        _ if !is_bare(a) => enumerable_some::count(run, &own(this), a),
        Some(size) => Ok(size),
        None => Ok(int(run.range_items(this)?.len())),
    }
}

/// Returns the number of items, if it can be computed without listing them.
fn known_size(this: &Range) -> Option<RubyValue> {
    match (&this.from, &this.to) {
        (RubyValue::Int(from), RubyValue::Int(to)) => {
            let end = if this.excludes_end { *to } else { to.saturating_add(1) };
            Some(RubyValue::Int(end.saturating_sub(*from).max(0)))
        }
        (RubyValue::Int(_), RubyValue::Nil) => Some(RubyValue::Float(f64::INFINITY)),
        _ => None,
    }
}

fn includes(run: &mut Run<'_>, this: &Rc<Range>, a: Args<'_>) -> Eval {
    yes(run.covers(this, &a.get(0))?)
}

fn covers(run: &mut Run<'_>, this: &Rc<Range>, a: Args<'_>) -> Eval {
    match a.get(0) {
        RubyValue::Range(inner) => {
            yes(run.covers(this, &inner.from)? && run.covers(this, &inner.to)?)
        }
        value => yes(run.covers(this, &value)?),
    }
}

fn step(run: &mut Run<'_>, this: &Rc<Range>, block: &Rc<Proc>, a: Args<'_>) -> Eval {
    let by = step_size(run, this, a)?;
    for item in run.range_items(this)?.iter().step_by(by) {
        run.yield1(block, item)?;
    }
    Ok(own(this))
}

fn modulo(run: &mut Run<'_>, this: &Rc<Range>, a: Args<'_>) -> Eval {
    step_size(run, this, a)?;
    match a.block {
        Some(block) => step(run, this, block, a),
        None => run.unsupported("% without a block"),
    }
}

fn step_size(run: &mut Run<'_>, this: &Range, a: Args<'_>) -> Eval<usize> {
    let by = run.int_arg(&a.get(0))?;
    match by {
        0 => run.argument_error("step can't be 0"),
        ..0 => run.argument_error("step can't be negative"),
        _ if matches!(this.from, RubyValue::Float(_)) => run.unsupported("steps of floats"),
        _ => Ok(usize::try_from(by).unwrap_or(usize::MAX)),
    }
}

fn sum(run: &mut Run<'_>, this: &Rc<Range>, a: Args<'_>) -> Eval {
    let (RubyValue::Int(from), RubyValue::Int(to), true) = (&this.from, &this.to, is_bare(a))
    else {
        return enumerable_order::sum(run, &own(this), a);
    };
    let to = i128::from(*to) - i128::from(this.excludes_end);
    let from = i128::from(*from);
    run.int_of(if to < from { 0 } else { (to - from + 1) * (to + from) / 2 })
}

/// The most items of a range that becomes a list.
const MAX_ITEMS: i64 = 10_000_000;

impl Run<'_> {
    pub(crate) fn covers(&mut self, range: &Rc<Range>, value: &RubyValue) -> Eval<bool> {
        let after_start = match &range.from {
            RubyValue::Nil => true,
            from => self.compare(from, value)?.is_some_and(Ordering::is_le),
        };
        if !after_start {
            return Ok(false);
        }
        Ok(match &range.to {
            RubyValue::Nil => true,
            to => self.compare(value, to)?.is_some_and(|order| {
                if range.excludes_end { order.is_lt() } else { order.is_le() }
            }),
        })
    }

    pub(crate) fn range_items(&mut self, range: &Rc<Range>) -> Eval<Vec<RubyValue>> {
        match (&range.from, &range.to) {
            (RubyValue::Int(from), RubyValue::Int(to)) => {
                let end = if range.excludes_end { *to } else { to.saturating_add(1) };
                let n = end.saturating_sub(*from).max(0);
                if n > MAX_ITEMS {
                    return self.unsupported("very long ranges");
                }
                self.charge(usize::try_from(n).unwrap_or(0) * 24)?;
                Ok((*from..end).map(RubyValue::Int).collect())
            }
            (RubyValue::Str(from), RubyValue::Str(to)) => {
                let (from, to) = (from.text.borrow().clone(), to.text.borrow().clone());
                self.string_range(&from, &to, range.excludes_end)
            }
            (RubyValue::Int(_), RubyValue::Float(to)) => {
                #[expect(clippy::cast_possible_truncation, reason = "only the whole part counts")]
                let to = to.floor() as i64;
                let inner = Rc::new(Range {
                    from: range.from.clone(),
                    to: RubyValue::Int(to),
                    excludes_end: false,
                });
                self.range_items(&inner)
            }
            (RubyValue::Int(_) | RubyValue::Str(_), RubyValue::Nil) => {
                self.raise("RangeError", "cannot convert endless range to an array")
            }
            (RubyValue::Object(_) | RubyValue::Big(_), _)
                if self.responds(&range.from, "succ", false) =>
            {
                self.succeeding_items(range)
            }
            (from, _) => {
                let class = crate::show::class_name(from);
                self.type_error(format!("can't iterate from {class}"))
            }
        }
    }

    /// So many values, each the `succ` of the one before.
    fn successors(&mut self, from: RubyValue, n: usize) -> Eval {
        let (mut items, mut next) = (Vec::new(), from);
        for _ in 0..n {
            self.step()?;
            let after = self.call(&next, "succ", &[])?;
            items.push(std::mem::replace(&mut next, after));
        }
        Ok(RubyValue::array(items))
    }

    /// Lists the items of a range by `succ`.
    fn succeeding_items(&mut self, range: &Range) -> Eval<Vec<RubyValue>> {
        let (mut items, mut item) = (Vec::new(), range.from.clone());
        loop {
            let order = self.compare(&item, &range.to)?;
            if order.is_none_or(|order| order.is_gt() || order.is_eq() && range.excludes_end) {
                return Ok(items);
            }
            self.charge(64)?;
            let after = self.call(&item, "succ", &[])?;
            items.push(std::mem::replace(&mut item, after));
            if order.is_some_and(Ordering::is_eq) {
                return Ok(items);
            }
        }
    }

    pub(crate) fn string_range(
        &mut self,
        from: &str,
        to: &str,
        excludes_end: bool,
    ) -> Eval<Vec<RubyValue>> {
        let mut items = Vec::new();
        let is_number = |text: &str| !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit());
        let both_numbers = is_number(from) && is_number(to);
        if from.len() > to.len() || (!both_numbers && from > to && from.len() == to.len()) {
            return Ok(items);
        }
        let mut text = from.to_owned();
        loop {
            if text.len() > to.len() || (text == to && excludes_end) {
                return Ok(items);
            }
            self.charge(48)?;
            self.step()?;
            items.push(RubyValue::str(text.as_str()));
            if text == to {
                return Ok(items);
            }
            text = super::chars::succ(&text);
        }
    }

    /// Returns start and length of a range of indices; `None` if it begins outside.
    pub(crate) fn range_span(
        &mut self,
        range: &Rc<Range>,
        len: usize,
    ) -> Eval<Option<(usize, usize)>> {
        let n = i64::try_from(len).unwrap_or(i64::MAX);
        let from = if range.from.is_nil() { 0 } else { self.int_arg(&range.from)? };
        let to = if range.to.is_nil() { -1 } else { self.int_arg(&range.to)? };
        let start = if from < 0 { from + n } else { from };
        if start < 0 || start > n {
            return Ok(None);
        }
        let end = if to < 0 { to + n } else { to };
        let keeps_end = !range.excludes_end || range.to.is_nil();
        let end = if keeps_end { end.saturating_add(1) } else { end }.min(n);
        let count = (end - start).max(0);
        Ok(Some((usize::try_from(start).unwrap_or(0), usize::try_from(count).unwrap_or(0))))
    }
}
