//! `%d %i %u %x %X %o %b %B`

use super::arguments::{Argument, Kind};
use super::directive::{Directive, fill};
use crate::{BigInt, RubyError, RubyInteger as _, float, integer};

pub(super) fn print(
    directive: &Directive<'_>,
    argument: &dyn Argument,
    out: &mut String,
) -> Result<(), RubyError> {
    let number = to_integer(argument)?;
    let radix = match directive.letter {
        'x' | 'X' => 16,
        'o' => 8,
        'b' | 'B' => 2,
        _ => 10,
    };
    let signed = radix == 10 || directive.plus || directive.space;
    // Without a sign, negative numbers are printed as the infinite digits of their two's complement.
    let dots = !signed && number.is_negative();
    let mut digits = if dots { complement(&number, radix) } else { number.digits(radix) };
    if directive.letter == 'X' {
        digits.make_ascii_uppercase();
    }
    Layout::new(directive, &number, dots).print(digits, radix, out);
    Ok(())
}

/// Converts an argument as Ruby's `Integer()` does.
fn to_integer(argument: &dyn Argument) -> Result<BigInt, RubyError> {
    match argument.kind() {
        Kind::Int(number) => Ok(BigInt::from(number)),
        Kind::Big(number) => Ok(number.clone()),
        Kind::Float(number) => float::truncate(number),
        Kind::Str(text) => integer::parse(text, 0),
        Kind::Nil => Err(RubyError::type_("can't convert nil into Integer")),
        Kind::Hash => Err(RubyError::type_("can't convert Hash into Integer")),
        Kind::Other(name) => Err(RubyError::type_(format!("can't convert {name} into Integer"))),
    }
}

/// Returns the digits of the two's complement, with a single one of the infinite digits in front.
fn complement(number: &BigInt, radix: u32) -> String {
    let top = char::from_digit(radix - 1, radix).unwrap_or('f');
    // -n is the complement of n - 1, digit by digit.
    let flipped: Vec<u32> = number
        .digits(radix)
        .chars()
        .filter_map(|c| c.to_digit(radix))
        .map(|digit| radix - 1 - digit)
        .collect();
    let mut digits: Vec<u32> = flipped;
    for digit in digits.iter_mut().rev() {
        *digit += 1;
        if *digit < radix {
            break;
        }
        *digit = 0;
    }
    let text: String = digits.iter().filter_map(|&d| char::from_digit(d, radix)).collect();
    format!("{top}{}", text.trim_start_matches(top))
}

/// The order of sign, prefix, dots, zeros and spaces.
struct Layout<'a> {
    directive: &'a Directive<'a>,
    sign: &'static str,
    prefix: &'static str,
    dots: bool,
}

impl<'a> Layout<'a> {
    fn new(directive: &'a Directive<'a>, number: &BigInt, dots: bool) -> Self {
        let sign = match () {
            () if dots => "",
            () if number.is_negative() => "-",
            () if directive.plus => "+",
            () if directive.space => " ",
            () => "",
        };
        let prefix = match directive.letter {
            _ if !directive.sharp => "",
            'o' => "0",
            'x' => "0x",
            'X' => "0X",
            'b' => "0b",
            'B' => "0B",
            _ => "",
        };
        Self { directive, sign, prefix, dots }
    }

    fn print(mut self, mut digits: String, radix: u32, out: &mut String) {
        let Directive { minus, zero, .. } = *self.directive;
        let mut precision = self.directive.precision.unwrap_or(-1);
        let mut width = self.directive.width.unwrap_or(-1) - self.sign.len() as i64;
        if self.dots {
            precision -= 2;
            width -= 2;
        }
        self.adapt_prefix(&mut digits, &mut precision);
        width -= self.prefix.len() as i64;
        let length = digits.len() as i64;
        if zero && !minus && self.directive.precision.is_none() {
            precision = width;
            width = 0;
        } else {
            if precision < length {
                if self.prefix.is_empty() && precision == 0 && digits == "0" {
                    digits.clear();
                }
                precision = digits.len() as i64;
            }
            width -= precision;
        }
        let spaces = usize::try_from(width).unwrap_or(0);
        if !minus {
            fill(out, ' ', spaces);
        }
        out.push_str(self.sign);
        out.push_str(self.prefix);
        out.push_str(if self.dots { ".." } else { "" });
        let zeros = usize::try_from(precision - digits.len() as i64).unwrap_or(0);
        self.fill_front(radix, zeros, out);
        out.push_str(&digits);
        if minus {
            fill(out, ' ', spaces);
        }
    }

    /// Adapts the prefix: octal numbers get a zero in front, zero gets no prefix in the remaining bases.
    fn adapt_prefix(&mut self, digits: &mut String, precision: &mut i64) {
        if self.prefix == "0" {
            if self.dots {
                self.prefix = "";
            } else if digits == "0" {
                digits.clear();
                if self.directive.precision.is_some() {
                    *precision -= 1;
                }
            } else if self.directive.precision.is_some() && *precision > digits.len() as i64 {
                self.prefix = "";
            }
        } else if digits == "0" {
            self.prefix = "";
        }
    }

    fn fill_front(&self, radix: u32, count: usize, out: &mut String) {
        if self.dots {
            let top = char::from_digit(radix - 1, radix).unwrap_or('f');
            fill(
                out,
                if self.directive.letter == 'X' { top.to_ascii_uppercase() } else { top },
                count,
            );
        } else if !self.directive.minus || self.directive.precision.is_some() {
            fill(out, '0', count);
        }
    }
}
