//! Functions that log.

use kukla_compiler::log::Level;
use kukla_compiler::{Call, Eval, Function, Signature, issues};
use kukla_pcore::{Value, ruby};

/// The functions of this file.
pub(crate) const FUNCTIONS: &[Function] = &[
    Function::typed("debug", &[Signature::new("Any *values", |call| say(call, Level::Debug))]),
    Function::typed("info", &[Signature::new("Any *values", |call| say(call, Level::Info))]),
    Function::typed("notice", &[Signature::new("Any *values", |call| say(call, Level::Notice))]),
    Function::typed("warning", &[Signature::new("Any *values", |call| say(call, Level::Warning))]),
    Function::typed("err", &[Signature::new("Any *values", |call| say(call, Level::Err))]),
    Function::typed("alert", &[Signature::new("Any *values", |call| say(call, Level::Alert))]),
    Function::typed("emerg", &[Signature::new("Any *values", |call| say(call, Level::Emerg))]),
    Function::typed("crit", &[Signature::new("Any *values", |call| say(call, Level::Crit))]),
    Function::statement("fail", -1, fail),
];

fn say(call: &mut Call<'_>, level: Level) -> Eval<Value> {
    let texts: Vec<String> = call.arguments().iter().map(|value| call.text(value)).collect();
    call.say_in_scope(level, texts.join(" "));
    Ok(Value::Undef)
}

fn fail(call: &mut Call<'_>) -> Eval<Value> {
    let texts: Vec<String> = call.arguments().iter().map(ruby::resource_to_s).collect();
    kukla_compiler::fault(issues::fail_function(texts.join(" ")))
}
