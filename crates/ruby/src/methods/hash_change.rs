//! `Hash`: methods that change it.

use std::rc::Rc;

use super::hash::own;
use super::table::{Builtin, iterator, method, with_block};
use crate::run::{Args, Eval, Run};
use crate::value::{Key, Map, RubyValue};

/// The methods of this file.
pub(super) static METHODS: &[Builtin<Rc<Map>>] = &[
    method("[]=", store).arity(2, 2),
    method("store", store).arity(2, 2),
    method("delete", delete),
    method("merge!", merge_in_place),
    method("update", merge_in_place),
    method("replace", replace),
    method("clear", clear),
    method("shift", shift),
    method("default=", default_set),
    method("freeze", freeze),
    method("frozen?", |_, this, _| Ok(RubyValue::Bool(this.frozen.get()))),
    iterator("delete_if", |run, this, _, a| in_place(run, this, "reject", a)),
    iterator("keep_if", |run, this, _, a| in_place(run, this, "select", a)),
    iterator("select!", |run, this, _, a| in_place_or_nil(run, this, "select", a)),
    with_block("filter!", |run, this, _, a| in_place_or_nil(run, this, "select", a)),
    iterator("reject!", |run, this, _, a| in_place_or_nil(run, this, "reject", a)),
    method("compact!", |run, this, a| in_place_or_nil(run, this, "compact", a)),
    with_block("transform_values!", |run, this, _, a| in_place(run, this, "transform_values", a)),
    method("transform_keys!", |run, this, a| in_place(run, this, "transform_keys", a)),
];

fn store(run: &mut Run<'_>, this: &Rc<Map>, a: Args<'_>) -> Eval {
    run.change_hash(this)?;
    run.charge(64)?;
    this.entries.borrow_mut().insert(Key::new(&a.items[0]), a.items[1].clone());
    Ok(a.items[1].clone())
}

fn delete(run: &mut Run<'_>, this: &Rc<Map>, a: Args<'_>) -> Eval {
    run.change_hash(this)?;
    let gone = this.entries.borrow_mut().shift_remove(&Key(a.get(0)));
    match (gone, a.block) {
        (Some(value), _) => Ok(value),
        (None, Some(block)) => run.yield1(block, &a.get(0)),
        (None, None) => Ok(RubyValue::Nil),
    }
}

fn merge_in_place(run: &mut Run<'_>, this: &Rc<Map>, a: Args<'_>) -> Eval {
    run.change_hash(this)?;
    run.hash_merge(this, a)?;
    Ok(own(this))
}

fn replace(run: &mut Run<'_>, this: &Rc<Map>, a: Args<'_>) -> Eval {
    run.change_hash(this)?;
    let RubyValue::Hash(other) = a.get(0) else {
        return run.no_conversion(&a.get(0), "Hash");
    };
    let entries = other.entries.borrow().clone();
    this.entries.replace(entries);
    Ok(own(this))
}

fn clear(run: &mut Run<'_>, this: &Rc<Map>, _a: Args<'_>) -> Eval {
    run.change_hash(this)?;
    this.entries.borrow_mut().clear();
    Ok(own(this))
}

fn shift(run: &mut Run<'_>, this: &Rc<Map>, _a: Args<'_>) -> Eval {
    run.change_hash(this)?;
    let first = this.entries.borrow_mut().shift_remove_index(0);
    Ok(first.map_or(RubyValue::Nil, |(key, value)| RubyValue::array(vec![key.0, value])))
}

fn default_set(_run: &mut Run<'_>, this: &Rc<Map>, a: Args<'_>) -> Eval {
    this.default.replace(a.get(0));
    Ok(a.get(0))
}

fn freeze(_run: &mut Run<'_>, this: &Rc<Map>, _a: Args<'_>) -> Eval {
    this.frozen.set(true);
    Ok(own(this))
}

/// Replaces the entries by the result of the method without `!`.
fn in_place(run: &mut Run<'_>, this: &Rc<Map>, plain: &str, a: Args<'_>) -> Eval {
    run.change_hash(this)?;
    if let Some(RubyValue::Hash(new)) = run.builtin(&own(this), plain, a)? {
        let entries = new.entries.borrow().clone();
        this.entries.replace(entries);
    }
    Ok(own(this))
}

/// Like [`in_place`], but returns `nil` if no entry was removed.
fn in_place_or_nil(run: &mut Run<'_>, this: &Rc<Map>, plain: &str, a: Args<'_>) -> Eval {
    let n_before = this.entries.borrow().len();
    let result = in_place(run, this, plain, a)?;
    let is_same = this.entries.borrow().len() == n_before;
    Ok(if is_same { RubyValue::Nil } else { result })
}

impl Run<'_> {
    /// Refuses to change a hash that is frozen, and notes that any other is changed now.
    fn change_hash(&mut self, this: &Rc<Map>) -> Eval<()> {
        if this.frozen.get() {
            return self.frozen(&RubyValue::Hash(Rc::clone(this)));
        }
        if !this.is_changed.replace(true) {
            self.vm.roots.add_map(this);
        }
        self.vm.has_changed = true;
        Ok(())
    }
}
