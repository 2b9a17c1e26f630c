//! `Enumerable`: methods that choose items.

use std::rc::Rc;

use super::table::{Builtin, iterator, method};
use super::tools::{int, list, yes};
use crate::run::{Args, Eval, Run};
use crate::value::{Proc, RubyValue};

/// The methods of this file.
pub(super) static METHODS: &[Builtin<RubyValue>] = &[
    iterator("select", |run, this, block, _| filter(run, this, block, true)),
    iterator("filter", |run, this, block, _| filter(run, this, block, true)),
    iterator("find_all", |run, this, block, _| filter(run, this, block, true)),
    iterator("reject", |run, this, block, _| filter(run, this, block, false)),
    iterator("find", find),
    iterator("detect", find),
    method("find_index", find_index),
    method("first", first),
    method("take", take),
    method("drop", drop_first),
    iterator("take_while", take_while),
    iterator("drop_while", drop_while),
    method("include?", includes).arity(1, 1),
    method("member?", includes).arity(1, 1),
    method("any?", any),
    method("all?", all),
    method("none?", none),
    method("one?", one),
    method("count", count),
    method("grep", |run, this, a| grep(run, this, a, true)),
    method("grep_v", |run, this, a| grep(run, this, a, false)),
    method("uniq", uniq),
    method("compact", compact),
];

/// Returns the items for which the truth of the block is `keeps`.
fn filter(run: &mut Run<'_>, this: &RubyValue, block: &Rc<Proc>, keeps: bool) -> Eval {
    let mut out = Vec::new();
    for item in run.items_of(this)? {
        if run.yield1(block, &item)?.truthy() == keeps {
            out.push(item);
        }
    }
    list(out)
}

fn find(run: &mut Run<'_>, this: &RubyValue, block: &Rc<Proc>, _a: Args<'_>) -> Eval {
    for item in run.items_of(this)? {
        if run.yield1(block, &item)?.truthy() {
            return Ok(item);
        }
    }
    Ok(RubyValue::Nil)
}

fn find_index(run: &mut Run<'_>, this: &RubyValue, a: Args<'_>) -> Eval {
    for (index, item) in run.items_of(this)?.iter().enumerate() {
        let is_found = match (a.items.first(), a.block) {
            (Some(value), _) => run.equal(item, value)?,
            (None, Some(block)) => run.yield1(block, item)?.truthy(),
            (None, None) => return run.unsupported("find without a block"),
        };
        if is_found {
            return Ok(int(index));
        }
    }
    Ok(RubyValue::Nil)
}

pub(super) fn first(run: &mut Run<'_>, this: &RubyValue, a: Args<'_>) -> Eval {
    let items = run.items_of(this)?;
    if a.is_empty() {
        return Ok(items.first().cloned().unwrap_or_default());
    }
    let n = run.usize_arg(&a.items[0], "negative array size")?;
    list(items[..n.min(items.len())].to_vec())
}

pub(super) fn take(run: &mut Run<'_>, this: &RubyValue, a: Args<'_>) -> Eval {
    let items = run.items_of(this)?;
    let n = run.usize_arg(&a.get(0), "attempt to take negative size")?;
    list(items[..n.min(items.len())].to_vec())
}

fn drop_first(run: &mut Run<'_>, this: &RubyValue, a: Args<'_>) -> Eval {
    let items = run.items_of(this)?;
    let n = run.usize_arg(&a.get(0), "attempt to drop negative size")?;
    list(items[n.min(items.len())..].to_vec())
}

fn take_while(run: &mut Run<'_>, this: &RubyValue, block: &Rc<Proc>, _a: Args<'_>) -> Eval {
    let items = run.items_of(this)?;
    let n = n_leading(run, &items, block)?;
    list(items[..n].to_vec())
}

fn drop_while(run: &mut Run<'_>, this: &RubyValue, block: &Rc<Proc>, _a: Args<'_>) -> Eval {
    let items = run.items_of(this)?;
    let n = n_leading(run, &items, block)?;
    list(items[n..].to_vec())
}

/// Counts the items before the first for which the block is false.
fn n_leading(run: &mut Run<'_>, items: &[RubyValue], block: &Rc<Proc>) -> Eval<usize> {
    for (index, item) in items.iter().enumerate() {
        if !run.yield1(block, item)?.truthy() {
            return Ok(index);
        }
    }
    Ok(items.len())
}

fn includes(run: &mut Run<'_>, this: &RubyValue, a: Args<'_>) -> Eval {
    let items = run.items_of(this)?;
    yes(run.includes(&items, &a.items[0])?)
}

pub(super) fn any(run: &mut Run<'_>, this: &RubyValue, a: Args<'_>) -> Eval {
    for item in run.items_of(this)? {
        if matches(run, &item, a)? {
            return yes(true);
        }
    }
    yes(false)
}

fn all(run: &mut Run<'_>, this: &RubyValue, a: Args<'_>) -> Eval {
    for item in run.items_of(this)? {
        if !matches(run, &item, a)? {
            return yes(false);
        }
    }
    yes(true)
}

fn none(run: &mut Run<'_>, this: &RubyValue, a: Args<'_>) -> Eval {
    for item in run.items_of(this)? {
        if matches(run, &item, a)? {
            return yes(false);
        }
    }
    yes(true)
}

fn one(run: &mut Run<'_>, this: &RubyValue, a: Args<'_>) -> Eval {
    let mut n = 0;
    for item in run.items_of(this)? {
        n += usize::from(matches(run, &item, a)?);
    }
    yes(n == 1)
}

/// Returns true if an item matches the pattern or satisfies the block; without either, if it is truthy.
fn matches(run: &mut Run<'_>, item: &RubyValue, a: Args<'_>) -> Eval<bool> {
    Ok(match (a.items.first(), a.block) {
        (Some(pattern), _) => run.call(pattern, "===", std::slice::from_ref(item))?.truthy(),
        (None, Some(block)) => run.yield1(block, item)?.truthy(),
        (None, None) => item.truthy(),
    })
}

pub(super) fn count(run: &mut Run<'_>, this: &RubyValue, a: Args<'_>) -> Eval {
    let items = run.items_of(this)?;
    let mut hits = 0;
    for item in &items {
        let hit = match (a.items.first(), a.block) {
            (Some(value), _) => run.equal(item, value)?,
            (None, Some(block)) => run.yield1(block, item)?.truthy(),
            (None, None) => true,
        };
        hits += usize::from(hit);
    }
    Ok(int(hits))
}

fn grep(run: &mut Run<'_>, this: &RubyValue, a: Args<'_>, keeps: bool) -> Eval {
    let items = run.items_of(this)?;
    let mut out = Vec::new();
    for item in &items {
        if run.call(&a.get(0), "===", std::slice::from_ref(item))?.truthy() == keeps {
            out.push(match a.block {
                Some(block) => run.yield1(block, item)?,
                None => item.clone(),
            });
        }
    }
    list(out)
}

fn uniq(run: &mut Run<'_>, this: &RubyValue, a: Args<'_>) -> Eval {
    let items = run.items_of(this)?;
    list(run.unique(&items, a.block)?)
}

fn compact(run: &mut Run<'_>, this: &RubyValue, _a: Args<'_>) -> Eval {
    let items = run.items_of(this)?;
    list(items.iter().filter(|item| !item.is_nil()).cloned().collect())
}
