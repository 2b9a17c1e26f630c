//! `Range`

use std::rc::Rc;

use super::tools::int;
use crate::run::{Args, Eval, Run};
use crate::value::{Range, RubyValue};

/// A range of more elements than this is not made a list.
const MAX_ITEMS: i64 = 10_000_000;

impl Run<'_> {
    #[expect(clippy::too_many_lines, reason = "a table of names")]
    pub(crate) fn range_method(
        &mut self,
        this: &Rc<Range>,
        name: &str,
        a: Args<'_>,
    ) -> Eval<Option<RubyValue>> {
        let own = || RubyValue::Range(Rc::clone(this));
        Ok(Some(match name {
            "to_a" | "to_ary" | "entries" if this.to.is_nil() => {
                return self.raise("RangeError", "cannot convert endless range to an array");
            }
            "each" => {
                let block = self.need_block(&a, name)?;
                if let (RubyValue::Int(from), RubyValue::Nil) = (&this.from, &this.to) {
                    for number in *from.. {
                        self.yield1(block, &RubyValue::Int(number))?;
                    }
                }
                if let (RubyValue::Int(from), RubyValue::Int(to)) = (&this.from, &this.to) {
                    let end = if this.excludes_end { *to } else { to.saturating_add(1) };
                    for number in *from..end {
                        self.yield1(block, &RubyValue::Int(number))?;
                    }
                    return Ok(Some(own()));
                }
                for item in self.range_items(this)? {
                    self.yield1(block, &item)?;
                }
                own()
            }
            "first" | "begin" if a.is_empty() => this.from.clone(),
            "end" => this.to.clone(),
            "last" if a.is_empty() => this.to.clone(),
            "last" => {
                let all = RubyValue::array(self.range_items(this)?);
                self.call_with(&all, "last", a)?
            }
            "min" | "max" if a.is_empty() && a.block.is_none() => {
                let items_needed =
                    !matches!((&this.from, &this.to), (RubyValue::Int(_), RubyValue::Int(_)));
                if items_needed && !this.excludes_end {
                    let is_empty =
                        self.compare(&this.from, &this.to)?.is_none_or(std::cmp::Ordering::is_gt);
                    return Ok(Some(match (is_empty, name) {
                        (true, _) => RubyValue::Nil,
                        (false, "min") => this.from.clone(),
                        (false, _) => this.to.clone(),
                    }));
                }
                let items = self.range_items(this)?;
                let item = if name == "min" { items.first() } else { items.last() };
                item.cloned().unwrap_or_default()
            }
            "first" | "take" if matches!(this.to, RubyValue::Nil | RubyValue::Big(_)) => {
                let n = self.usize_arg(&a.get(0), "negative array size (or size too big)")?;
                self.charge(n.saturating_mul(24))?;
                self.successors(this.from.clone(), n)?
            }
            "size" | "count" | "length"
                if a.is_empty() && a.block.is_none() && name != "length" =>
            {
                match (&this.from, &this.to) {
                    (RubyValue::Int(from), RubyValue::Int(to)) => {
                        let end = if this.excludes_end { *to } else { to.saturating_add(1) };
                        RubyValue::Int(end.saturating_sub(*from).max(0))
                    }
                    (RubyValue::Int(_), RubyValue::Nil) => RubyValue::Float(f64::INFINITY),
                    _ if name == "size" => RubyValue::Nil,
                    _ => int(self.range_items(this)?.len()),
                }
            }
            "include?" | "member?" | "===" | "cover?" => {
                let value = a.get(0);
                if let (RubyValue::Range(inner), "cover?") = (&value, name) {
                    let inside = self.covers(this, &inner.from)? && self.covers(this, &inner.to)?;
                    return Ok(Some(RubyValue::Bool(inside)));
                }
                RubyValue::Bool(self.covers(this, &value)?)
            }
            "exclude_end?" => RubyValue::Bool(this.excludes_end),
            "step" | "%" => {
                let by = self.int_arg(&a.get(0))?;
                if by <= 0 {
                    return self.argument_error(if by == 0 {
                        "step can't be 0"
                    } else {
                        "step can't be negative"
                    });
                }
                if matches!(this.from, RubyValue::Float(_)) {
                    return self.unsupported("steps of floats");
                }
                let items = self.range_items(this)?;
                let block = self.need_block(&a, name)?;
                for item in items.iter().step_by(usize::try_from(by).unwrap_or(usize::MAX)) {
                    self.yield1(block, item)?;
                }
                own()
            }
            "sum" if a.is_empty() && a.block.is_none() => match (&this.from, &this.to) {
                (RubyValue::Int(from), RubyValue::Int(to)) => {
                    let to = i128::from(*to) - i128::from(this.excludes_end);
                    let from = i128::from(*from);
                    let sum = if to < from { 0 } else { (to - from + 1) * (to + from) / 2 };
                    self.int_of(sum)?
                }
                _ => return Ok(None),
            },
            "to_s" => RubyValue::str(crate::show::to_s(&own())),
            "inspect" => RubyValue::str(crate::show::inspect(&own())),
            "==" | "eql?" => RubyValue::Bool(crate::value::eql(&own(), &a.get(0))),
            "hash" => RubyValue::Int(0),
            "frozen?" => RubyValue::Bool(true),
            _ => return self.enumerable(&own(), name, a),
        }))
    }

    pub(crate) fn covers(&mut self, range: &Rc<Range>, value: &RubyValue) -> Eval<bool> {
        let after_start = match &range.from {
            RubyValue::Nil => true,
            from => self.compare(from, value)?.is_some_and(std::cmp::Ordering::is_le),
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

    /// The items of a range whose ends know what follows them.
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
            if order.is_some_and(std::cmp::Ordering::is_eq) {
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

    /// Where a range of indices begins and how many it spans; `None` if it begins outside.
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
