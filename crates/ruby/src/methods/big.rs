//! `Integer`, where it does not fit in 64 bits.

use std::cmp::Ordering;
use std::rc::Rc;

use kukla_rubytext::{BigInt, RubyInteger as _, float};

use super::number::{Half, Operator, Rounding, coerce_error, operand};
use super::table::{Builtin, iterator, method};
use super::tools::{int, list, text, yes};
use crate::run::{Args, Eval, Run};
use crate::value::{Proc, RubyValue};

/// Size of the largest integers; larger ones are left to a real Ruby, since computing with them would take too long.
const MAX_BITS: usize = 1 << 16;

/// Size beyond which Ruby itself gives infinity.
const RUBYS_MAX_BITS: usize = 32 << 20;

/// The methods of this file; those of `Comparable` come after them.
pub(super) static METHODS: &[Builtin<Rc<BigInt>>] = &[
    method("to_s", to_s),
    method("inspect", to_s),
    method("to_i", itself),
    method("to_int", itself),
    method("+@", itself),
    method("ord", itself),
    method("numerator", itself),
    method("nonzero?", itself),
    method("dup", itself),
    method("clone", itself),
    method("to_f", |_, this, _| Ok(RubyValue::Float(this.to_f64()))),
    method("-@", |run, this, _| run.big(&-&**this)),
    method("~", |run, this, _| run.big(&-&(&**this + &BigInt::from(1_i64)))),
    method("succ", |run, this, _| run.big(&(&**this + &BigInt::from(1_i64)))),
    method("next", |run, this, _| run.big(&(&**this + &BigInt::from(1_i64)))),
    method("pred", |run, this, _| run.big(&(&**this - &BigInt::from(1_i64)))),
    method("abs", |run, this, _| run.big(&this.abs())),
    method("magnitude", |run, this, _| run.big(&this.abs())),
    method("zero?", |_, _, _| yes(false)),
    method("positive?", |_, this, _| yes(!this.is_negative())),
    method("negative?", |_, this, _| yes(this.is_negative())),
    method("even?", |_, this, _| yes(this.is_even())),
    method("odd?", |_, this, _| yes(!this.is_even())),
    method("integer?", |_, _, _| yes(true)),
    method("finite?", |_, _, _| yes(true)),
    method("infinite?", |_, _, _| Ok(RubyValue::Nil)),
    method("bit_length", |_, this, _| Ok(int(this.bit_length()))),
    method("size", |_, this, _| Ok(int(this.abs().bit_length().div_ceil(8)))),
    method("floor", |run, this, a| round(run, this, Rounding::Floor, a)),
    method("ceil", |run, this, a| round(run, this, Rounding::Ceil, a)),
    method("round", |run, this, a| round(run, this, Rounding::Round, a)),
    method("truncate", |run, this, a| round(run, this, Rounding::Truncate, a)),
    iterator("upto", |run, this, block, a| count(run, this, block, a, Ordering::Less)),
    iterator("downto", |run, this, block, a| count(run, this, block, a, Ordering::Greater)),
    iterator("times", |run, _, _, _| run.unsupported("method Integer#times")),
    iterator("step", |run, _, _, _| run.unsupported("method Integer#step")),
    method("digits", digits),
    method("hash", hash),
    method("chr", chr),
    method("==", equal),
    method("===", equal),
    method("eql?", is_eql),
    method("equal?", is_eql),
    method("+", |run, this, a| operator(run, this, Operator::Add, a)),
    method("-", |run, this, a| operator(run, this, Operator::Subtract, a)),
    method("*", |run, this, a| operator(run, this, Operator::Multiply, a)),
    method("/", |run, this, a| operator(run, this, Operator::Divide, a)),
    method("div", |run, this, a| operator(run, this, Operator::Div, a)),
    method("%", |run, this, a| operator(run, this, Operator::Modulo, a)),
    method("modulo", |run, this, a| operator(run, this, Operator::Modulo, a)),
    method("remainder", |run, this, a| operator(run, this, Operator::Remainder, a)),
    method("divmod", |run, this, a| operator(run, this, Operator::Divmod, a)),
    method("fdiv", |run, this, a| operator(run, this, Operator::Fdiv, a)),
    method("**", |run, this, a| operator(run, this, Operator::Power, a)),
    method("pow", |run, this, a| operator(run, this, Operator::Pow, a)),
    method("&", |run, this, a| operator(run, this, Operator::And, a)),
    method("|", |run, this, a| operator(run, this, Operator::Or, a)),
    method("^", |run, this, a| operator(run, this, Operator::Xor, a)),
    method("<<", |run, this, a| operator(run, this, Operator::ShiftLeft, a)),
    method(">>", |run, this, a| operator(run, this, Operator::ShiftRight, a)),
    method("[]", |run, this, a| operator(run, this, Operator::Bit, a)),
    method("gcd", |run, this, a| operator(run, this, Operator::Gcd, a)),
    method("lcm", |run, this, a| operator(run, this, Operator::Lcm, a)),
    method("coerce", |run, this, a| operator(run, this, Operator::Coerce, a)),
];

fn own(this: &Rc<BigInt>) -> RubyValue {
    RubyValue::Big(Rc::clone(this))
}

fn itself(_run: &mut Run<'_>, this: &Rc<BigInt>, _a: Args<'_>) -> Eval {
    Ok(own(this))
}

fn to_s(run: &mut Run<'_>, this: &Rc<BigInt>, a: Args<'_>) -> Eval {
    let radix = if a.is_empty() { 10 } else { run.int_arg(&a.items[0])? };
    match u32::try_from(radix) {
        Ok(radix @ 2..=36) => text(run.big_text(this, radix)?),
        _ => run.argument_error(format!("invalid radix {radix}")),
    }
}

/// Counts to a number that this one is `before`.
fn count(
    run: &mut Run<'_>,
    this: &Rc<BigInt>,
    block: &Rc<Proc>,
    a: Args<'_>,
    before: Ordering,
) -> Eval {
    let mut number = own(this);
    let next = if before.is_lt() { "succ" } else { "pred" };
    loop {
        let order = run.order(&number, &a.get(0))?;
        if order != before && order.is_ne() {
            return Ok(own(this));
        }
        run.yield1(block, &number)?;
        number = run.call(&number, next, &[])?;
    }
}

fn hash(_run: &mut Run<'_>, this: &Rc<BigInt>, _a: Args<'_>) -> Eval {
    let add = |sum: usize, word: u32| (sum * 31 + word as usize) & 0xffff_ffff;
    Ok(int(this.magnitude().iter_u32_digits().fold(7, add)))
}

fn chr(run: &mut Run<'_>, this: &Rc<BigInt>, _a: Args<'_>) -> Eval {
    let range = if this.is_negative() { "" } else { "bignum out of char range" };
    run.raise("RangeError", range)
}

fn equal(run: &mut Run<'_>, this: &Rc<BigInt>, a: Args<'_>) -> Eval {
    let other = operand(run, a)?;
    yes(run.equal(&own(this), other)?)
}

fn is_eql(run: &mut Run<'_>, this: &Rc<BigInt>, a: Args<'_>) -> Eval {
    let other = operand(run, a)?;
    yes(matches!(other, RubyValue::Big(other) if other == this))
}

fn operator(run: &mut Run<'_>, this: &BigInt, operator: Operator, a: Args<'_>) -> Eval {
    match (operator, operand(run, a)?) {
        (_, RubyValue::Int(number)) => calculate(run, this, operator, &BigInt::from(*number), a),
        (_, RubyValue::Big(other)) => calculate(run, this, operator, other, a),
        (
            Operator::ShiftLeft
            | Operator::ShiftRight
            | Operator::Bit
            | Operator::Gcd
            | Operator::Lcm,
            other,
        ) => run.no_conversion(other, "Integer"),
        (Operator::And | Operator::Or | Operator::Xor, RubyValue::Float(number)) => {
            let shown = float::to_s(*number);
            run.type_error(format!("{shown} can't be coerced into Integer"))
        }
        (_, RubyValue::Float(_)) => super::float::operator(run, this.to_f64(), operator, a),
        (_, other) => coerce_error(run, other, "Integer"),
    }
}

/// Evaluates an operator on integers if one of them or the result is big.
pub(super) fn calculate(
    run: &mut Run<'_>,
    x: &BigInt,
    operator: Operator,
    y: &BigInt,
    a: Args<'_>,
) -> Eval {
    run.work(x.n_words() * y.n_words().max(1))?;
    let divided = |parts: Option<(BigInt, BigInt)>| parts.unwrap_or_default();
    if matches!(operator, Operator::Gcd | Operator::Lcm) {
        run.work(x.n_words() * y.n_words() * 16)?;
    }
    if operator.is_division() && y.is_zero() {
        return run.raise("ZeroDivisionError", "divided by 0");
    }
    let value = match operator {
        Operator::Add => x + y,
        Operator::Subtract => x - y,
        Operator::Multiply => x * y,
        Operator::Divide | Operator::Div => divided(x.divmod(y)).0,
        Operator::Modulo => divided(x.divmod(y)).1,
        Operator::Remainder => x.remainder(y).unwrap_or_default(),
        Operator::Divmod => {
            let (quotient, rest) = divided(x.divmod(y));
            return Ok(RubyValue::array(vec![run.big(&quotient)?, run.big(&rest)?]));
        }
        Operator::Fdiv => return Ok(RubyValue::Float(x.to_f64() / y.to_f64())),
        Operator::And => x & y,
        Operator::Or => x | y,
        Operator::Xor => x ^ y,
        Operator::ShiftLeft => return shift(run, x, y, true),
        Operator::ShiftRight => return shift(run, x, y, false),
        Operator::Bit => {
            let bit = y.to_i64().and_then(|bit| u64::try_from(bit).ok());
            let is_set = bit.map(|bit| x.bit(bit));
            return Ok(RubyValue::Int(i64::from(is_set.unwrap_or(x.is_negative()))));
        }
        Operator::Gcd => x.gcd(y),
        Operator::Lcm => x.lcm(y),
        Operator::Coerce => return Ok(RubyValue::array(vec![run.big(y)?, run.big(x)?])),
        Operator::Pow if a.len() > 1 => return power_modulo(run, x, y, &a.items[1]),
        Operator::Power | Operator::Pow => return power(run, x, y),
    };
    run.big(&value)
}

fn shift(run: &mut Run<'_>, x: &BigInt, by: &BigInt, is_left: bool) -> Eval {
    let is_left = is_left != by.is_negative();
    let bits = by.abs().to_i64().and_then(|bits| usize::try_from(bits).ok());
    let value = match bits {
        Some(bits) if !is_left => x >> bits,
        None if !is_left => BigInt::from(if x.is_negative() { -1_i64 } else { 0 }),
        _ if x.is_zero() => x.clone(),
        Some(bits) if bits <= MAX_BITS => x << bits,
        _ => return run.too_big(),
    };
    run.big(&value)
}

fn power(run: &mut Run<'_>, x: &BigInt, y: &BigInt) -> Eval {
    if y.is_negative() {
        return run.unsupported("rational numbers");
    }
    if x.abs() <= BigInt::from(1_i64) {
        let value = if y.is_even() { x * x } else { x.clone() };
        return run.big(&value);
    }
    let exponent = y.to_i64().and_then(|y| u32::try_from(y).ok());
    let bits = exponent.map(|exponent| x.bit_length().saturating_mul(exponent as usize));
    match (exponent, bits) {
        (Some(exponent), Some(bits)) if bits <= MAX_BITS + 32 => {
            run.work(bits / 32 * (bits / 32))?;
            run.big(&x.pow(exponent))
        }
        (Some(_), Some(bits)) if bits <= RUBYS_MAX_BITS => run.too_big(),
        _ => Ok(RubyValue::Float(x.to_f64().powf(y.to_f64()))),
    }
}

/// `pow(y, modulus)`, by squares.
fn power_modulo(run: &mut Run<'_>, x: &BigInt, y: &BigInt, modulus: &RubyValue) -> Eval {
    let modulus = match modulus {
        RubyValue::Int(number) => BigInt::from(*number),
        RubyValue::Big(number) => (**number).clone(),
        _ => {
            return run.type_error(
                "Integer#pow() 2nd argument not allowed unless all arguments are integers",
            );
        }
    };
    if y.is_negative() {
        return run.raise(
            "RangeError",
            "Integer#pow() 1st argument cannot be negative when 2nd argument specified",
        );
    }
    if modulus.is_zero() {
        return run.raise("ZeroDivisionError", "divided by 0");
    }
    let rest = |number: &BigInt| number.divmod(&modulus).unwrap_or_default().1;
    let (mut result, mut square, mut exponent) = (rest(&BigInt::from(1_i64)), rest(x), y.clone());
    while !exponent.is_zero() {
        run.work(modulus.n_words() * modulus.n_words())?;
        if !exponent.is_even() {
            result = rest(&(&result * &square));
        }
        square = rest(&(&square * &square));
        exponent >>= 1;
    }
    run.big(&result)
}

/// Rounds to tens, hundreds and so on.
fn round(run: &mut Run<'_>, this: &BigInt, rounding: Rounding, a: Args<'_>) -> Eval {
    let digits = match a.items.first() {
        Some(RubyValue::Int(digits)) if *digits < 0 => digits.unsigned_abs(),
        _ => return run.big(this),
    };
    let Some(unit) = u32::try_from(digits).ok().filter(|digits| *digits < 20_000) else {
        return Ok(RubyValue::Int(0));
    };
    run.work((unit as usize / 9).pow(2))?;
    let unit = BigInt::from(10_i64).pow(unit);
    let rest = this.divmod(&unit).unwrap_or_default().1;
    let down = this - &rest;
    let middle = (&rest + &rest).cmp(&unit);
    let is_up = match rounding {
        Rounding::Floor => false,
        Rounding::Ceil => !rest.is_zero(),
        Rounding::Truncate => this.is_negative() && !rest.is_zero(),
        Rounding::Round if middle != Ordering::Equal => middle == Ordering::Greater,
        Rounding::Round => match Half::of(a) {
            Half::Even => !down.divmod(&unit).unwrap_or_default().0.is_even(),
            Half::Down => this.is_negative(),
            Half::Up => !this.is_negative(),
        },
    };
    run.big(&if is_up { &down + &unit } else { down })
}

fn digits(run: &mut Run<'_>, this: &Rc<BigInt>, a: Args<'_>) -> Eval {
    if this.is_negative() {
        return run.raise("Math::DomainError", "out of domain");
    }
    let base = if a.is_empty() { 10 } else { run.int_arg(&a.items[0])? };
    if base < 2 {
        return run.argument_error(format!("invalid radix {base}"));
    }
    let (mut rest, mut digits) = ((**this).clone(), Vec::new());
    while !rest.is_zero() {
        run.work(rest.n_words())?;
        let (quotient, digit) = rest.divmod(&BigInt::from(base)).unwrap_or_default();
        digits.push(RubyValue::Int(digit.to_i64().unwrap_or(0)));
        rest = quotient;
    }
    list(digits)
}

impl Run<'_> {
    /// Returns an integer of any size, up to the limit of bits.
    pub(crate) fn big(&mut self, number: &BigInt) -> Eval {
        if let Some(number) = number.to_i64() {
            return Ok(RubyValue::Int(number));
        }
        let n_words = number.n_words();
        if n_words * 32 > MAX_BITS {
            return self.too_big();
        }
        self.charge(n_words * 4)?;
        Ok(RubyValue::Big(Rc::new(number.clone())))
    }

    fn too_big<T>(&mut self) -> Eval<T> {
        self.unsupported(format!("integer of more than {MAX_BITS} bits"))
    }

    /// Refuses digits of a number that is too big, before it is parsed.
    pub(crate) fn check_digits(&mut self, text: &str) -> Eval<()> {
        let text = text.trim_start();
        let digits = text.bytes().skip(1).take_while(|b| b.is_ascii_alphanumeric() || *b == b'_');
        self.check_length(digits.count())
    }

    /// Like [`check_digits`](Self::check_digits), but for all numbers within a text.
    pub(crate) fn check_numbers(&mut self, text: &str) -> Eval<()> {
        let runs = text.split(|c: char| !(c.is_ascii_digit() || c == '_'));
        let longest = runs.map(str::len).max().unwrap_or(0);
        self.check_length(longest)
    }

    fn check_length(&mut self, n_digits: usize) -> Eval<()> {
        // A digit is at least one bit.
        if n_digits > MAX_BITS {
            return self.too_big();
        }
        // Parsing is quadratic: each word of digits is added to all words before it.
        self.work((n_digits / 9).pow(2))
    }

    /// Returns the digits of a number; the cost is that of divisions.
    pub(crate) fn big_text(&mut self, number: &BigInt, radix: u32) -> Eval<String> {
        self.work(number.n_words().pow(2))?;
        Ok(number.to_str_radix(radix))
    }

    /// Counts the steps of a computation on so many words.
    pub(crate) fn work(&mut self, n_words: usize) -> Eval<()> {
        let steps = u64::try_from(n_words / 16).unwrap_or(u64::MAX);
        self.vm.steps = self.vm.steps.saturating_add(steps);
        self.step()
    }
}
