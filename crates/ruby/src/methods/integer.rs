//! `Integer`

use super::tools::int;
use crate::run::{Args, Eval, Run};
use crate::value::RubyValue;

impl Run<'_> {
    #[expect(clippy::too_many_lines, reason = "a table of names")]
    pub(crate) fn integer_method(
        &mut self,
        this: i64,
        name: &str,
        a: Args<'_>,
    ) -> Eval<Option<RubyValue>> {
        if let Some(value) = self.integer_operator(this, name, a)? {
            return Ok(Some(value));
        }
        let own = RubyValue::Int(this);
        Ok(Some(match name {
            "to_s" | "inspect" => {
                let radix = if a.is_empty() { 10 } else { self.int_arg(&a.items[0])? };
                match u32::try_from(radix) {
                    Ok(10) => RubyValue::str(this.to_string()),
                    Ok(radix @ 2..=36) => {
                        RubyValue::str(kukla_rubytext::BigInt::from(this).to_radix(radix))
                    }
                    _ => return self.argument_error(format!("invalid radix {radix}")),
                }
            }
            "to_i" | "to_int" | "ord" | "numerator" => own,
            #[expect(clippy::cast_precision_loss, reason = "as Ruby does")]
            "to_f" => RubyValue::Float(this as f64),
            "times" => {
                let block = self.need_block(&a, name)?;
                for index in 0..this {
                    self.yield1(block, &RubyValue::Int(index))?;
                }
                own
            }
            "upto" | "downto" => {
                let to = self.int_arg(&a.get(0))?;
                let block = self.need_block(&a, name)?;
                let mut number = this;
                while if name == "upto" { number <= to } else { number >= to } {
                    self.yield1(block, &RubyValue::Int(number))?;
                    number += if name == "upto" { 1 } else { -1 };
                }
                own
            }
            "step" => self.number_step(&own, a)?,
            "succ" | "next" => self.int_of(i128::from(this) + 1)?,
            "pred" => self.int_of(i128::from(this) - 1)?,
            "abs" | "magnitude" => self.int_of(i128::from(this).abs())?,
            "zero?" => RubyValue::Bool(this == 0),
            "positive?" => RubyValue::Bool(this > 0),
            "negative?" => RubyValue::Bool(this < 0),
            "nonzero?" => {
                if this == 0 {
                    RubyValue::Nil
                } else {
                    own
                }
            }
            "even?" => RubyValue::Bool(this % 2 == 0),
            "odd?" => RubyValue::Bool(this % 2 != 0),
            "integer?" | "finite?" => RubyValue::Bool(true),
            "nan?" => return Ok(None),
            "infinite?" => RubyValue::Nil,
            "chr" => match u8::try_from(this) {
                Ok(byte) if byte < 128 => RubyValue::str(ecow::EcoString::from(char::from(byte))),
                Ok(_) if a.is_empty() => return self.unsupported("bytes that are no text"),
                _ => {
                    let c = u32::try_from(this).ok().and_then(char::from_u32);
                    match (c, a.is_empty()) {
                        (Some(c), false) => RubyValue::str(ecow::EcoString::from(c)),
                        _ => return self.raise("RangeError", format!("{this} out of char range")),
                    }
                }
            },
            "floor" | "ceil" | "round" | "truncate" => self.integer_round(this, name, a)?,
            "digits" => {
                let base = if a.is_empty() { 10 } else { self.int_arg(&a.items[0])? };
                if this < 0 {
                    return self.raise("Math::DomainError", "out of domain");
                }
                if base < 2 {
                    return self.argument_error(format!("invalid radix {base}"));
                }
                let (mut rest, mut digits) = (this, Vec::new());
                loop {
                    digits.push(RubyValue::Int(rest % base));
                    rest /= base;
                    if rest == 0 {
                        break;
                    }
                }
                RubyValue::array(digits)
            }
            "bit_length" => {
                int(if this < 0 { 64 - (!this).leading_zeros() } else { 64 - this.leading_zeros() }
                    as usize)
            }
            "gcd" | "lcm" if matches!(a.items.first(), Some(RubyValue::Big(_))) => {
                let RubyValue::Big(other) = a.get(0) else { return Ok(None) };
                self.big_operator(&this.into(), name, &other, a)?
            }
            "gcd" | "lcm" => {
                let other = self.int_arg(&a.get(0))?;
                let gcd = gcd(i128::from(this).abs(), i128::from(other).abs());
                let value = if name == "gcd" {
                    gcd
                } else if gcd == 0 {
                    0
                } else {
                    (i128::from(this) * i128::from(other)).abs() / gcd
                };
                self.int_of(value)?
            }
            "pow" => match (a.items.first(), a.len()) {
                (Some(RubyValue::Int(power)), 2) => {
                    self.big_operator(&this.into(), "pow", &(*power).into(), a)?
                }
                (Some(RubyValue::Big(power)), 2) => {
                    self.big_operator(&this.into(), "pow", power, a)?
                }
                _ => return self.integer_operator(this, "**", a),
            },
            "coerce" => RubyValue::array(vec![a.get(0), own]),
            "size" => RubyValue::Int(8),
            "hash" => own,
            "dup" | "clone" => own,
            _ => return self.comparable(&own, name, a),
        }))
    }

    #[expect(clippy::cast_precision_loss, reason = "as Ruby does")]
    #[expect(clippy::too_many_lines, reason = "a table of names")]
    fn integer_operator(&mut self, this: i64, name: &str, a: Args<'_>) -> Eval<Option<RubyValue>> {
        let is_operator = matches!(
            name,
            "+" | "-"
                | "*"
                | "/"
                | "%"
                | "modulo"
                | "**"
                | "div"
                | "fdiv"
                | "divmod"
                | "remainder"
                | "&"
                | "|"
                | "^"
                | "<<"
                | ">>"
                | "~"
                | "-@"
                | "+@"
                | "=="
                | "==="
                | "eql?"
                | "equal?"
                | "[]"
        );
        if !is_operator {
            return Ok(None);
        }
        let x = i128::from(this);
        match (name, a.items.first()) {
            ("-@", _) => return self.int_of(-x).map(Some),
            ("+@", _) => return Ok(Some(RubyValue::Int(this))),
            ("~", _) => return Ok(Some(RubyValue::Int(!this))),
            ("==" | "===", Some(other)) => {
                return Ok(Some(RubyValue::Bool(self.equal(&RubyValue::Int(this), other)?)));
            }
            ("eql?" | "equal?", Some(other)) => {
                return Ok(Some(RubyValue::Bool(other.as_int() == Some(this))));
            }
            (_, None) => return self.wrong_arity(0, "1"),
            _ => (),
        }
        match &a.items[0] {
            RubyValue::Float(_) if !matches!(name, "&" | "|" | "^" | "<<" | ">>" | "[]") => {
                self.float_method(this as f64, name, a)
            }
            RubyValue::Big(other) => self.big_operator(&this.into(), name, other, a).map(Some),
            RubyValue::Int(other) => {
                let y = i128::from(*other);
                let zero =
                    y == 0 && matches!(name, "/" | "%" | "modulo" | "div" | "divmod" | "remainder");
                if zero {
                    return self.raise("ZeroDivisionError", "divided by 0");
                }
                let value = match name {
                    "+" => x + y,
                    "-" => x - y,
                    "*" => x * y,
                    "/" | "div" => (x - floor_mod(x, y)) / y,
                    "%" | "modulo" => floor_mod(x, y),
                    "remainder" => x % y,
                    "divmod" => {
                        let pair = [(x - floor_mod(x, y)) / y, floor_mod(x, y)];
                        let quotient = self.int_of(pair[0])?;
                        let rest = self.int_of(pair[1])?;
                        return Ok(Some(RubyValue::array(vec![quotient, rest])));
                    }
                    "fdiv" => return Ok(Some(RubyValue::Float(this as f64 / *other as f64))),
                    "&" => x & y,
                    "|" => x | y,
                    "^" => x ^ y,
                    "<<" | ">>" => {
                        let left = if name == "<<" { y } else { -y };
                        match left {
                            0..=62 => x << left,
                            63.. if x == 0 => 0,
                            63.. => {
                                return self
                                    .big_operator(&this.into(), name, &(*other).into(), a)
                                    .map(Some);
                            }
                            -126..0 => x >> -left,
                            _ => {
                                if x < 0 {
                                    -1
                                } else {
                                    0
                                }
                            }
                        }
                    }
                    "[]" => i128::from((0..64).contains(&y) && (x >> y) & 1 == 1),
                    _ => return self.integer_power(x, y, a).map(Some),
                };
                self.int_of(value).map(Some)
            }
            other => match name {
                "&" | "|" | "^" | "<<" | ">>" | "[]" => self.no_conversion(other, "Integer"),
                _ => self.coerce_error(other, "Integer"),
            },
        }
    }

    fn integer_power(&mut self, x: i128, y: i128, a: Args<'_>) -> Eval {
        match u32::try_from(y).ok().and_then(|y| x.checked_pow(y)) {
            Some(power) => self.int_of(power),
            None => self.big_operator(&x.into(), "**", &y.into(), a),
        }
    }

    fn integer_round(&mut self, this: i64, name: &str, a: Args<'_>) -> Eval {
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
        let rest = x - down;
        let value = match name {
            "floor" => down,
            "ceil" => {
                if rest == 0 {
                    x
                } else {
                    down + unit
                }
            }
            "truncate" => x / unit * unit,
            _ => {
                let magnitude = x.abs();
                let low = magnitude - magnitude % unit;
                let rest = magnitude % unit;
                let half = a.option("half").and_then(|value| value.as_name()).unwrap_or_default();
                let up = match half.as_str() {
                    "even" => rest * 2 > unit || (rest * 2 == unit && (low / unit) % 2 == 1),
                    "down" => rest * 2 > unit,
                    _ => rest * 2 >= unit,
                };
                let rounded = if up { low + unit } else { low };
                if x < 0 { -rounded } else { rounded }
            }
        };
        self.int_of(value)
    }
}

/// The remainder has the sign of the divisor.
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
