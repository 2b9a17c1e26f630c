//! `Float`

use kukla_rubytext::float;

use crate::run::{Args, Eval, Run};
use crate::value::RubyValue;

impl Run<'_> {
    pub(crate) fn float_method(
        &mut self,
        this: f64,
        name: &str,
        a: Args<'_>,
    ) -> Eval<Option<RubyValue>> {
        let own = RubyValue::Float(this);
        if matches!(
            name,
            "+" | "-"
                | "*"
                | "/"
                | "%"
                | "modulo"
                | "**"
                | "pow"
                | "fdiv"
                | "quo"
                | "div"
                | "divmod"
        ) {
            return self.float_operator(this, name, a).map(Some);
        }
        Ok(Some(match name {
            "to_s" | "inspect" => RubyValue::str(float::to_s(this)),
            "to_f" | "+@" => own,
            "-@" => RubyValue::Float(-this),
            "to_i" | "to_int" => self.float_to_int(this, float::truncate)?,
            "truncate" if a.is_empty() => self.float_to_int(this, float::truncate)?,
            "floor" if a.is_empty() => self.float_to_int(this, float::floor)?,
            "ceil" if a.is_empty() => self.float_to_int(this, float::ceil)?,
            "round" | "floor" | "ceil" | "truncate" => self.float_round(this, name, a)?,
            "abs" | "magnitude" => RubyValue::Float(this.abs()),
            "zero?" => RubyValue::Bool(this == 0.0),
            "positive?" => RubyValue::Bool(this > 0.0),
            "negative?" => RubyValue::Bool(this < 0.0),
            "nonzero?" => {
                if this == 0.0 {
                    RubyValue::Nil
                } else {
                    own
                }
            }
            "nan?" => RubyValue::Bool(this.is_nan()),
            "finite?" => RubyValue::Bool(this.is_finite()),
            "infinite?" => match this {
                f64::INFINITY => RubyValue::Int(1),
                f64::NEG_INFINITY => RubyValue::Int(-1),
                _ => RubyValue::Nil,
            },
            "integer?" => RubyValue::Bool(false),
            "==" | "===" => RubyValue::Bool(self.equal(&own, &a.get(0))?),
            "eql?" | "equal?" => {
                RubyValue::Bool(matches!(a.get(0), RubyValue::Float(other) if other == this))
            }
            "dup" | "clone" => own,
            "step" => self.number_step(&own, a)?,
            _ => return self.comparable(&own, name, a),
        }))
    }

    fn float_to_int(
        &mut self,
        number: f64,
        how: fn(f64) -> Result<kukla_rubytext::BigInt, kukla_rubytext::RubyError>,
    ) -> Eval {
        let number = self.from_text(how(number))?;
        self.big(&number)
    }

    #[expect(clippy::cast_precision_loss, reason = "as Ruby does")]
    fn float_operator(&mut self, x: f64, name: &str, a: Args<'_>) -> Eval {
        self.arity(a, 1, 1)?;
        let y = match &a.items[0] {
            RubyValue::Int(number) => *number as f64,
            RubyValue::Big(number) => number.to_f64(),
            RubyValue::Float(number) => *number,
            other => return self.coerce_error(other, "Float"),
        };
        Ok(RubyValue::Float(match name {
            "+" => x + y,
            "-" => x - y,
            "*" => x * y,
            "/" | "fdiv" | "quo" => x / y,
            "%" | "modulo" => float_mod(x, y),
            "div" | "divmod" => {
                if y == 0.0 {
                    return self.raise("ZeroDivisionError", "divided by 0");
                }
                let quotient = self.float_to_int((x / y).floor(), float::floor)?;
                if name == "div" {
                    return Ok(quotient);
                }
                return Ok(RubyValue::array(vec![quotient, RubyValue::Float(float_mod(x, y))]));
            }
            _ => {
                if x < 0.0 && y.fract() != 0.0 {
                    return self.unsupported("complex numbers");
                }
                x.powf(y)
            }
        }))
    }

    /// `round`, `floor` and so on to a number of digits.
    fn float_round(&mut self, x: f64, name: &str, a: Args<'_>) -> Eval {
        let digits = match a.items.first() {
            None | Some(RubyValue::Hash(_)) => 0,
            Some(digits) => self.int_arg(digits)?,
        };
        let half = a.option("half").and_then(|value| value.as_name()).unwrap_or_default();
        if digits > 0 {
            if !x.is_finite() || digits >= 17 {
                return Ok(RubyValue::Float(x));
            }
            return Ok(RubyValue::Float(round_digits(
                x,
                i32::try_from(digits).unwrap_or(17),
                name,
                &half,
            )));
        }
        if digits == 0 {
            let whole = match name {
                "floor" => float::floor(x),
                "ceil" => float::ceil(x),
                "truncate" => float::truncate(x),
                _ => match half.as_str() {
                    "even" if (x - x.trunc()).abs() == 0.5 => {
                        float::truncate(2.0 * (x / 2.0).round_ties_even())
                    }
                    "down" if (x - x.trunc()).abs() == 0.5 => float::truncate(x),
                    _ => float::round(x),
                },
            };
            let whole = if name == "round" && half == "even" && (x - x.trunc()).abs() == 0.5 {
                float::truncate(x.round_ties_even())
            } else {
                whole
            };
            let whole = self.from_text(whole)?;
            return self.big(&whole);
        }
        let whole = match name {
            "floor" => float::floor(x),
            "ceil" => float::ceil(x),
            _ => float::truncate(x),
        };
        let whole = self.from_text(whole)?;
        let whole = self.big(&whole)?;
        self.call_with(&whole, name, a)
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
fn round_digits(x: f64, digits: i32, name: &str, half: &str) -> f64 {
    let scale = 10_f64.powi(digits);
    let scaled = x * scale;
    if !scaled.is_finite() {
        return x;
    }
    match name {
        "floor" => {
            let mut down = scaled.floor();
            if (down + 1.0) / scale <= x {
                down += 1.0;
            }
            down / scale
        }
        "ceil" => {
            let mut up = scaled.ceil();
            if (up - 1.0) / scale >= x {
                up -= 1.0;
            }
            up / scale
        }
        "truncate" => {
            if x < 0.0 {
                round_digits(x, digits, "ceil", half)
            } else {
                round_digits(x, digits, "floor", half)
            }
        }
        _ => {
            let rounded = match half {
                "even" => scaled.round_ties_even(),
                "down" => {
                    if (scaled - scaled.trunc()).abs() == 0.5 {
                        scaled.trunc()
                    } else {
                        scaled.round()
                    }
                }
                _ => round_half_up(x, scale),
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
