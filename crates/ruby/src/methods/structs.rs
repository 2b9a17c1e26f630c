//! `Struct`

use std::rc::Rc;

use ecow::EcoString;

use super::table::{Builtin, method, with_block};
use super::tools::{list, text, yes};
use crate::class::{Class, Method, Native, Object};
use crate::run::{Args, Eval, Run};
use crate::value::{Entries, Key, Proc, RubyValue};

/// The methods of this file.
pub(super) static METHODS: &[Builtin<Rc<Object>>] = &[
    method("to_a", |_, this, _| list(values(this))),
    method("values", |_, this, _| list(values(this))),
    method("deconstruct", |_, this, _| list(values(this))),
    method("members", |_, this, _| Ok(members(this))),
    method("to_h", to_h),
    method("[]", index),
    method("[]=", store),
    with_block("each", each),
    method("==", |run, this, a| yes(is_equal(run, this, &a.get(0))?)),
    method("to_s", inspect),
    method("inspect", inspect),
];

/// The methods of the class itself.
pub(super) static CLASS: &[Builtin<Rc<Class>>] = &[method("new", new)];

/// The variable of the class that holds the names of its members.
const MEMBERS: &str = "__members__";

/// The variable of a class whose instances are made with keywords.
const BY_KEYWORD: &str = "__keyword_init__";

fn members(this: &Object) -> RubyValue {
    let classes = this.class.ancestors();
    let members = classes.iter().find_map(|class| class.ivars.borrow().get(MEMBERS).cloned());
    members.unwrap_or_default()
}

fn names(this: &Object) -> Vec<EcoString> {
    match members(this) {
        RubyValue::Array(names) => {
            names.items.borrow().iter().filter_map(RubyValue::as_name).collect()
        }
        _ => Vec::new(),
    }
}

fn value(this: &Object, name: &str) -> RubyValue {
    this.ivar(&format!("@{name}"))
}

fn values(this: &Object) -> Vec<RubyValue> {
    names(this).iter().map(|name| value(this, name)).collect()
}

fn to_h(_run: &mut Run<'_>, this: &Rc<Object>, _a: Args<'_>) -> Eval {
    let names = names(this).into_iter();
    let entry = |name: EcoString| {
        let value = value(this, &name);
        (Key(RubyValue::Sym(name)), value)
    };
    Ok(RubyValue::hash(names.map(entry).collect::<Entries>()))
}

fn index(run: &mut Run<'_>, this: &Rc<Object>, a: Args<'_>) -> Eval {
    match a.get(0) {
        index @ RubyValue::Int(_) => run.call(&RubyValue::array(values(this)), "[]", &[index]),
        key => Ok(value(this, &run.name_arg(&key)?)),
    }
}

fn store(run: &mut Run<'_>, this: &Rc<Object>, a: Args<'_>) -> Eval {
    let key = match a.get(0) {
        RubyValue::Int(index) => {
            let names = names(this);
            names.get(usize::try_from(index).unwrap_or(usize::MAX)).cloned().unwrap_or_default()
        }
        key => run.name_arg(&key)?,
    };
    this.set_ivar(&format!("@{key}"), a.get(1));
    Ok(a.get(1))
}

fn each(run: &mut Run<'_>, this: &Rc<Object>, block: &Rc<Proc>, _a: Args<'_>) -> Eval {
    for value in &values(this) {
        run.yield1(block, value)?;
    }
    Ok(RubyValue::Object(Rc::clone(this)))
}

/// Returns whether both are of one class and have the same values.
pub(super) fn is_equal(run: &mut Run<'_>, this: &Rc<Object>, other: &RubyValue) -> Eval<bool> {
    match other {
        RubyValue::Object(other) if Rc::ptr_eq(&other.class, &this.class) => {
            let others = names(this).iter().map(|name| value(other, name)).collect();
            run.equal(&RubyValue::array(values(this)), &RubyValue::array(others))
        }
        _ => Ok(false),
    }
}

fn inspect(run: &mut Run<'_>, this: &Rc<Object>, _a: Args<'_>) -> Eval {
    let mut parts = Vec::new();
    for name in names(this) {
        parts.push(format!("{name}={}", run.inspect(&value(this, &name))?));
    }
    let name = this.class.name.borrow();
    let blank = if name.is_empty() { "" } else { " " };
    text(format!("#<struct {name}{blank}{}>", parts.join(", ")))
}

/// `Struct.new(:a, :b, keyword_init: true) { … }`, which makes a class.
fn new(run: &mut Run<'_>, struct_class: &Rc<Class>, a: Args<'_>) -> Eval {
    let names: Vec<EcoString> = a.items.iter().filter_map(symbol).collect();
    let class = Class::new("", Some(Rc::clone(struct_class)));
    let class = Rc::new(Class { native: Native::Struct, ..class });
    for name in &names {
        let ivar = ecow::eco_format!("@{name}");
        let mut methods = class.methods.borrow_mut();
        methods.insert(name.clone(), Method::Reader(ivar.clone()));
        methods.insert(ecow::eco_format!("{name}="), Method::Writer(ivar));
    }
    let members = RubyValue::array(names.into_iter().map(RubyValue::Sym).collect());
    class.ivars.borrow_mut().insert(MEMBERS.into(), members);
    if a.option("keyword_init").is_some_and(|value| value.truthy()) {
        class.ivars.borrow_mut().insert(BY_KEYWORD.into(), RubyValue::Bool(true));
    }
    run.call_class_body(&class, a)
}

fn symbol(value: &RubyValue) -> Option<EcoString> {
    match value {
        RubyValue::Sym(name) => Some(name.clone()),
        _ => None,
    }
}

impl Run<'_> {
    /// Sets the members of a new instance.
    pub(super) fn fill_struct(&mut self, object: &Rc<Object>, a: Args<'_>) -> Eval<()> {
        let members = object.class.ivars.borrow().get(MEMBERS).cloned();
        let Some(RubyValue::Array(members)) = members else { return Ok(()) };
        let members = members.items.borrow().clone();
        if a.len() > members.len() {
            return self.argument_error("struct size differs");
        }
        let by_keyword = object.class.ivars.borrow().contains_key(BY_KEYWORD);
        for (index, member) in members.iter().enumerate() {
            let name = member.as_name().unwrap_or_default();
            let value = if by_keyword { a.option(&name).unwrap_or_default() } else { a.get(index) };
            object.set_ivar(&ecow::eco_format!("@{name}"), value);
        }
        Ok(())
    }
}
