//! `Float`

use std::rc::Rc;

use kukla_rubytext::{BigInt, RubyError, RubyInteger as _, float};

use super::number::{self, Half, Operator, Rounding, coerce_error};
use super::table::{Builtin, method, with_block};
use super::tools::{list, text, yes};
use crate::run::{Args, Eval, Run};
use crate::value::{Proc, RubyValue};

/// The methods of this file; those of `Comparable` come after them.
pub(super) static METHODS: &[Builtin<f64>] = &[
    method("to_s", |_, this, _| text(float::to_s(*this))),
    method("inspect", |_, this, _| text(float::to_s(*this))),
    method("to_f", itself),
    method("dup", itself),
    method("clone", itself),
    method("+@", itself),
    method("-@", |_, this, _| Ok(RubyValue::Float(-this))),
    method("to_i", |run, this, _| to_int(run, *this, float::truncate)),
    method("to_int", |run, this, _| to_int(run, *this, float::truncate)),
    method("floor", |run, this, a| round(run, *this, Rounding::Floor, a)),
    method("ceil", |run, this, a| round(run, *this, Rounding::Ceil, a)),
    method("round", |run, this, a| round(run, *this, Rounding::Round, a)),
    method("truncate", |run, this, a| round(run, *this, Rounding::Truncate, a)),
    method("abs", |_, this, _| Ok(RubyValue::Float(this.abs()))),
    method("magnitude", |_, this, _| Ok(RubyValue::Float(this.abs()))),
    method("zero?", |_, this, _| yes(*this == 0.0)),
    method("positive?", |_, this, _| yes(*this > 0.0)),
    method("negative?", |_, this, _| yes(*this < 0.0)),
    method("nonzero?", nonzero),
    method("nan?", |_, this, _| yes(this.is_nan())),
    method("finite?", |_, this, _| yes(this.is_finite())),
    method("infinite?", infinite),
    method("integer?", |_, _, _| yes(false)),
    method("==", |run, this, a| yes(run.equal(&RubyValue::Float(*this), &a.get(0))?)),
    method("===", |run, this, a| yes(run.equal(&RubyValue::Float(*this), &a.get(0))?)),
    method("eql?", is_eql),
    method("equal?", is_eql),
    with_block("step", step),
    method("+", |run, this, a| operator(run, *this, Operator::Add, a)),
    method("-", |run, this, a| operator(run, *this, Operator::Subtract, a)),
    method("*", |run, this, a| operator(run, *this, Operator::Multiply, a)),
    method("/", |run, this, a| operator(run, *this, Operator::Divide, a)),
    method("fdiv", |run, this, a| operator(run, *this, Operator::Divide, a)),
    method("quo", |run, this, a| operator(run, *this, Operator::Divide, a)),
    method("%", |run, this, a| operator(run, *this, Operator::Modulo, a)),
    method("modulo", |run, this, a| operator(run, *this, Operator::Modulo, a)),
    method("**", |run, this, a| operator(run, *this, Operator::Power, a)),
    method("pow", |run, this, a| operator(run, *this, Operator::Power, a)),
    method("div", |run, this, a| operator(run, *this, Operator::Div, a)),
    method("divmod", |run, this, a| operator(run, *this, Operator::Divmod, a)),
];

fn itself(_run: &mut Run<'_>, this: &f64, _a: Args<'_>) -> Eval {
    Ok(RubyValue::Float(*this))
}

fn nonzero(_run: &mut Run<'_>, this: &f64, _a: Args<'_>) -> Eval {
    Ok(if *this == 0.0 { RubyValue::Nil } else { RubyValue::Float(*this) })
}

fn infinite(_run: &mut Run<'_>, this: &f64, _a: Args<'_>) -> Eval {
    Ok(match *this {
        f64::INFINITY => RubyValue::Int(1),
        f64::NEG_INFINITY => RubyValue::Int(-1),
        _ => RubyValue::Nil,
    })
}

fn is_eql(_run: &mut Run<'_>, this: &f64, a: Args<'_>) -> Eval {
    yes(matches!(a.get(0), RubyValue::Float(other) if other == *this))
}

fn step(run: &mut Run<'_>, this: &f64, block: &Rc<Proc>, a: Args<'_>) -> Eval {
    number::step(run, &RubyValue::Float(*this), block, a)
}

fn to_int(run: &mut Run<'_>, number: f64, how: fn(f64) -> Result<BigInt, RubyError>) -> Eval {
    let number = run.from_text(how(number))?;
    run.big(&number)
}

/// Calculates with floats; integers come here when the other number is a float.
#[expect(clippy::cast_precision_loss, reason = "as Ruby does")]
pub(super) fn operator(run: &mut Run<'_>, x: f64, operator: Operator, a: Args<'_>) -> Eval {
    run.arity(a, 1, 1)?;
    let y = match &a.items[0] {
        RubyValue::Int(number) => *number as f64,
        RubyValue::Big(number) => number.to_f64(),
        RubyValue::Float(number) => *number,
        other => return coerce_error(run, other, "Float"),
    };
    Ok(RubyValue::Float(match operator {
        Operator::Add => x + y,
        Operator::Subtract => x - y,
        Operator::Multiply => x * y,
        Operator::Divide | Operator::Fdiv => x / y,
        Operator::Modulo => float_mod(x, y),
        Operator::Div => return quotient(run, x, y),
        Operator::Divmod => {
            return list(vec![quotient(run, x, y)?, RubyValue::Float(float_mod(x, y))]);
        }
        Operator::Remainder => return run.unsupported("method Integer#remainder"),
        Operator::Coerce => return run.unsupported("method Integer#coerce"),
        _ if x < 0.0 && y.fract() != 0.0 => return run.unsupported("complex numbers"),
        _ => x.powf(y),
    }))
}

fn quotient(run: &mut Run<'_>, x: f64, y: f64) -> Eval {
    if y == 0.0 {
        return run.raise("ZeroDivisionError", "divided by 0");
    }
    to_int(run, (x / y).floor(), float::floor)
}

/// Rounds to a number of digits.
fn round(run: &mut Run<'_>, x: f64, rounding: Rounding, a: Args<'_>) -> Eval {
    let digits = match a.items.first() {
        None | Some(RubyValue::Hash(_)) => 0,
        Some(digits) => run.int_arg(digits)?,
    };
    let half = Half::of(a);
    match digits {
        1.. if !x.is_finite() || digits >= 17 => Ok(RubyValue::Float(x)),
        1.. => {
            let digits = i32::try_from(digits).unwrap_or(17);
            Ok(RubyValue::Float(round_digits(x, digits, rounding, half)))
        }
        0 => to_int(run, x, whole(x, rounding, half)),
        _ => {
            let cut = match rounding {
                Rounding::Floor => float::floor,
                Rounding::Ceil => float::ceil,
                Rounding::Round | Rounding::Truncate => float::truncate,
            };
            let whole = to_int(run, x, cut)?;
            run.call_with(&whole, rounding.name(), a)
        }
    }
}

/// The function that rounds a number to an integer.
fn whole(x: f64, rounding: Rounding, half: Half) -> fn(f64) -> Result<BigInt, RubyError> {
    let is_middle = (x - x.trunc()).abs() == 0.5;
    match rounding {
        Rounding::Floor => float::floor,
        Rounding::Ceil => float::ceil,
        Rounding::Truncate => float::truncate,
        Rounding::Round if half == Half::Even && is_middle => {
            |x| float::truncate(x.round_ties_even())
        }
        Rounding::Round if half == Half::Down && is_middle => float::truncate,
        Rounding::Round => float::round,
    }
}

fn float_mod(x: f64, y: f64) -> f64 {
    if y.is_infinite() && x.is_finite() {
        return if x == 0.0 || (x < 0.0) == (y < 0.0) { x } else { y };
    }
    let rest = x % y;
    if rest != 0.0 && (rest < 0.0) != (y < 0.0) { rest + y } else { rest }
}

/// Ruby scales, rounds, and corrects by looking back at the number.
fn round_digits(x: f64, digits: i32, rounding: Rounding, half: Half) -> f64 {
    let scale = 10_f64.powi(digits);
    let scaled = x * scale;
    if !scaled.is_finite() {
        return x;
    }
    match rounding {
        Rounding::Floor => {
            let mut down = scaled.floor();
            if (down + 1.0) / scale <= x {
                down += 1.0;
            }
            down / scale
        }
        Rounding::Ceil => {
            let mut up = scaled.ceil();
            if (up - 1.0) / scale >= x {
                up -= 1.0;
            }
            up / scale
        }
        Rounding::Truncate => {
            if x < 0.0 {
                round_digits(x, digits, Rounding::Ceil, half)
            } else {
                round_digits(x, digits, Rounding::Floor, half)
            }
        }
        Rounding::Round => {
            let rounded = match half {
                Half::Even => scaled.round_ties_even(),
                Half::Down => {
                    if (scaled - scaled.trunc()).abs() == 0.5 {
                        scaled.trunc()
                    } else {
                        scaled.round()
                    }
                }
                Half::Up => round_half_up(x, scale),
            };
            rounded / scale
        }
    }
}

fn round_half_up(x: f64, scale: f64) -> f64 {
    let scaled = x * scale;
    let mut rounded = scaled.round();
    if scale == 1.0 {
        return rounded;
    }
    if x > 0.0 {
        if (rounded - 0.5) / scale > x {
            rounded -= 1.0;
        } else if (rounded + 0.5) / scale <= x {
            rounded += 1.0;
        }
    } else if x < 0.0 {
        if (rounded + 0.5) / scale < x {
            rounded += 1.0;
        } else if (rounded - 0.5) / scale >= x {
            rounded -= 1.0;
        }
    }
    rounded
}
