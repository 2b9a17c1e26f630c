//! `Set`

use std::rc::Rc;

use kukla_base::{Editions, RubyChange};

use super::enumerable_some;
use super::table::{Builtin, method, with_block};
use super::tools::{int, list, text, yes};
use crate::class::{Class, Data, Native, Object};
use crate::run::{Args, Eval, Run};
use crate::value::{Key, Map, Proc, RubyValue, eql};

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
pub(super) static CLASS: &[Builtin<Rc<Class>>] =
    &[method("new", |run, _, a| new(run, a)), method("[]", |run, _, a| run.make_set(a.items))];

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
fn insert(run: &mut Run<'_>, members: &Map, item: &RubyValue) -> Eval<bool> {
    let (member, number) = run.member(members, item)?;
    Ok(members.entries.borrow_mut().insert(Key::new(&member), number).is_none())
}

fn add(run: &mut Run<'_>, this: &Rc<Object>, a: Args<'_>) -> Eval {
    insert(run, &members(this), &a.get(0))?;
    Ok(own(this))
}

fn add_if_new(run: &mut Run<'_>, this: &Rc<Object>, a: Args<'_>) -> Eval {
    Ok(if insert(run, &members(this), &a.get(0))? { own(this) } else { RubyValue::Nil })
}

fn delete(run: &mut Run<'_>, this: &Rc<Object>, a: Args<'_>) -> Eval {
    let members = members(this);
    let (member, _) = run.member(&members, &a.get(0))?;
    members.entries.borrow_mut().shift_remove(&Key(member));
    Ok(own(this))
}

fn includes(run: &mut Run<'_>, this: &Rc<Object>, a: Args<'_>) -> Eval {
    let members = members(this);
    let (member, _) = run.member(&members, &a.get(0))?;
    yes(members.entries.borrow().contains_key(&Key(member)))
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
            insert(run, &members(this), &item)?;
        }
    }
    Ok(own(this))
}

/// A set of what an operator on arrays gives.
fn combine(run: &mut Run<'_>, this: &Rc<Object>, operator: &str, a: Args<'_>) -> Eval {
    let others = run.items_of(&a.get(0))?;
    run.refuse_own_equality(&others)?;
    let other = RubyValue::array(others);
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
    run.refuse_own_equality(&others)?;
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
        let members = Rc::<Map>::default();
        for item in items {
            insert(self, &members, item)?;
        }
        let class = self.class_named("Set");
        Ok(RubyValue::Object(Rc::new(Object::new(class, Data::Set(members)))))
    }

    /// Returns the member that equals a value, or the value itself, with the value of its entry: what tells it from most
    /// others, which is the number that a method `hash` of the code gives, or the values of a `Struct`.
    fn member(&mut self, members: &Map, item: &RubyValue) -> Eval<(RubyValue, RubyValue)> {
        if !self.has_own_equality(item) {
            return Ok((item.clone(), RubyValue::Bool(true)));
        }
        let is_struct = self.find_method(item, "hash").is_none();
        let mark = self.call(item, if is_struct { "to_a" } else { "hash" }, &[])?;
        let entries = members.entries.borrow();
        let similar = entries.iter().filter(|(_, known)| eql(known, &mark));
        let similar: Vec<RubyValue> = similar.map(|(key, _)| key.0.clone()).collect();
        drop(entries);
        for member in similar {
            let is_equal = match is_struct {
                true => Rc::ptr_eq(&self.class_of(&member), &self.class_of(item)),
                false => self.call(item, "eql?", &[member.clone()])?.truthy(),
            };
            if is_equal {
                return Ok((member, mark));
            }
        }
        Ok((item.clone(), mark))
    }

    /// Returns whether other objects may equal this one.
    fn has_own_equality(&mut self, item: &RubyValue) -> bool {
        let RubyValue::Object(object) = item else { return false };
        object.class.native == Native::Struct || self.find_method(item, "hash").is_some()
    }

    /// Leaves operations on whole sets of such objects to a real Ruby.
    fn refuse_own_equality(&mut self, items: &[RubyValue]) -> Eval<()> {
        match items.iter().any(|item| self.has_own_equality(item)) {
            true => self.unsupported("sets of objects with a hash of their own"),
            false => Ok(()),
        }
    }
}
