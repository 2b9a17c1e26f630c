//! Sorting, joining and flattening.

use kukla_rubytext::RubyInteger as _;
use std::cmp::Ordering;
use std::rc::Rc;

use crate::run::{Eval, Run};
use crate::value::{List, Proc, RubyValue};

/// Arrays nested deeper than this are refused.
const MAX_DEPTH: usize = 1_000;

impl Run<'_> {
    /// Sorts by a stable merge sort, as Ruby does on Linux; a comparison may fail.
    pub(crate) fn merge_sort<T: Clone>(
        &mut self,
        items: Vec<T>,
        order: &mut dyn FnMut(&mut Self, &T, &T) -> Eval<Ordering>,
    ) -> Eval<Vec<T>> {
        if items.len() < 2 {
            return Ok(items);
        }
        let mut left = items;
        let right = left.split_off(left.len() / 2);
        let left = self.merge_sort(left, order)?;
        let right = self.merge_sort(right, order)?;
        let mut merged = Vec::with_capacity(left.len() + right.len());
        let (mut left, mut right) = (left.into_iter().peekable(), right.into_iter().peekable());
        while let (Some(a), Some(b)) = (left.peek(), right.peek()) {
            let takes_right = order(self, a, b)? == Ordering::Greater;
            merged.extend(if takes_right { right.next() } else { left.next() });
        }
        merged.extend(left);
        merged.extend(right);
        Ok(merged)
    }

    pub(crate) fn sort(
        &mut self,
        items: Vec<RubyValue>,
        block: Option<&Rc<Proc>>,
    ) -> Eval<Vec<RubyValue>> {
        self.merge_sort(items, &mut |run, a, b| match block {
            None => run.order(a, b),
            Some(block) => {
                let result = run.yield2(block, a, b)?;
                run.sign(&result, a, b)
            }
        })
    }

    /// Converts the result of a block of `sort` to an order.
    pub(crate) fn sign(
        &mut self,
        result: &RubyValue,
        a: &RubyValue,
        b: &RubyValue,
    ) -> Eval<Ordering> {
        match result {
            RubyValue::Int(number) => Ok(number.cmp(&0)),
            RubyValue::Big(number) if number.is_negative() => Ok(Ordering::Less),
            RubyValue::Big(_) => Ok(Ordering::Greater),
            RubyValue::Float(number) => Ok(number.partial_cmp(&0.0).unwrap_or(Ordering::Equal)),
            _ => self.incomparable(a, b),
        }
    }

    pub(crate) fn sort_by(
        &mut self,
        items: &[RubyValue],
        block: &Rc<Proc>,
    ) -> Eval<Vec<RubyValue>> {
        let mut keyed = Vec::with_capacity(items.len());
        for item in items {
            keyed.push((self.yield1(block, item)?, item.clone()));
        }
        let sorted = self.merge_sort(keyed, &mut |run, a, b| run.order(&a.0, &b.0))?;
        Ok(sorted.into_iter().map(|(_, item)| item).collect())
    }

    pub(crate) fn join(&mut self, items: &[RubyValue], separator: &str) -> Eval<String> {
        let mut out = String::new();
        self.join_into(items, separator, &mut out, 0)?;
        self.charge(out.len())?;
        Ok(out)
    }

    fn join_into(
        &mut self,
        items: &[RubyValue],
        separator: &str,
        out: &mut String,
        depth: usize,
    ) -> Eval<()> {
        if depth > MAX_DEPTH {
            return self.argument_error("recursive array join");
        }
        self.check_room(out.len())?;
        for (index, item) in items.iter().enumerate() {
            if index > 0 {
                out.push_str(separator);
            }
            match item {
                RubyValue::Str(text) => {
                    let text = text.text.borrow();
                    self.check_room(out.len() + text.len() + separator.len())?;
                    out.push_str(&text);
                }
                RubyValue::Array(list) => {
                    let inner = list.items.borrow().clone();
                    self.join_into(&inner, separator, out, depth + 1)?;
                }
                other => out.push_str(&self.to_s(other)?),
            }
        }
        Ok(())
    }

    /// Returns the items without nesting, and whether there was any.
    pub(crate) fn flatten(
        &mut self,
        items: &[RubyValue],
        levels: i64,
    ) -> Eval<(Vec<RubyValue>, bool)> {
        let mut out = Vec::new();
        let changed = self.flatten_into(items, levels, &mut out, 0)?;
        self.charge(out.len() * 24)?;
        Ok((out, changed))
    }

    fn flatten_into(
        &mut self,
        items: &[RubyValue],
        levels: i64,
        out: &mut Vec<RubyValue>,
        depth: usize,
    ) -> Eval<bool> {
        if depth > MAX_DEPTH {
            return self.argument_error("tried to flatten recursive array");
        }
        self.check_room(out.len() * 24)?;
        let mut changed = false;
        for item in items {
            match item {
                RubyValue::Array(list) if levels != 0 => {
                    let inner = list.items.borrow().clone();
                    self.flatten_into(&inner, levels - 1, out, depth + 1)?;
                    changed = true;
                }
                other => {
                    out.push(other.clone());
                    self.check_room(out.capacity() * size_of::<RubyValue>())?;
                }
            }
        }
        Ok(changed)
    }

    /// Refuses to change an array that is frozen, and notes that any other is changed now.
    pub(crate) fn change_array(&mut self, this: &Rc<List>) -> Eval<()> {
        if this.frozen.get() {
            return self.frozen(&RubyValue::Array(Rc::clone(this)));
        }
        if !this.is_changed.replace(true) {
            self.vm.roots.add_list(this);
        }
        self.vm.has_changed = true;
        Ok(())
    }

    pub(crate) fn includes(&mut self, items: &[RubyValue], value: &RubyValue) -> Eval<bool> {
        for item in items {
            if self.equal(item, value)? {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Returns the first of the elements that are equal by `eql?`.
    pub(crate) fn unique(
        &mut self,
        items: &[RubyValue],
        block: Option<&Rc<Proc>>,
    ) -> Eval<Vec<RubyValue>> {
        let mut seen = crate::value::Entries::default();
        let mut out = Vec::new();
        for item in items {
            let key = match block {
                Some(block) => self.yield1(block, item)?,
                None => item.clone(),
            };
            if seen.insert(crate::value::Key::new(&key), RubyValue::Nil).is_none() {
                out.push(item.clone());
            }
        }
        Ok(out)
    }
}
