//! `Math`

use std::rc::Rc;

use crate::class::Class;
use crate::methods::table::{Builtin, method};
use crate::run::{Args, Eval, Run};
use crate::value::RubyValue;

/// The methods of this file.
pub(crate) static METHODS: &[Builtin<Rc<Class>>] = &[
    method("sqrt", square_root).when(|_, a| a.len() == 1),
    method("cbrt", |run, _, a| of_one(run, a, f64::cbrt)).when(|_, a| a.len() == 1),
    method("log", log).when(|_, a| matches!(a.len(), 1 | 2)),
    method("log2", |run, _, a| of_one(run, a, f64::log2)).when(|_, a| a.len() == 1),
    method("log10", |run, _, a| of_one(run, a, f64::log10)).when(|_, a| a.len() == 1),
    method("exp", |run, _, a| of_one(run, a, f64::exp)).when(|_, a| a.len() == 1),
    method("sin", |run, _, a| of_one(run, a, f64::sin)).when(|_, a| a.len() == 1),
    method("cos", |run, _, a| of_one(run, a, f64::cos)).when(|_, a| a.len() == 1),
    method("floor", |run, _, a| of_one(run, a, f64::floor)).when(|_, a| a.len() == 1),
    method("pow", |run, _, a| of_two(run, a, f64::powf)).when(|_, a| a.len() == 2),
    method("hypot", |run, _, a| of_two(run, a, f64::hypot)).when(|_, a| a.len() == 2),
];

fn number(run: &mut Run<'_>, value: &RubyValue) -> Eval<f64> {
    match run.call(value, "to_f", &[])? {
        RubyValue::Float(number) => Ok(number),
        _ => run.unsupported("a number that is no float"),
    }
}

fn of_one(run: &mut Run<'_>, a: Args<'_>, function: fn(f64) -> f64) -> Eval {
    Ok(RubyValue::Float(function(number(run, &a.get(0))?)))
}

fn of_two(run: &mut Run<'_>, a: Args<'_>, function: fn(f64, f64) -> f64) -> Eval {
    let (x, y) = (number(run, &a.get(0))?, number(run, &a.get(1))?);
    Ok(RubyValue::Float(function(x, y)))
}

fn square_root(run: &mut Run<'_>, _this: &Rc<Class>, a: Args<'_>) -> Eval {
    let x = number(run, &a.get(0))?;
    if x < 0.0 {
        return run.raise("Math::DomainError", "Numerical argument is out of domain - \"sqrt\"");
    }
    Ok(RubyValue::Float(x.sqrt()))
}

fn log(run: &mut Run<'_>, _this: &Rc<Class>, a: Args<'_>) -> Eval {
    match a.len() {
        1 => of_one(run, a, f64::ln),
        _ => of_two(run, a, |x, base| x.ln() / base.ln()),
    }
}
