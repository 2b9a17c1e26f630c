//! `Hash`: methods that don't change it.

use std::rc::Rc;

use super::enumerable_some;
use super::table::{Builtin, iterator, method, refused};
use super::tools::{int, list, yes};
use crate::run::{Args, Eval, Run};
use crate::value::{Key, Map, Proc, RubyValue};

/// The methods of this file.
pub(super) static METHODS: &[Builtin<Rc<Map>>] = &[
    method("[]", |run, this, a| run.hash_get(this, &a.items[0])).arity(1, 1),
    method("key?", |_, this, a| yes(find(this, &a.items[0]).is_some())).arity(1, 1),
    method("has_key?", |_, this, a| yes(find(this, &a.items[0]).is_some())).arity(1, 1),
    method("include?", |_, this, a| yes(find(this, &a.items[0]).is_some())).arity(1, 1),
    method("member?", |_, this, a| yes(find(this, &a.items[0]).is_some())).arity(1, 1),
    method("flatten", flatten).arity(0, 1),
    method("fetch", fetch).arity(1, 2),
    method("dig", dig),
    iterator("each", each),
    iterator("each_pair", each),
    iterator("each_key", each_key),
    iterator("each_value", each_value),
    method("keys", keys),
    method("values", values),
    method("length", |_, this, _| Ok(int(this.entries.borrow().len()))),
    method("size", |_, this, _| Ok(int(this.entries.borrow().len()))),
    method("count", count),
    method("empty?", |_, this, _| yes(this.entries.borrow().is_empty())),
    method("any?", any),
    method("value?", has_value),
    method("has_value?", has_value),
    method("key", key),
    method("values_at", values_at),
    method("fetch_values", fetch_values),
    method("to_hash", |_, this, _| Ok(own(this))).when(|_, a| a.block.is_none()),
    method("to_s", |run, this, _| Ok(RubyValue::str(run.inspect(&own(this))?))),
    method("inspect", |run, this, _| Ok(RubyValue::str(run.inspect(&own(this))?))),
    method("==", |run, this, a| yes(run.equal(&own(this), &a.get(0))?)),
    method("eql?", |run, this, a| yes(run.equal(&own(this), &a.get(0))?)),
    method("<=", |run, this, a| is_part(run, this, a, false)),
    method(">=", |run, this, a| contains(run, this, a, false)),
    method("<", |run, this, a| is_part(run, this, a, true)),
    method(">", |run, this, a| contains(run, this, a, true)),
    method("default", |_, this, _| Ok(this.default.borrow().clone())),
    method("hash", |_, this, _| Ok(int(this.entries.borrow().len()))),
    method("assoc", assoc),
    refused("compare_by_identity", "method Hash#compare_by_identity"),
];

/// Returns the hash itself as the result of a method.
pub(super) fn own(this: &Rc<Map>) -> RubyValue {
    RubyValue::Hash(Rc::clone(this))
}

fn find(this: &Rc<Map>, key: &RubyValue) -> Option<RubyValue> {
    this.entries.borrow().get(&Key(key.clone())).cloned()
}

fn flatten(run: &mut Run<'_>, this: &Rc<Map>, a: Args<'_>) -> Eval {
    let levels = if a.is_empty() { 1 } else { run.int_arg(&a.items[0])? };
    let pairs: Vec<RubyValue> = this
        .entries
        .borrow()
        .iter()
        .map(|(key, value)| RubyValue::array(vec![key.0.clone(), value.clone()]))
        .collect();
    let flat = run.flatten(&pairs, levels)?.0;
    list(flat)
}

fn fetch(run: &mut Run<'_>, this: &Rc<Map>, a: Args<'_>) -> Eval {
    match (find(this, &a.items[0]), a.block, a.items.get(1)) {
        (Some(value), ..) => Ok(value),
        (None, Some(block), _) => run.yield1(block, &a.items[0]),
        (None, None, Some(default)) => Ok(default.clone()),
        (None, None, None) => {
            let shown = run.inspect(&a.items[0])?;
            run.raise("KeyError", format!("key not found: {shown}"))
        }
    }
}

fn dig(run: &mut Run<'_>, this: &Rc<Map>, a: Args<'_>) -> Eval {
    let first = run.hash_get(this, &a.get(0))?;
    run.dig_rest(&first, a)
}

fn each(run: &mut Run<'_>, this: &Rc<Map>, block: &Rc<Proc>, _a: Args<'_>) -> Eval {
    let mut index = 0;
    loop {
        let entry = this
            .entries
            .borrow()
            .get_index(index)
            .map(|(key, value)| (key.0.clone(), value.clone()));
        let Some((key, value)) = entry else { break };
        run.yield1(block, &RubyValue::array(vec![key.clone(), value]))?;
        // The entry may have been deleted by the block.
        let stays = this.entries.borrow().get_index(index).is_some_and(|(now, _)| *now == Key(key));
        index += usize::from(stays);
    }
    Ok(own(this))
}

fn each_key(run: &mut Run<'_>, this: &Rc<Map>, block: &Rc<Proc>, _a: Args<'_>) -> Eval {
    for (key, _) in this.entries.borrow().clone() {
        run.yield1(block, &key.0)?;
    }
    Ok(own(this))
}

fn each_value(run: &mut Run<'_>, this: &Rc<Map>, block: &Rc<Proc>, _a: Args<'_>) -> Eval {
    for (_, value) in this.entries.borrow().clone() {
        run.yield1(block, &value)?;
    }
    Ok(own(this))
}

fn keys(_run: &mut Run<'_>, this: &Rc<Map>, _a: Args<'_>) -> Eval {
    list(this.entries.borrow().keys().map(|key| key.0.clone()).collect())
}

fn values(_run: &mut Run<'_>, this: &Rc<Map>, _a: Args<'_>) -> Eval {
    list(this.entries.borrow().values().cloned().collect())
}

fn count(run: &mut Run<'_>, this: &Rc<Map>, a: Args<'_>) -> Eval {
    match a.is_empty() && a.block.is_none() {
        true => Ok(int(this.entries.borrow().len())),
        false => enumerable_some::count(run, &own(this), a),
    }
}

fn any(run: &mut Run<'_>, this: &Rc<Map>, a: Args<'_>) -> Eval {
    match a.is_empty() && a.block.is_none() {
        true => yes(!this.entries.borrow().is_empty()),
        false => enumerable_some::any(run, &own(this), a),
    }
}

fn has_value(run: &mut Run<'_>, this: &Rc<Map>, a: Args<'_>) -> Eval {
    let values: Vec<RubyValue> = this.entries.borrow().values().cloned().collect();
    yes(run.includes(&values, &a.get(0))?)
}

fn key(run: &mut Run<'_>, this: &Rc<Map>, a: Args<'_>) -> Eval {
    for (key, value) in this.entries.borrow().clone() {
        if run.equal(&value, &a.get(0))? {
            return Ok(key.0);
        }
    }
    Ok(RubyValue::Nil)
}

fn values_at(run: &mut Run<'_>, this: &Rc<Map>, a: Args<'_>) -> Eval {
    let values = a.items.iter().map(|key| run.hash_get(this, key));
    list(values.collect::<Eval<_>>()?)
}

fn fetch_values(run: &mut Run<'_>, this: &Rc<Map>, a: Args<'_>) -> Eval {
    let one = |key| Args { items: std::slice::from_ref(key), ..a };
    let values = a.items.iter().map(|key| fetch(run, this, one(key)));
    list(values.collect::<Eval<_>>()?)
}

fn is_part(run: &mut Run<'_>, this: &Rc<Map>, a: Args<'_>, is_proper: bool) -> Eval {
    let other = hash_arg(run, a)?;
    compare(run, this, &other, is_proper)
}

fn contains(run: &mut Run<'_>, this: &Rc<Map>, a: Args<'_>, is_proper: bool) -> Eval {
    let other = hash_arg(run, a)?;
    compare(run, &other, this, is_proper)
}

fn hash_arg(run: &mut Run<'_>, a: Args<'_>) -> Eval<Rc<Map>> {
    match a.get(0) {
        RubyValue::Hash(other) => Ok(other),
        other => run.no_conversion(&other, "Hash"),
    }
}

/// Returns whether all entries of a hash are in another; if it `is_proper`, that one must have more.
fn compare(run: &mut Run<'_>, less: &Rc<Map>, more: &Rc<Map>, is_proper: bool) -> Eval {
    let (less, more) = (less.entries.borrow().clone(), more.entries.borrow().clone());
    for (key, value) in &less {
        match more.get(key) {
            Some(other) if run.equal(value, other)? => (),
            _ => return yes(false),
        }
    }
    yes(!is_proper || less.len() < more.len())
}

fn assoc(_run: &mut Run<'_>, this: &Rc<Map>, a: Args<'_>) -> Eval {
    let pair = |value| RubyValue::array(vec![a.get(0), value]);
    Ok(find(this, &a.get(0)).map_or(RubyValue::Nil, pair))
}

impl Run<'_> {
    /// Returns the value of a key, or the default.
    pub(crate) fn hash_get(&mut self, this: &Rc<Map>, key: &RubyValue) -> Eval {
        if let Some(value) = this.entries.borrow().get(&Key(key.clone())) {
            return Ok(value.clone());
        }
        let block = this.default_proc.borrow().clone();
        match block {
            Some(block) => self.yield2(&block, &RubyValue::Hash(Rc::clone(this)), key),
            None => Ok(this.default.borrow().clone()),
        }
    }

    pub(super) fn hash_merge(&mut self, this: &Rc<Map>, a: Args<'_>) -> Eval<()> {
        for other in a.items {
            let RubyValue::Hash(other) = other else { return self.no_conversion(other, "Hash") };
            let other = other.entries.borrow().clone();
            self.charge(other.len() * 64)?;
            for (key, value) in other {
                let old = this.entries.borrow().get(&key).cloned();
                let value = match (old, a.block) {
                    (Some(old), Some(block)) => {
                        self.call_block(block, Args::new(&[key.0.clone(), old, value]))?
                    }
                    _ => value,
                };
                this.entries.borrow_mut().insert(key, value);
            }
        }
        Ok(())
    }
}
