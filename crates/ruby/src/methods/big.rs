//! `Integer`, where it does not fit in 64 bits.

use std::cmp::Ordering;
use std::rc::Rc;

use kukla_rubytext::{BigInt, float};

use super::tools::int;
use crate::run::{Args, Eval, Run};
use crate::value::RubyValue;

/// Larger integers are left to a real Ruby: computing with them would take too long.
const MAX_BITS: usize = 1 << 16;

/// What Ruby itself refuses to compute: the result is infinite.
const RUBYS_MAX_BITS: usize = 32 << 20;

impl Run<'_> {
    /// An integer of any size.
    pub(crate) fn big(&mut self, number: &BigInt) -> Eval {
        if let Some(number) = number.to_i64() {
            return Ok(RubyValue::Int(number));
        }
        let n_words = number.words().len();
        if n_words * 32 > MAX_BITS {
            return self.too_big();
        }
        self.charge(n_words * 4)?;
        Ok(RubyValue::Big(Rc::new(number.clone())))
    }

    fn too_big<T>(&mut self) -> Eval<T> {
        self.unsupported(format!("integer of more than {MAX_BITS} bits"))
    }

    /// Refuses digits of which a number would be too big, before it is made.
    pub(crate) fn check_digits(&mut self, text: &str) -> Eval<()> {
        let text = text.trim_start();
        let digits = text.bytes().skip(1).take_while(|b| b.is_ascii_alphanumeric() || *b == b'_');
        self.check_length(digits.count())
    }

    /// The same for the numbers within a text.
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
        // Each word's worth of digits is added to all words before it.
        self.work((n_digits / 9).pow(2))
    }

    /// The digits of a number, which take as long to find as to divide.
    pub(crate) fn big_text(&mut self, number: &BigInt, radix: u32) -> Eval<String> {
        self.work(number.words().len().pow(2))?;
        Ok(number.to_radix(radix))
    }

    pub(crate) fn big_method(
        &mut self,
        this: &Rc<BigInt>,
        name: &str,
        a: Args<'_>,
    ) -> Eval<Option<RubyValue>> {
        let own = RubyValue::Big(Rc::clone(this));
        if let Some(value) = self.big_with_argument(this, name, a)? {
            return Ok(Some(value));
        }
        Ok(Some(match name {
            "to_s" | "inspect" => {
                let radix = if a.is_empty() { 10 } else { self.int_arg(&a.items[0])? };
                match u32::try_from(radix) {
                    Ok(radix @ 2..=36) => RubyValue::str(self.big_text(this, radix)?),
                    _ => return self.argument_error(format!("invalid radix {radix}")),
                }
            }
            "to_i" | "to_int" | "+@" | "ord" | "numerator" | "dup" | "clone" => own,
            "floor" | "ceil" | "round" | "truncate" if a.is_empty() => own,
            "to_f" => RubyValue::Float(this.to_f64()),
            "-@" => self.big(&-&**this)?,
            "~" => self.big(&-&(&**this + &BigInt::from(1_i64)))?,
            "succ" | "next" => self.big(&(&**this + &BigInt::from(1_i64)))?,
            "pred" => self.big(&(&**this - &BigInt::from(1_i64)))?,
            "abs" | "magnitude" => self.big(&this.abs())?,
            "zero?" => RubyValue::Bool(false),
            "nonzero?" => own,
            "positive?" => RubyValue::Bool(!this.is_negative()),
            "negative?" => RubyValue::Bool(this.is_negative()),
            "even?" => RubyValue::Bool(this.is_even()),
            "odd?" => RubyValue::Bool(!this.is_even()),
            "integer?" | "finite?" => RubyValue::Bool(true),
            "infinite?" => RubyValue::Nil,
            "bit_length" => int(this.bit_length()),
            "size" => int(this.abs().bit_length().div_ceil(8)),
            "floor" | "ceil" | "round" | "truncate" => self.big_round(this, name, a)?,
            "upto" | "downto" => {
                let block = self.need_block(&a, name)?;
                let mut number = own.clone();
                let next = if name == "upto" { "succ" } else { "pred" };
                while match self.order(&number, &a.get(0))? {
                    Ordering::Less => name == "upto",
                    Ordering::Greater => name == "downto",
                    Ordering::Equal => true,
                } {
                    self.yield1(block, &number)?;
                    number = self.call(&number, next, &[])?;
                }
                own
            }
            "digits" => self.big_digits(this, a)?,
            "hash" => int(this
                .words()
                .iter()
                .fold(7, |all, word| (all * 31 + *word as usize) & 0xffff_ffff)),
            "chr" => {
                let range = if this.is_negative() { "" } else { "bignum out of char range" };
                return self.raise("RangeError", range);
            }
            _ => return self.comparable(&own, name, a),
        }))
    }

    /// Rounds to tens, hundreds and so on.
    fn big_round(&mut self, this: &BigInt, name: &str, a: Args<'_>) -> Eval {
        let digits = match a.items.first() {
            Some(RubyValue::Int(digits)) if *digits < 0 => digits.unsigned_abs(),
            _ => return self.big(this),
        };
        let Some(unit) = u32::try_from(digits).ok().filter(|digits| *digits < 20_000) else {
            return Ok(RubyValue::Int(0));
        };
        self.work((unit as usize / 9).pow(2))?;
        let unit = BigInt::from(10_i64).power(unit);
        let rest = this.divmod(&unit).unwrap_or_default().1;
        let down = this - &rest;
        let half = a.option("half").and_then(|value| value.as_name()).unwrap_or_default();
        let middle = (&rest + &rest).cmp(&unit);
        let is_up = match name {
            "floor" => false,
            "ceil" => !rest.is_zero(),
            "truncate" => this.is_negative() && !rest.is_zero(),
            _ if middle != Ordering::Equal => middle == Ordering::Greater,
            _ => match half.as_str() {
                "even" => !down.divmod(&unit).unwrap_or_default().0.is_even(),
                "down" => this.is_negative(),
                _ => !this.is_negative(),
            },
        };
        self.big(&if is_up { &down + &unit } else { down })
    }

    fn big_digits(&mut self, this: &BigInt, a: Args<'_>) -> Eval {
        if this.is_negative() {
            return self.raise("Math::DomainError", "out of domain");
        }
        let base = if a.is_empty() { 10 } else { self.int_arg(&a.items[0])? };
        if base < 2 {
            return self.argument_error(format!("invalid radix {base}"));
        }
        let (mut rest, mut digits) = (this.clone(), Vec::new());
        while !rest.is_zero() {
            self.work(rest.words().len())?;
            let (quotient, digit) = rest.divmod(&BigInt::from(base)).unwrap_or_default();
            digits.push(RubyValue::Int(digit.to_i64().unwrap_or(0)));
            rest = quotient;
        }
        Ok(RubyValue::array(digits))
    }

    fn big_with_argument(
        &mut self,
        this: &BigInt,
        name: &str,
        a: Args<'_>,
    ) -> Eval<Option<RubyValue>> {
        if !is_operator(name) {
            return Ok(None);
        }
        let Some(other) = a.items.first() else { return self.wrong_arity(0, "1") };
        match (name, other) {
            ("==" | "===", _) => {
                let own = RubyValue::Big(Rc::new(this.clone()));
                Ok(Some(RubyValue::Bool(self.equal(&own, other)?)))
            }
            ("eql?" | "equal?", _) => {
                Ok(Some(RubyValue::Bool(matches!(other, RubyValue::Big(b) if **b == *this))))
            }
            (_, RubyValue::Int(number)) => {
                self.big_operator(this, name, &BigInt::from(*number), a).map(Some)
            }
            (_, RubyValue::Big(other)) => self.big_operator(this, name, other, a).map(Some),
            ("<<" | ">>" | "[]" | "gcd" | "lcm", other) => self.no_conversion(other, "Integer"),
            ("&" | "|" | "^", RubyValue::Float(number)) => {
                let shown = float::to_s(*number);
                self.type_error(format!("{shown} can't be coerced into Integer"))
            }
            (_, RubyValue::Float(_)) => self.float_method(this.to_f64(), name, a),
            (_, other) => self.coerce_error(other, "Integer"),
        }
    }

    /// An operator between integers of which one is big, or whose result is.
    pub(super) fn big_operator(&mut self, x: &BigInt, name: &str, y: &BigInt, a: Args<'_>) -> Eval {
        self.work(x.words().len() * y.words().len().max(1))?;
        let divided = |parts: Option<(BigInt, BigInt)>| parts.unwrap_or_default();
        let is_division =
            matches!(name, "/" | "%" | "modulo" | "div" | "divmod" | "remainder" | "ceildiv");
        if is_division && y.is_zero() {
            return self.raise("ZeroDivisionError", "divided by 0");
        }
        let value = match name {
            "+" => x + y,
            "-" => x - y,
            "*" => x * y,
            "/" | "div" => divided(x.divmod(y)).0,
            "%" | "modulo" => divided(x.divmod(y)).1,
            "remainder" => x.remainder(y).unwrap_or_default(),
            "divmod" => {
                let (quotient, rest) = divided(x.divmod(y));
                return Ok(RubyValue::array(vec![self.big(&quotient)?, self.big(&rest)?]));
            }
            "fdiv" => return Ok(RubyValue::Float(x.to_f64() / y.to_f64())),
            "&" => x & y,
            "|" => x | y,
            "^" => x ^ y,
            "<<" | ">>" => return self.big_shift(x, y, name == "<<"),
            "[]" => {
                let bit = y.to_i64().and_then(|bit| usize::try_from(bit).ok());
                let is_set = bit.map(|bit| !x.shifted_right(bit).is_even());
                return Ok(RubyValue::Int(i64::from(is_set.unwrap_or(x.is_negative()))));
            }
            "gcd" | "lcm" if self.work(x.words().len() * y.words().len() * 16).is_err() => {
                return self.step().map(|()| RubyValue::Nil);
            }
            "gcd" => gcd(x, y),
            "lcm" => match gcd(x, y) {
                zero if zero.is_zero() => zero,
                gcd => divided((&x.abs() * &y.abs()).divmod(&gcd)).0,
            },
            "coerce" => return Ok(RubyValue::array(vec![self.big(y)?, self.big(x)?])),
            "pow" if a.len() > 1 => return self.power_modulo(x, y, &a.items[1]),
            _ => return self.big_power(x, y),
        };
        self.big(&value)
    }

    fn big_shift(&mut self, x: &BigInt, by: &BigInt, is_left: bool) -> Eval {
        let is_left = is_left != by.is_negative();
        let bits = by.abs().to_i64().and_then(|bits| usize::try_from(bits).ok());
        let value = match bits {
            Some(bits) if !is_left => x.shifted_right(bits),
            None if !is_left => BigInt::from(if x.is_negative() { -1_i64 } else { 0 }),
            _ if x.is_zero() => x.clone(),
            Some(bits) if bits <= MAX_BITS => x.shifted_left(bits),
            _ => return self.too_big(),
        };
        self.big(&value)
    }

    fn big_power(&mut self, x: &BigInt, y: &BigInt) -> Eval {
        if y.is_negative() {
            return self.unsupported("rational numbers");
        }
        if x.abs() <= BigInt::from(1_i64) {
            let value = if y.is_even() { x * x } else { x.clone() };
            return self.big(&value);
        }
        let exponent = y.to_i64().and_then(|y| u32::try_from(y).ok());
        let bits = exponent.map(|exponent| x.bit_length().saturating_mul(exponent as usize));
        match (exponent, bits) {
            (Some(exponent), Some(bits)) if bits <= MAX_BITS + 32 => {
                self.work(bits / 32 * (bits / 32))?;
                self.big(&x.power(exponent))
            }
            (Some(_), Some(bits)) if bits <= RUBYS_MAX_BITS => self.too_big(),
            _ => Ok(RubyValue::Float(x.to_f64().powf(y.to_f64()))),
        }
    }

    /// `pow(y, modulus)`, by squares.
    fn power_modulo(&mut self, x: &BigInt, y: &BigInt, modulus: &RubyValue) -> Eval {
        let modulus = match modulus {
            RubyValue::Int(number) => BigInt::from(*number),
            RubyValue::Big(number) => (**number).clone(),
            _ => {
                return self.type_error(
                    "Integer#pow() 2nd argument not allowed unless all arguments are integers",
                );
            }
        };
        if y.is_negative() {
            return self.raise(
                "RangeError",
                "Integer#pow() 1st argument cannot be negative when 2nd argument specified",
            );
        }
        if modulus.is_zero() {
            return self.raise("ZeroDivisionError", "divided by 0");
        }
        let rest = |number: &BigInt| number.divmod(&modulus).unwrap_or_default().1;
        let (mut result, mut square, mut exponent) =
            (rest(&BigInt::from(1_i64)), rest(x), y.clone());
        while !exponent.is_zero() {
            self.work(modulus.words().len() * modulus.words().len())?;
            if !exponent.is_even() {
                result = rest(&(&result * &square));
            }
            square = rest(&(&square * &square));
            exponent = exponent.shifted_right(1);
        }
        self.big(&result)
    }

    /// Counts the steps of a computation on so many words.
    pub(crate) fn work(&mut self, n_words: usize) -> Eval<()> {
        let steps = u64::try_from(n_words / 16).unwrap_or(u64::MAX);
        self.vm.steps = self.vm.steps.saturating_add(steps);
        self.step()
    }
}

fn is_operator(name: &str) -> bool {
    matches!(
        name,
        "+" | "-"
            | "*"
            | "/"
            | "%"
            | "modulo"
            | "**"
            | "pow"
            | "div"
            | "fdiv"
            | "divmod"
            | "remainder"
            | "&"
            | "|"
            | "^"
            | "<<"
            | ">>"
            | "=="
            | "==="
            | "eql?"
            | "equal?"
            | "[]"
            | "gcd"
            | "lcm"
            | "coerce"
    )
}

fn gcd(x: &BigInt, y: &BigInt) -> BigInt {
    let (mut a, mut b) = (x.abs(), y.abs());
    while let Some((_, rest)) = a.divmod(&b) {
        (a, b) = (b, rest);
    }
    a
}
