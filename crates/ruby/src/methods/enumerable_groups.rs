//! `Enumerable`: methods that group items.

use std::rc::Rc;

use foldhash::fast::FixedState;
use indexmap::IndexMap;

use super::table::{Builtin, iterator, method, with_block};
use super::tools::list;
use crate::run::{Args, Eval, Run};
use crate::value::{Entries, Key, Proc, RubyValue};

/// The methods of this file.
pub(super) static METHODS: &[Builtin<RubyValue>] = &[
    iterator("group_by", group_by),
    method("tally", tally),
    method("to_h", to_h),
    method("to_set", to_set),
    iterator("partition", partition),
    with_block("chunk_while", |run, this, block, _| chunks(run, this, block, true)),
    with_block("slice_when", |run, this, block, _| chunks(run, this, block, false)),
];

fn group_by(run: &mut Run<'_>, this: &RubyValue, block: &Rc<Proc>, _a: Args<'_>) -> Eval {
    let items = run.items_of(this)?;
    let mut groups: IndexMap<Key, Vec<RubyValue>, FixedState> = IndexMap::default();
    for item in &items {
        let key = Key::new(&run.yield1(block, item)?);
        groups.entry(key).or_default().push(item.clone());
    }
    let entries = groups.into_iter().map(|(key, items)| (key, RubyValue::array(items))).collect();
    Ok(RubyValue::hash(entries))
}

fn tally(run: &mut Run<'_>, this: &RubyValue, _a: Args<'_>) -> Eval {
    let items = run.items_of(this)?;
    let mut counts = Entries::default();
    for item in &items {
        let count = counts.entry(Key::new(item)).or_insert(RubyValue::Int(0));
        *count = RubyValue::Int(count.as_int().unwrap_or(0) + 1);
    }
    Ok(RubyValue::hash(counts))
}

pub(super) fn to_h(run: &mut Run<'_>, this: &RubyValue, a: Args<'_>) -> Eval {
    let items = run.items_of(this)?;
    let mut entries = Entries::default();
    for (index, item) in items.iter().enumerate() {
        let pair = match a.block {
            Some(block) => run.yield1(block, item)?,
            None => item.clone(),
        };
        let RubyValue::Array(pair) = &pair else {
            let class = crate::show::class_name(&pair);
            let what = if a.block.is_some() {
                format!("wrong element type {class} (expected array)")
            } else {
                format!("wrong element type {class} at {index} (expected array)")
            };
            return run.type_error(what);
        };
        let pair = pair.items.borrow().clone();
        let [key, value] = &pair[..] else {
            let n = pair.len();
            let what = if a.block.is_some() {
                format!("element has wrong array length (expected 2, was {n})")
            } else {
                format!("wrong array length at {index} (expected 2, was {n})")
            };
            return run.argument_error(what);
        };
        entries.insert(Key::new(key), value.clone());
    }
    Ok(RubyValue::hash(entries))
}

fn to_set(run: &mut Run<'_>, this: &RubyValue, _a: Args<'_>) -> Eval {
    let items = run.items_of(this)?;
    run.make_set(&items)
}

fn partition(run: &mut Run<'_>, this: &RubyValue, block: &Rc<Proc>, _a: Args<'_>) -> Eval {
    let items = run.items_of(this)?;
    let (mut with, mut without) = (Vec::new(), Vec::new());
    for item in &items {
        let side = if run.yield1(block, item)?.truthy() { &mut with } else { &mut without };
        side.push(item.clone());
    }
    list(vec![RubyValue::array(with), RubyValue::array(without)])
}

/// Puts items together for which the block says `joining` of the one before and the next.
fn chunks(run: &mut Run<'_>, this: &RubyValue, block: &Rc<Proc>, joining: bool) -> Eval {
    let items = run.items_of(this)?;
    let mut parts: Vec<Vec<RubyValue>> = Vec::new();
    for item in &items {
        let joins = match parts.last().and_then(|part| part.last()) {
            Some(before) => run.yield2(block, &before.clone(), item)?.truthy() == joining,
            None => false,
        };
        match parts.last_mut() {
            Some(part) if joins => part.push(item.clone()),
            _ => parts.push(vec![item.clone()]),
        }
    }
    let parts = RubyValue::array(parts.into_iter().map(RubyValue::array).collect());
    Ok(run.enumerator(&parts, "each", Args::new(&[])))
}
