//! `Proc` and `Method`

use std::rc::Rc;

use super::table::{Builtin, method, refused};
use super::tools::yes;
use crate::run::{Args, Eval, Run};
use crate::value::{Proc, ProcBody, RubyValue};

/// The methods of this file.
pub(super) static METHODS: &[Builtin<Rc<Proc>>] = &[
    method("call", |run, this, a| run.call_block(this, a)),
    method("()", |run, this, a| run.call_block(this, a)),
    method("yield", |run, this, a| run.call_block(this, a)),
    method("===", |run, this, a| run.call_block(this, a)),
    method("[]", |run, this, a| run.call_block(this, a)),
    method("to_proc", |_, this, _| Ok(RubyValue::Proc(Rc::clone(this)))),
    method("lambda?", |_, this, _| yes(this.is_lambda)),
    method("arity", arity),
    method(">>", |run, this, a| compose(run, a, |other| (Rc::clone(this), other))),
    method("<<", |run, this, a| compose(run, a, |other| (other, Rc::clone(this)))),
    refused("parameters", "method Proc#parameters"),
    refused("curry", "method Proc#curry"),
    refused("source_location", "method Proc#source_location"),
    refused("binding", "method Proc#binding"),
    refused("unbind", "method Method#unbind"),
    refused("owner", "method Method#owner"),
    refused("receiver", "method Method#receiver"),
];

fn arity(_run: &mut Run<'_>, this: &Rc<Proc>, _a: Args<'_>) -> Eval {
    Ok(RubyValue::Int(match &this.body {
        ProcBody::Block { block, .. } => block.params.arity(this.is_lambda),
        ProcBody::Symbol(_) => -2,
        _ => -1,
    }))
}

/// A block that calls two, one after the other; `order` says which comes first.
fn compose(
    run: &mut Run<'_>,
    a: Args<'_>,
    order: impl FnOnce(Rc<Proc>) -> (Rc<Proc>, Rc<Proc>),
) -> Eval {
    let RubyValue::Proc(other) = a.get(0) else {
        return run.type_error("callable object is expected");
    };
    let (first, second) = order(other);
    Ok(RubyValue::Proc(run.native(move |run, a| {
        let value = run.call_block(&first, a)?;
        run.yield1(&second, &value)
    })))
}
