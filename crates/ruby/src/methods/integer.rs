//! `Integer` of up to 64 bits.

use std::rc::Rc;

use ecow::EcoString;
use kukla_rubytext::BigInt;

use super::number::{self, Half, Operator, Rounding, coerce_error, operand};
use super::table::{Builtin, iterator, method};
use super::tools::{int, list, text, yes};
use super::{big, float};
use crate::run::{Args, Eval, Run};
use crate::value::{Proc, RubyValue};

/// The methods of this file; those of `Comparable` come after them.
pub(super) static METHODS: &[Builtin<i64>] = &[
    method("to_s", to_s),
    method("inspect", to_s),
    method("to_i", itself),
    method("to_int", itself),
    method("ord", itself),
    method("numerator", itself),
    method("hash", itself),
    method("dup", itself),
    method("clone", itself),
    method("+@", itself),
    method("-@", |run, this, _| run.int_of(-i128::from(*this))),
    method("~", |_, this, _| Ok(RubyValue::Int(!*this))),
    method("to_f", to_f),
    iterator("times", times),
    iterator("upto", upto),
    iterator("downto", downto),
    iterator("step", |run, this, block, a| number::step(run, &RubyValue::Int(*this), block, a)),
    method("succ", |run, this, _| run.int_of(i128::from(*this) + 1)),
    method("next", |run, this, _| run.int_of(i128::from(*this) + 1)),
    method("pred", |run, this, _| run.int_of(i128::from(*this) - 1)),
    method("abs", |run, this, _| run.int_of(i128::from(*this).abs())),
    method("magnitude", |run, this, _| run.int_of(i128::from(*this).abs())),
    method("zero?", |_, this, _| yes(*this == 0)),
    method("positive?", |_, this, _| yes(*this > 0)),
    method("negative?", |_, this, _| yes(*this < 0)),
    method("nonzero?", nonzero),
    method("even?", |_, this, _| yes(*this % 2 == 0)),
    method("odd?", |_, this, _| yes(*this % 2 != 0)),
    method("integer?", |_, _, _| yes(true)),
    method("finite?", |_, _, _| yes(true)),
    method("infinite?", |_, _, _| Ok(RubyValue::Nil)),
    method("chr", chr),
    method("floor", |run, this, a| round(run, *this, Rounding::Floor, a)),
    method("ceil", |run, this, a| round(run, *this, Rounding::Ceil, a)),
    method("round", |run, this, a| round(run, *this, Rounding::Round, a)),
    method("truncate", |run, this, a| round(run, *this, Rounding::Truncate, a)),
    method("digits", digits),
    method("bit_length", bit_length),
    method("size", |_, _, _| Ok(RubyValue::Int(8))),
    method("coerce", |_, this, a| list(vec![a.get(0), RubyValue::Int(*this)])),
    method("==", equal),
    method("===", equal),
    method("eql?", is_eql),
    method("equal?", is_eql),
    method("+", |run, this, a| operator(run, *this, Operator::Add, a)),
    method("-", |run, this, a| operator(run, *this, Operator::Subtract, a)),
    method("*", |run, this, a| operator(run, *this, Operator::Multiply, a)),
    method("/", |run, this, a| operator(run, *this, Operator::Divide, a)),
    method("div", |run, this, a| operator(run, *this, Operator::Div, a)),
    method("%", |run, this, a| operator(run, *this, Operator::Modulo, a)),
    method("modulo", |run, this, a| operator(run, *this, Operator::Modulo, a)),
    method("remainder", |run, this, a| operator(run, *this, Operator::Remainder, a)),
    method("divmod", |run, this, a| operator(run, *this, Operator::Divmod, a)),
    method("fdiv", |run, this, a| operator(run, *this, Operator::Fdiv, a)),
    method("**", |run, this, a| operator(run, *this, Operator::Power, a)),
    method("&", |run, this, a| operator(run, *this, Operator::And, a)),
    method("|", |run, this, a| operator(run, *this, Operator::Or, a)),
    method("^", |run, this, a| operator(run, *this, Operator::Xor, a)),
    method("<<", |run, this, a| operator(run, *this, Operator::ShiftLeft, a)),
    method(">>", |run, this, a| operator(run, *this, Operator::ShiftRight, a)),
    method("[]", |run, this, a| operator(run, *this, Operator::Bit, a)),
    method("gcd", |run, this, a| divisors(run, *this, Operator::Gcd, a)),
    method("lcm", |run, this, a| divisors(run, *this, Operator::Lcm, a)),
    method("pow", pow),
];

fn itself(_run: &mut Run<'_>, this: &i64, _a: Args<'_>) -> Eval {
    Ok(RubyValue::Int(*this))
}

fn to_s(run: &mut Run<'_>, this: &i64, a: Args<'_>) -> Eval {
    let radix = if a.is_empty() { 10 } else { run.int_arg(&a.items[0])? };
    match u32::try_from(radix) {
        Ok(10) => text(this.to_string()),
        Ok(radix @ 2..=36) => text(BigInt::from(*this).to_str_radix(radix)),
        _ => run.argument_error(format!("invalid radix {radix}")),
    }
}

#[expect(clippy::cast_precision_loss, reason = "as Ruby does")]
fn to_f(_run: &mut Run<'_>, this: &i64, _a: Args<'_>) -> Eval {
    Ok(RubyValue::Float(*this as f64))
}

fn times(run: &mut Run<'_>, this: &i64, block: &Rc<Proc>, _a: Args<'_>) -> Eval {
    for index in 0..*this {
        run.yield1(block, &RubyValue::Int(index))?;
    }
    Ok(RubyValue::Int(*this))
}

fn upto(run: &mut Run<'_>, this: &i64, block: &Rc<Proc>, a: Args<'_>) -> Eval {
    let to = run.int_arg(&a.get(0))?;
    for number in *this..=to {
        run.yield1(block, &RubyValue::Int(number))?;
    }
    Ok(RubyValue::Int(*this))
}

fn downto(run: &mut Run<'_>, this: &i64, block: &Rc<Proc>, a: Args<'_>) -> Eval {
    let to = run.int_arg(&a.get(0))?;
    for number in (to..=*this).rev() {
        run.yield1(block, &RubyValue::Int(number))?;
    }
    Ok(RubyValue::Int(*this))
}

fn nonzero(_run: &mut Run<'_>, this: &i64, _a: Args<'_>) -> Eval {
    Ok(if *this == 0 { RubyValue::Nil } else { RubyValue::Int(*this) })
}

fn chr(run: &mut Run<'_>, this: &i64, a: Args<'_>) -> Eval {
    match u8::try_from(*this) {
        Ok(byte) if byte < 128 => text(EcoString::from(char::from(byte))),
        Ok(_) if a.is_empty() => run.unsupported("bytes that are no text"),
        _ => match u32::try_from(*this).ok().and_then(char::from_u32) {
            Some(c) if !a.is_empty() => text(EcoString::from(c)),
            _ => run.raise("RangeError", format!("{this} out of char range")),
        },
    }
}

fn digits(run: &mut Run<'_>, this: &i64, a: Args<'_>) -> Eval {
    let base = if a.is_empty() { 10 } else { run.int_arg(&a.items[0])? };
    if *this < 0 {
        return run.raise("Math::DomainError", "out of domain");
    }
    if base < 2 {
        return run.argument_error(format!("invalid radix {base}"));
    }
    let (mut rest, mut digits) = (*this, Vec::new());
    loop {
        digits.push(RubyValue::Int(rest % base));
        rest /= base;
        if rest == 0 {
            return list(digits);
        }
    }
}

fn bit_length(_run: &mut Run<'_>, this: &i64, _a: Args<'_>) -> Eval {
    let bits = if *this < 0 { !*this } else { *this };
    Ok(int(64 - bits.leading_zeros() as usize))
}

fn equal(run: &mut Run<'_>, this: &i64, a: Args<'_>) -> Eval {
    let other = operand(run, a)?;
    yes(run.equal(&RubyValue::Int(*this), other)?)
}

fn is_eql(run: &mut Run<'_>, this: &i64, a: Args<'_>) -> Eval {
    let other = operand(run, a)?;
    yes(other.as_int() == Some(*this))
}

#[expect(clippy::cast_precision_loss, reason = "as Ruby does")]
fn operator(run: &mut Run<'_>, this: i64, operator: Operator, a: Args<'_>) -> Eval {
    match operand(run, a)? {
        RubyValue::Int(other) => calculate(run, this, operator, *other, a),
        RubyValue::Big(other) => big::calculate(run, &this.into(), operator, other, a),
        RubyValue::Float(_) if !operator.is_bitwise() => {
            float::operator(run, this as f64, operator, a)
        }
        other if operator.is_bitwise() => run.no_conversion(other, "Integer"),
        other => coerce_error(run, other, "Integer"),
    }
}

#[expect(clippy::cast_precision_loss, reason = "as Ruby does")]
fn calculate(run: &mut Run<'_>, this: i64, operator: Operator, other: i64, a: Args<'_>) -> Eval {
    let (x, y) = (i128::from(this), i128::from(other));
    if y == 0 && operator.is_division() {
        return run.raise("ZeroDivisionError", "divided by 0");
    }
    let value = match operator {
        Operator::Add => x + y,
        Operator::Subtract => x - y,
        Operator::Multiply => x * y,
        Operator::Divide | Operator::Div => (x - floor_mod(x, y)) / y,
        Operator::Modulo => floor_mod(x, y),
        Operator::Remainder => x % y,
        Operator::Divmod => {
            let quotient = run.int_of((x - floor_mod(x, y)) / y)?;
            return list(vec![quotient, run.int_of(floor_mod(x, y))?]);
        }
        Operator::Fdiv => return Ok(RubyValue::Float(this as f64 / other as f64)),
        Operator::And => x & y,
        Operator::Or => x | y,
        Operator::Xor => x ^ y,
        Operator::ShiftLeft => return shift(run, this, operator, other, y, a),
        Operator::ShiftRight => return shift(run, this, operator, other, -y, a),
        Operator::Bit => i128::from((0..64).contains(&y) && (x >> y) & 1 == 1),
        _ => match u32::try_from(y).ok().and_then(|y| x.checked_pow(y)) {
            Some(power) => power,
            None => return big::calculate(run, &x.into(), Operator::Power, &y.into(), a),
        },
    };
    run.int_of(value)
}

/// Shifts to the left, or to the right if the number of bits is negative.
fn shift(
    run: &mut Run<'_>,
    this: i64,
    operator: Operator,
    other: i64,
    left: i128,
    a: Args<'_>,
) -> Eval {
    let x = i128::from(this);
    let value = match left {
        0..=62 => x << left,
        63.. if x == 0 => 0,
        63.. => return big::calculate(run, &this.into(), operator, &other.into(), a),
        -126..0 => x >> -left,
        _ if x < 0 => -1,
        _ => 0,
    };
    run.int_of(value)
}

/// `gcd` and `lcm`
fn divisors(run: &mut Run<'_>, this: i64, operator: Operator, a: Args<'_>) -> Eval {
    if let Some(RubyValue::Big(other)) = a.items.first() {
        return big::calculate(run, &this.into(), operator, other, a);
    }
    let other = run.int_arg(&a.get(0))?;
    let gcd = gcd(i128::from(this).abs(), i128::from(other).abs());
    run.int_of(match operator {
        Operator::Lcm if gcd == 0 => 0,
        Operator::Lcm => (i128::from(this) * i128::from(other)).abs() / gcd,
        _ => gcd,
    })
}

fn pow(run: &mut Run<'_>, this: &i64, a: Args<'_>) -> Eval {
    match (a.items.first(), a.len()) {
        (Some(RubyValue::Int(power)), 2) => {
            big::calculate(run, &(*this).into(), Operator::Pow, &(*power).into(), a)
        }
        (Some(RubyValue::Big(power)), 2) => {
            big::calculate(run, &(*this).into(), Operator::Pow, power, a)
        }
        _ => operator(run, *this, Operator::Power, a),
    }
}

/// Rounds to tens, hundreds and so on.
fn round(run: &mut Run<'_>, this: i64, rounding: Rounding, a: Args<'_>) -> Eval {
    let digits = match a.items.first() {
        Some(RubyValue::Int(digits)) if *digits < 0 => digits.unsigned_abs(),
        _ => return Ok(RubyValue::Int(this)),
    };
    let Some(unit) = u32::try_from(digits).ok().and_then(|digits| 10_i128.checked_pow(digits))
    else {
        return Ok(RubyValue::Int(0));
    };
    let x = i128::from(this);
    let down = x - floor_mod(x, unit);
    run.int_of(match rounding {
        Rounding::Floor => down,
        Rounding::Ceil if down == x => x,
        Rounding::Ceil => down + unit,
        Rounding::Truncate => x / unit * unit,
        Rounding::Round => nearest(x, unit, Half::of(a)),
    })
}

/// Returns the multiple of a unit that is nearest to a number.
fn nearest(x: i128, unit: i128, half: Half) -> i128 {
    let magnitude = x.abs();
    let rest = magnitude % unit;
    let low = magnitude - rest;
    let is_up = match half {
        Half::Even => rest * 2 > unit || (rest * 2 == unit && (low / unit) % 2 == 1),
        Half::Down => rest * 2 > unit,
        Half::Up => rest * 2 >= unit,
    };
    let rounded = if is_up { low + unit } else { low };
    if x < 0 { -rounded } else { rounded }
}

/// Returns the remainder with the sign of the divisor.
fn floor_mod(x: i128, y: i128) -> i128 {
    let rest = x % y;
    if rest != 0 && (rest < 0) != (y < 0) { rest + y } else { rest }
}

fn gcd(mut a: i128, mut b: i128) -> i128 {
    while b != 0 {
        (a, b) = (b, a % b);
    }
    a
}
