//! `nil`, `true`, `false` and symbols.

use std::rc::Rc;

use kukla_rubytext::{case, inspect};

use super::chars;
use super::table::{Builtin, method};
use super::tools::{int, list, text, yes};
use crate::read::tree::Name;
use crate::run::{Args, Eval, Run};
use crate::value::{Entries, Proc, ProcBody, RubyValue};

/// The methods of `nil`.
pub(super) static NIL: &[Builtin<()>] = &[
    method("to_s", |_, (), _| Ok(RubyValue::frozen_str(""))),
    method("to_a", |_, (), _| list(Vec::new())),
    method("to_h", |_, (), _| Ok(RubyValue::hash(Entries::default()))),
    method("to_i", |_, (), _| Ok(RubyValue::Int(0))),
    method("to_f", |_, (), _| Ok(RubyValue::Float(0.0))),
    method("inspect", |_, (), _| text("nil")),
    method("nil?", |_, (), _| yes(true)),
    method("&", |_, (), _| yes(false)),
    method("|", |_, (), a| yes(a.get(0).truthy())),
    method("=~", |_, (), _| Ok(RubyValue::Nil)),
];

/// The methods of `true` and `false`.
pub(super) static BOOL: &[Builtin<bool>] = &[
    method("to_s", |_, this, _| Ok(RubyValue::frozen_str(if *this { "true" } else { "false" }))),
    method("inspect", |_, this, _| Ok(RubyValue::frozen_str(if *this { "true" } else { "false" }))),
    method("&", |_, this, a| yes(*this && a.get(0).truthy())),
    method("|", |_, this, a| yes(*this || a.get(0).truthy())),
    method("^", |_, this, a| yes(*this != a.get(0).truthy())),
];

/// The methods of symbols; those of `Comparable` come after them.
pub(super) static SYMBOL: &[Builtin<Name>] = &[
    method("to_s", |_, this, _| text(this.clone())),
    method("id2name", |_, this, _| text(this.clone())),
    method("name", |_, this, _| Ok(RubyValue::frozen_str(this.clone()))),
    method("to_sym", |_, this, _| Ok(RubyValue::Sym(this.clone()))),
    method("to_proc", to_proc),
    method("inspect", |_, this, _| text(inspect::inspect_symbol(this))),
    method("length", |_, this, _| Ok(int(chars::len(this)))),
    method("size", |_, this, _| Ok(int(chars::len(this)))),
    method("empty?", |_, this, _| yes(this.is_empty())),
    method("upcase", |_, this, _| Ok(RubyValue::Sym(case::upcase(this).into()))),
    method("downcase", |_, this, _| Ok(RubyValue::Sym(case::downcase(this).into()))),
    method("capitalize", |_, this, _| Ok(RubyValue::Sym(case::capitalize(this).into()))),
    method("swapcase", |_, this, _| Ok(RubyValue::Sym(case::swapcase(this).into()))),
    method("succ", |_, this, _| Ok(RubyValue::Sym(chars::succ(this).into()))),
    method("next", |_, this, _| Ok(RubyValue::Sym(chars::succ(this).into()))),
    method("start_with?", |run, this, a| as_string(run, this, "start_with?", a)),
    method("end_with?", |run, this, a| as_string(run, this, "end_with?", a)),
    method("=~", |run, this, a| as_string(run, this, "=~", a)),
    method("match", |run, this, a| as_string(run, this, "match", a)),
    method("match?", |run, this, a| as_string(run, this, "match?", a)),
    method("[]", |run, this, a| as_string(run, this, "[]", a)),
    method("==", equal),
    method("===", equal),
    method("eql?", equal),
    method("equal?", equal),
];

fn to_proc(_run: &mut Run<'_>, this: &Name, _a: Args<'_>) -> Eval {
    let body = ProcBody::Symbol(this.clone());
    Ok(RubyValue::Proc(Rc::new(Proc { body, is_lambda: true })))
}

/// Calls the method of a string.
fn as_string(run: &mut Run<'_>, this: &Name, name: &str, a: Args<'_>) -> Eval {
    run.call_with(&RubyValue::str(this.clone()), name, a)
}

fn equal(_run: &mut Run<'_>, this: &Name, a: Args<'_>) -> Eval {
    yes(matches!(a.get(0), RubyValue::Sym(other) if other == *this))
}
