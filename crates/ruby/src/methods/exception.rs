//! `Exception`

use std::rc::Rc;

use super::table::{Builtin, method, refused};
use super::tools::{list, text, yes};
use crate::class::{Data, Object};
use crate::run::{Args, Eval, Run};
use crate::value::RubyValue;

/// The methods of this file.
pub(super) static METHODS: &[Builtin<Rc<Object>>] = &[
    method("message", message),
    method("to_s", to_s),
    method("detailed_message", to_s),
    method("original_message", to_s),
    refused("full_message", "method Exception#full_message"),
    refused("set_backtrace", "method Exception#set_backtrace"),
    refused("backtrace_locations", "method Exception#backtrace_locations"),
    method("inspect", inspect),
    method("backtrace", backtrace),
    method("cause", |_, this, _| Ok(this.ivar("@cause"))),
    method("exception", exception),
    method("name", |_, this, _| Ok(this.ivar("@name"))),
    method("key", |_, this, _| Ok(this.ivar("@key"))),
    method("receiver", |_, this, _| Ok(this.ivar("@receiver"))),
    method("result", |_, this, _| Ok(this.ivar("@result"))),
    method("==", equal),
];

fn message(run: &mut Run<'_>, this: &Rc<Object>, a: Args<'_>) -> Eval {
    match this.class.find_method("to_s") {
        Some(_) => run.call(&RubyValue::Object(Rc::clone(this)), "to_s", &[]),
        None => to_s(run, this, a),
    }
}

fn to_s(run: &mut Run<'_>, this: &Rc<Object>, _a: Args<'_>) -> Eval {
    match this.ivar("@message") {
        RubyValue::Nil => text(this.class.name.borrow().clone()),
        message => text(run.to_s(&message)?),
    }
}

fn inspect(run: &mut Run<'_>, this: &Rc<Object>, _a: Args<'_>) -> Eval {
    let message = run.message_of(this)?;
    let class = this.class.name.borrow().clone();
    if message.is_empty() { text(class) } else { text(format!("#<{class}: {message}>")) }
}

fn backtrace(_run: &mut Run<'_>, this: &Rc<Object>, _a: Args<'_>) -> Eval {
    match &*this.data.borrow() {
        Data::Raised { file, line } if *line > 0 => {
            list(vec![RubyValue::str(format!("{file}:{line}:in `<main>'"))])
        }
        _ => Ok(RubyValue::Nil),
    }
}

fn exception(_run: &mut Run<'_>, this: &Rc<Object>, a: Args<'_>) -> Eval {
    if let Some(message) = a.items.first() {
        this.set_ivar("@message", message.clone());
    }
    Ok(RubyValue::Object(Rc::clone(this)))
}

fn equal(_run: &mut Run<'_>, this: &Rc<Object>, a: Args<'_>) -> Eval {
    yes(matches!(a.get(0), RubyValue::Object(other) if Rc::ptr_eq(&other, this)))
}
