//! `Set`

use std::rc::Rc;

use kukla_base::{Editions, RubyChange};

use super::enumerable_some;
use super::table::{Builtin, method, with_block};
use super::tools::{int, list, text, yes};
use crate::class::{Class, Data, Object};
use crate::run::{Args, Eval, Run};
use crate::value::{Entries, Key, Map, Proc, RubyValue, eql};

/// The methods of this file.
pub(super) static METHODS: &[Builtin<Rc<Object>>] = &[
    method("add", add),
    method("<<", add),
    method("add?", add_if_new),
    method("delete", delete),
    method("include?", includes),
    method("member?", includes),
    method("===", includes),
    method("contain?", includes),
    method("key?", includes),
    method("size", |_, this, _| Ok(int(items(this).len()))).when(|_, a| is_bare(a)),
    method("length", |_, this, _| Ok(int(items(this).len()))).when(|_, a| is_bare(a)),
    method("count", count),
    method("empty?", |_, this, _| yes(items(this).is_empty())),
    method("to_a", |_, this, _| list(items(this))),
    method("to_set", |_, this, _| Ok(own(this))),
    with_block("each", each),
    method("merge", merge),
    method("|", |run, this, a| combine(run, this, "|", a)),
    method("union", |run, this, a| combine(run, this, "|", a)),
    method("+", |run, this, a| combine(run, this, "|", a)),
    method("&", |run, this, a| combine(run, this, "&", a)),
    method("intersection", |run, this, a| combine(run, this, "&", a)),
    method("-", |run, this, a| combine(run, this, "-", a)),
    method("difference", |run, this, a| combine(run, this, "-", a)),
    method("subset?", |run, this, a| compare(run, this, a, is_within)),
    method("<=", |run, this, a| compare(run, this, a, is_within)),
    method("superset?", |run, this, a| compare(run, this, a, |own, other| is_within(other, own))),
    method(">=", |run, this, a| compare(run, this, a, |own, other| is_within(other, own))),
    method("disjoint?", |run, this, a| compare(run, this, a, |own, other| !intersects(own, other))),
    method("intersect?", |run, this, a| compare(run, this, a, intersects)),
    method("inspect", inspect),
    method("to_s", inspect),
    method("select", |run, this, a| filter(run, this, "select", a)),
    method("filter", |run, this, a| filter(run, this, "filter", a)),
    method("reject", |run, this, a| filter(run, this, "reject", a)),
    method("freeze", |_, this, _| Ok(own(this))),
    method("dup", |_, this, _| Ok(own(this))),
];

/// The methods of the class itself.
pub(super) static CLASS: &[Builtin<Rc<Class>>] = &[method("new", |run, _, a| new(run, a))];

fn own(this: &Rc<Object>) -> RubyValue {
    RubyValue::Object(Rc::clone(this))
}

/// The members, which are the keys.
fn members(this: &Rc<Object>) -> Rc<Map> {
    match &*this.data.borrow() {
        Data::Set(members) => Rc::clone(members),
        _ => Rc::default(),
    }
}

fn items(this: &Rc<Object>) -> Vec<RubyValue> {
    members(this).entries.borrow().keys().map(|key| key.0.clone()).collect()
}

fn is_bare(a: Args<'_>) -> bool {
    a.is_empty() && a.block.is_none()
}

/// Adds a member, and returns whether it was not there yet.
fn insert(this: &Rc<Object>, item: &RubyValue) -> bool {
    let members = members(this);
    let before = members.entries.borrow_mut().insert(Key::new(item), RubyValue::Bool(true));
    before.is_none()
}

fn add(_run: &mut Run<'_>, this: &Rc<Object>, a: Args<'_>) -> Eval {
    insert(this, &a.get(0));
    Ok(own(this))
}

fn add_if_new(_run: &mut Run<'_>, this: &Rc<Object>, a: Args<'_>) -> Eval {
    Ok(if insert(this, &a.get(0)) { own(this) } else { RubyValue::Nil })
}

fn delete(_run: &mut Run<'_>, this: &Rc<Object>, a: Args<'_>) -> Eval {
    members(this).entries.borrow_mut().shift_remove(&Key(a.get(0)));
    Ok(own(this))
}

fn includes(_run: &mut Run<'_>, this: &Rc<Object>, a: Args<'_>) -> Eval {
    yes(members(this).entries.borrow().contains_key(&Key(a.get(0))))
}

fn count(run: &mut Run<'_>, this: &Rc<Object>, a: Args<'_>) -> Eval {
    match is_bare(a) {
        true => Ok(int(items(this).len())),
        false => enumerable_some::count(run, &own(this), a),
    }
}

fn each(run: &mut Run<'_>, this: &Rc<Object>, block: &Rc<Proc>, _a: Args<'_>) -> Eval {
    for item in &items(this) {
        run.yield1(block, item)?;
    }
    Ok(own(this))
}

fn merge(run: &mut Run<'_>, this: &Rc<Object>, a: Args<'_>) -> Eval {
    for other in a.items {
        for item in run.items_of(other)? {
            insert(this, &item);
        }
    }
    Ok(own(this))
}

/// A set of what an operator on arrays gives.
fn combine(run: &mut Run<'_>, this: &Rc<Object>, operator: &str, a: Args<'_>) -> Eval {
    let other = RubyValue::array(run.items_of(&a.get(0))?);
    let result = run.call(&RubyValue::array(items(this)), operator, &[other])?;
    let result = run.array_arg(&result)?;
    run.make_set(&result)
}

fn compare(
    run: &mut Run<'_>,
    this: &Rc<Object>,
    a: Args<'_>,
    fits: fn(&[RubyValue], &[RubyValue]) -> bool,
) -> Eval {
    let others = run.items_of(&a.get(0))?;
    yes(fits(&items(this), &others))
}

fn is_within(items: &[RubyValue], others: &[RubyValue]) -> bool {
    items.iter().all(|item| others.iter().any(|other| eql(other, item)))
}

fn intersects(items: &[RubyValue], others: &[RubyValue]) -> bool {
    items.iter().any(|item| others.iter().any(|other| eql(other, item)))
}

fn inspect(run: &mut Run<'_>, this: &Rc<Object>, _a: Args<'_>) -> Eval {
    let mut parts = Vec::new();
    for item in &items(this) {
        parts.push(run.inspect(item)?);
    }
    let parts = parts.join(", ");
    text(match Editions::current().ruby.has(RubyChange::SetInspect) {
        true => format!("Set[{parts}]"),
        false => format!("#<Set: {{{parts}}}>"),
    })
}

fn filter(run: &mut Run<'_>, this: &Rc<Object>, name: &str, a: Args<'_>) -> Eval {
    let rest = run.call_with(&RubyValue::array(items(this)), name, a)?;
    let rest = run.array_arg(&rest)?;
    run.make_set(&rest)
}

/// `Set.new(items)`, `Set.new(items) { … }`
fn new(run: &mut Run<'_>, a: Args<'_>) -> Eval {
    let mut items = if a.get(0).is_nil() { Vec::new() } else { run.items_of(&a.get(0))? };
    if let Some(block) = a.block {
        for item in &mut items {
            *item = run.yield1(block, item)?;
        }
    }
    run.make_set(&items)
}

impl Run<'_> {
    pub(crate) fn make_set(&mut self, items: &[RubyValue]) -> Eval {
        let entries: Entries =
            items.iter().map(|item| (Key::new(item), RubyValue::Bool(true))).collect();
        let members = Rc::new(Map::new(entries));
        let class = self.class_named("Set");
        Ok(RubyValue::Object(Rc::new(Object::new(class, Data::Set(members)))))
    }
}
