//! `Hash`: methods that return another hash. Their blocks get key and value as two arguments.

use std::rc::Rc;

use super::hash::own;
use super::table::{Builtin, iterator, method};
use crate::run::{Args, Eval, Run};
use crate::value::{Entries, Key, Map, Proc, RubyValue};

/// The methods of this file.
pub(super) static METHODS: &[Builtin<Rc<Map>>] = &[
    iterator("select", |run, this, block, _| filter(run, this, block, true)),
    iterator("filter", |run, this, block, _| filter(run, this, block, true)),
    iterator("reject", |run, this, block, _| filter(run, this, block, false)),
    iterator("transform_values", transform_values),
    method("transform_keys", transform_keys),
    method("merge", merge),
    method("compact", compact),
    method("invert", invert),
    method("slice", slice),
    method("except", except),
    method("to_h", to_h),
];

fn entries(this: &Rc<Map>) -> Entries {
    this.entries.borrow().clone()
}

/// Returns a hash of these entries and counts its memory.
fn hash(run: &mut Run<'_>, entries: Entries) -> Eval {
    run.charge(entries.len() * 64)?;
    Ok(RubyValue::hash(entries))
}

/// Returns the entries for which the truth of the block is `keeps`.
fn filter(run: &mut Run<'_>, this: &Rc<Map>, block: &Rc<Proc>, keeps: bool) -> Eval {
    let mut out = Entries::default();
    for (key, value) in entries(this) {
        if run.yield2(block, &key.0, &value)?.truthy() == keeps {
            out.insert(key, value);
        }
    }
    hash(run, out)
}

fn transform_values(run: &mut Run<'_>, this: &Rc<Map>, block: &Rc<Proc>, _a: Args<'_>) -> Eval {
    let mut out = entries(this);
    for value in out.values_mut() {
        *value = run.yield1(block, value)?;
    }
    hash(run, out)
}

fn transform_keys(run: &mut Run<'_>, this: &Rc<Map>, a: Args<'_>) -> Eval {
    if a.block.is_none() && a.is_empty() {
        return Ok(run.enumerator(&own(this), "transform_keys", a));
    }
    let mut out = Entries::default();
    for (key, value) in entries(this) {
        let mapped = match a.items.first() {
            Some(RubyValue::Hash(map)) => map.entries.borrow().get(&key).cloned(),
            Some(other) => return run.no_conversion(other, "Hash"),
            None => None,
        };
        let new = match (mapped, a.block) {
            (Some(new), _) => new,
            (None, Some(block)) => run.yield1(block, &key.0)?,
            (None, None) => key.0.clone(),
        };
        out.insert(Key::new(&new), value);
    }
    hash(run, out)
}

fn merge(run: &mut Run<'_>, this: &Rc<Map>, a: Args<'_>) -> Eval {
    let copy = Rc::new(Map::new(entries(this)));
    copy.default.replace(this.default.borrow().clone());
    copy.default_proc.replace(this.default_proc.borrow().clone());
    run.hash_merge(&copy, a)?;
    Ok(RubyValue::Hash(copy))
}

fn compact(run: &mut Run<'_>, this: &Rc<Map>, _a: Args<'_>) -> Eval {
    let entries = entries(this).into_iter();
    hash(run, entries.filter(|(_, value)| !value.is_nil()).collect())
}

fn invert(run: &mut Run<'_>, this: &Rc<Map>, _a: Args<'_>) -> Eval {
    let entries = entries(this).into_iter();
    hash(run, entries.map(|(key, value)| (Key::new(&value), key.0)).collect())
}

fn slice(run: &mut Run<'_>, this: &Rc<Map>, a: Args<'_>) -> Eval {
    let (all, mut out) = (this.entries.borrow(), Entries::default());
    for key in a.items {
        if let Some((key, value)) = all.get_key_value(&Key(key.clone())) {
            out.insert(key.clone(), value.clone());
        }
    }
    hash(run, out)
}

fn except(run: &mut Run<'_>, this: &Rc<Map>, a: Args<'_>) -> Eval {
    let mut out = entries(this);
    for key in a.items {
        out.shift_remove(&Key(key.clone()));
    }
    hash(run, out)
}

fn to_h(run: &mut Run<'_>, this: &Rc<Map>, a: Args<'_>) -> Eval {
    let Some(block) = a.block else { return Ok(own(this)) };
    let mut out = Entries::default();
    for (key, value) in entries(this) {
        let pair = run.yield2(block, &key.0, &value)?;
        let pair = match &pair {
            RubyValue::Array(pair) if pair.items.borrow().len() == 2 => pair.items.borrow().clone(),
            RubyValue::Array(pair) => {
                let n = pair.items.borrow().len();
                return run.argument_error(format!(
                    "element has wrong array length (expected 2, was {n})"
                ));
            }
            other => {
                let class = crate::show::class_name(other);
                return run.type_error(format!("wrong element type {class} (expected array)"));
            }
        };
        out.insert(Key::new(&pair[0]), pair[1].clone());
    }
    hash(run, out)
}
