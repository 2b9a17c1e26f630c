//! `break`, `next`, `return` and calls of blocks.

use kukla_compiler::{Call, Eval, Function, Signature};
use kukla_pcore::Value;

/// The functions of this file.
pub(crate) const FUNCTIONS: &[Function] = &[
    Function::typed("break", &[Signature::new("", |call| Err(call.break_()))]),
    Function::typed("next", &[Signature::new("Any value?", next)]),
    Function::typed("return", &[Signature::new("Any value?", return_)]),
    Function::typed("with", &[Signature::new("Any *arg, Callable &block", with)]),
];

fn next(call: &mut Call<'_>) -> Eval<Value> {
    Err(call.next(call.value(0).clone()))
}

fn return_(call: &mut Call<'_>) -> Eval<Value> {
    Err(call.return_(call.value(0).clone()))
}

fn with(call: &mut Call<'_>) -> Eval<Value> {
    call.call_block(call.arguments())
}
