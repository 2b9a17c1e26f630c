//! `%f %e %E %g %G %a %A`

use super::arguments::{Argument, Kind};
use super::directive::{Directive, fill};
use super::halves::{self, DigitCount};
use crate::{BigInt, RubyError, RubyInteger as _, float};

pub(super) fn print(
    directive: &Directive<'_>,
    argument: &dyn Argument,
    out: &mut String,
) -> Result<(), RubyError> {
    if directive.letter == 'f' {
        match argument.kind() {
            Kind::Int(number) => {
                whole(directive, &BigInt::from(number), out);
                return Ok(());
            }
            Kind::Big(number) => {
                whole(directive, number, out);
                return Ok(());
            }
            _ => (),
        }
    }
    let number = to_float(argument)?;
    if !number.is_finite() {
        let name = if number.is_nan() { "NaN" } else { "Inf" };
        let negative = !number.is_nan() && number < 0.0;
        directive.pad(&format!("{}{name}", sign(directive, negative)), out);
        return Ok(());
    }
    let body = match directive.letter {
        'f' => fixed(number.abs(), directive.precision.unwrap_or(6), directive.sharp),
        'e' | 'E' => scientific(number.abs(), directive.precision.unwrap_or(6), directive.sharp),
        'g' | 'G' => shorter(number.abs(), directive.precision.unwrap_or(6), directive.sharp),
        _ => hexadecimal(number.abs(), directive.precision, directive.sharp),
    };
    let upper = directive.letter.is_ascii_uppercase();
    let body = if upper { body.to_ascii_uppercase() } else { body };
    place(directive, sign(directive, number.is_sign_negative()), &body, out);
    Ok(())
}

/// Converts an argument as Ruby's `Float()` does.
fn to_float(argument: &dyn Argument) -> Result<f64, RubyError> {
    match argument.kind() {
        Kind::Int(number) => Ok(number as f64),
        Kind::Big(number) => Ok(number.to_f64()),
        Kind::Float(number) => Ok(number),
        Kind::Str(text) => float::parse(text),
        Kind::Nil => Err(RubyError::type_("can't convert nil into Float")),
        Kind::Hash => Err(RubyError::type_("can't convert Hash into Float")),
        Kind::Other(name) => Err(RubyError::type_(format!("can't convert {name} into Float"))),
    }
}

fn sign(directive: &Directive<'_>, negative: bool) -> &'static str {
    match () {
        () if negative => "-",
        () if directive.plus => "+",
        () if directive.space => " ",
        () => "",
    }
}

/// Appends an integer with all of its digits.
fn whole(directive: &Directive<'_>, number: &BigInt, out: &mut String) {
    let precision = directive.precision.unwrap_or(6) as usize;
    let point = if precision > 0 { "." } else { "" };
    let body = format!("{}{point}{}", number.digits(10), "0".repeat(precision));
    place(directive, sign(directive, number.is_negative()), &body, out);
}

/// Appends a number, padded with zeros or spaces to the width.
fn place(directive: &Directive<'_>, sign: &str, body: &str, out: &mut String) {
    let width = usize::try_from(directive.width.unwrap_or(0)).unwrap_or(0);
    let missing = width.saturating_sub(sign.len() + body.len());
    if !directive.zero || directive.minus {
        return directive.pad(&format!("{sign}{body}"), out);
    }
    out.push_str(sign);
    // Zeros follow the prefix of a hexadecimal number.
    let prefix = if body[1..].starts_with(['x', 'X']) { 2 } else { 0 };
    out.push_str(&body[..prefix]);
    fill(out, '0', missing);
    out.push_str(&body[prefix..]);
}

fn fixed(number: f64, precision: i64, sharp: bool) -> String {
    let point = if sharp && precision == 0 { "." } else { "" };
    if let Some(half) = halves::half(number, DigitCount::Fraction(precision)) {
        let digits = format!("{:0>1$}", half.digits, precision as usize + 1);
        let (whole, fraction) = digits.split_at(digits.len() - precision as usize);
        return format!("{whole}{}{fraction}", if precision > 0 { "." } else { point });
    }
    // No float has more than 1074 digits after the point.
    let exact = precision.min(1100);
    let zeros = "0".repeat((precision - exact) as usize);
    format!("{number:.*}{zeros}{point}", exact as usize)
}

fn scientific(number: f64, precision: i64, sharp: bool) -> String {
    let exact = precision.min(1100);
    let text = match halves::half(number, DigitCount::Digits(precision + 1)) {
        Some(half) => {
            let digits = half.digits.to_string();
            // Rounding 9.5 to 10 adds a digit.
            let power = half.power + i32::from(digits.len() as i64 > precision + 1);
            let dot = if precision > 0 { "." } else { "" };
            format!("{}{dot}{}e{power}", &digits[..1], &digits[1..=precision as usize])
        }
        None => format!("{number:.*e}", exact as usize),
    };
    let (mantissa, exponent) = text.split_once('e').unwrap_or((&text, "0"));
    let point = if sharp && precision == 0 { "." } else { "" };
    let zeros = "0".repeat((precision - exact) as usize);
    format!("{mantissa}{zeros}{point}e{}", exponent_text(exponent))
}

/// Formats an exponent with a sign and at least two digits.
fn exponent_text(exponent: &str) -> String {
    match exponent.strip_prefix('-') {
        Some(digits) => format!("-{digits:0>2}"),
        None => format!("+{exponent:0>2}"),
    }
}

/// Formats a number as C's `%g` does.
pub(super) fn general(number: f64, precision: i64) -> String {
    let sign = if number < 0.0 { "-" } else { "" };
    let body = match number.is_finite() {
        true => shorter(number.abs(), precision, false),
        false => if number.is_nan() { "NaN" } else { "Inf" }.to_owned(),
    };
    format!("{sign}{body}")
}

fn shorter(number: f64, precision: i64, sharp: bool) -> String {
    let digits = precision.max(1);
    let text = scientific(number, digits - 1, sharp);
    let (mantissa, exponent) = text.split_once('e').unwrap_or((&text, "0"));
    let power: i64 = exponent.parse().unwrap_or(0);
    if (-4..digits).contains(&power) {
        let text = fixed(number, digits - 1 - power, sharp);
        return if sharp { text } else { trimmed(&text).to_owned() };
    }
    let mantissa = if sharp { mantissa } else { trimmed(mantissa) };
    format!("{mantissa}e{exponent}")
}

fn trimmed(text: &str) -> &str {
    if text.contains('.') { text.trim_end_matches('0').trim_end_matches('.') } else { text }
}

/// Formats `0x1.8p+1`: the first digit is 1, or 0 for zero.
fn hexadecimal(number: f64, precision: Option<i64>, sharp: bool) -> String {
    let bits = number.to_bits();
    let (mut exponent, mut fraction) = ((bits >> 52) as i32 - 1023, bits & ((1 << 52) - 1));
    let mut lead = u64::from(number != 0.0);
    if exponent == -1023 && lead == 1 {
        // Normalizes subnormal numbers.
        let shift = fraction.leading_zeros() - 11;
        fraction = (fraction << shift) & ((1 << 52) - 1);
        exponent = -1022 - shift as i32;
    } else if lead == 0 {
        exponent = 0;
    }
    let mut digits = format!("{fraction:013x}");
    match precision {
        None => digits.truncate(digits.trim_end_matches('0').len()),
        Some(precision) if precision < 13 => {
            let cut = (13 - precision) * 4;
            let all = round_even((lead << 52) | fraction, cut as u32);
            lead = all >> (precision * 4);
            if lead > 1 {
                (lead, exponent) = (1, exponent + 1);
            }
            digits = format!("{:013x}", (all << cut) & ((1 << 52) - 1));
            digits.truncate(precision as usize);
        }
        Some(precision) => fill(&mut digits, '0', precision as usize - 13),
    }
    let point = if digits.is_empty() && !sharp { "" } else { "." };
    format!("0x{lead}{point}{digits}p{exponent:+}")
}

/// Cuts bits off, rounding halves to even.
fn round_even(number: u64, bits: u32) -> u64 {
    let (quotient, half) = (number >> bits, 1u64 << (bits - 1));
    let rest = number & ((1 << bits) - 1);
    if rest > half || (rest == half && quotient & 1 == 1) { quotient + 1 } else { quotient }
}
