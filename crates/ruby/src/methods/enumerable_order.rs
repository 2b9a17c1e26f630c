//! `Enumerable`: order and sums.

use std::cmp::Ordering;
use std::rc::Rc;

use super::tools::list;
use crate::run::{Args, Eval, Run};
use crate::value::{Proc, RubyValue};

impl Run<'_> {
    pub(super) fn enumerate_order(
        &mut self,
        _recv: &RubyValue,
        items: &[RubyValue],
        name: &str,
        a: Args<'_>,
    ) -> Eval<Option<RubyValue>> {
        match name {
            "sort" => list(self.sort(items.to_vec(), a.block)?),
            "sort_by" => {
                let block = self.need_block(&a, name)?;
                list(self.sort_by(items, block)?)
            }
            "min" | "max" | "minmax" => {
                if let Some(n) = a.items.first() {
                    let n = self.usize_arg(n, "negative size")?;
                    let mut sorted = self.sort(items.to_vec(), a.block)?;
                    if name == "max" {
                        sorted.reverse();
                    }
                    sorted.truncate(n);
                    return list(sorted);
                }
                let (mut least, mut most): (Option<RubyValue>, Option<RubyValue>) = (None, None);
                for item in items {
                    if replaces(self, a.block, item, least.as_ref(), Ordering::Less)? {
                        least = Some(item.clone());
                    }
                    if replaces(self, a.block, item, most.as_ref(), Ordering::Greater)? {
                        most = Some(item.clone());
                    }
                }
                let (least, most) = (least.unwrap_or_default(), most.unwrap_or_default());
                Ok(Some(match name {
                    "min" => least,
                    "max" => most,
                    _ => RubyValue::array(vec![least, most]),
                }))
            }
            "min_by" | "max_by" => {
                let block = self.need_block(&a, name)?;
                let wanted = if name == "min_by" { Ordering::Less } else { Ordering::Greater };
                let mut best: Option<(RubyValue, RubyValue)> = None;
                for item in items {
                    let key = self.yield1(block, item)?;
                    let better = match &best {
                        Some((known, _)) => self.order(&key, known)? == wanted,
                        None => true,
                    };
                    if better {
                        best = Some((key, item.clone()));
                    }
                }
                Ok(Some(best.map_or(RubyValue::Nil, |(_, item)| item)))
            }
            _ => Ok(None),
        }
    }

    pub(super) fn inject(&mut self, items: &[RubyValue], a: Args<'_>) -> Eval {
        let (start, name) = match (a.items, a.block) {
            ([], Some(_)) => (None, None),
            ([start], Some(_)) => (Some(start.clone()), None),
            ([name], None) => (None, Some(self.name_arg(name)?)),
            ([start, name], _) => (Some(start.clone()), Some(self.name_arg(name)?)),
            _ => return self.wrong_arity(a.len(), "0..2"),
        };
        let mut items = items.iter();
        let Some(mut memo) = start.or_else(|| items.next().cloned()) else {
            return Ok(RubyValue::Nil);
        };
        for item in items {
            memo = match (&name, a.block) {
                (Some(name), _) => self.call(&memo, name, std::slice::from_ref(item))?,
                (None, Some(block)) => self.yield2(block, &memo, item)?,
                (None, None) => return Ok(memo),
            };
        }
        Ok(memo)
    }

    pub(super) fn sum(&mut self, items: &[RubyValue], a: Args<'_>) -> Eval {
        let mut values = Vec::with_capacity(items.len());
        for item in items {
            values.push(match a.block {
                Some(block) => self.yield1(block, item)?,
                None => item.clone(),
            });
        }
        let mut sum = if a.is_empty() { RubyValue::Int(0) } else { a.get(0) };
        for (index, value) in values.iter().enumerate() {
            // Ruby sums floats more exactly than by adding them.
            if matches!(value, RubyValue::Float(_))
                && matches!(sum, RubyValue::Int(_) | RubyValue::Float(_))
            {
                return self.sum_floats(&sum, &values[index..]);
            }
            sum = self.call(&sum, "+", std::slice::from_ref(value))?;
        }
        Ok(sum)
    }

    /// Kahan and Babuška's sum.
    #[expect(clippy::cast_precision_loss, reason = "as Ruby does")]
    pub(super) fn sum_floats(&mut self, start: &RubyValue, values: &[RubyValue]) -> Eval {
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
                    total = self.call(&total, "+", std::slice::from_ref(value))?;
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
}

/// Whether an element takes the place of the best so far.
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
        // Ruby asks the best so far, unless there is a block.
        None => run.order(best, item)?.reverse(),
    };
    Ok(order == wanted)
}
