//! Floating-point numbers as Ruby prints, reads and rounds them.

#[cfg(test)]
mod tests;

use super::inspect::inspect_bytes;
use super::{BigInt, RubyError, RubyInteger as _};

/// Formats a number as `Float#to_s` does: the shortest digits that read back as the same number.
pub fn to_s(number: f64) -> String {
    if number.is_nan() {
        return "NaN".to_owned();
    }
    let sign = if number.is_sign_negative() { "-" } else { "" };
    if number.is_infinite() {
        return format!("{sign}Infinity");
    }
    if number == 0.0 {
        return format!("{sign}0.0");
    }
    let (digits, exponent) = shortest(number.abs());
    // Ruby keeps one power more if there are digits after the point.
    let is_fixed = (-4..15).contains(&exponent) || (exponent == 15 && digits.len() > 16);
    let body = if is_fixed { fixed(&digits, exponent) } else { scientific(&digits, exponent) };
    format!("{sign}{body}")
}

/// Returns the fewest digits that identify a number, and the exponent of the first of them.
///
/// Of two decimals that are equally near, Ruby chooses the even one.
fn shortest(number: f64) -> (String, i32) {
    let (digits, exponent) = split_scientific(&format!("{number:e}"));
    // Decimals of up to 15 digits denote different numbers, so a tie has more.
    if digits.len() < 15 {
        return (digits, exponent);
    }
    // A tie has exactly one digit more than the shortest; 40 digits show whether more follow.
    let (exact, _) = split_scientific(&format!("{number:.40e}"));
    let (even, beyond) = exact.split_at(digits.len());
    let is_tie = beyond.strip_prefix('5').is_some_and(|rest| rest.bytes().all(|byte| byte == b'0'));
    let is_even = even.ends_with(['0', '2', '4', '6', '8']);
    if is_tie && is_even && scientific(even, exponent).parse() == Ok(number) {
        return (even.to_owned(), exponent);
    }
    (digits, exponent)
}

/// Splits a number in Rust's scientific notation into digits and exponent.
fn split_scientific(text: &str) -> (String, i32) {
    let (mantissa, exponent) = text.split_once('e').unwrap_or((text, "0"));
    (mantissa.replace('.', ""), exponent.parse().unwrap_or(0))
}

fn fixed(digits: &str, exponent: i32) -> String {
    if exponent < 0 {
        return format!("0.{}{digits}", "0".repeat((-exponent - 1) as usize));
    }
    let whole = exponent as usize + 1;
    if digits.len() <= whole {
        return format!("{digits}{}.0", "0".repeat(whole - digits.len()));
    }
    format!("{}.{}", &digits[..whole], &digits[whole..])
}

fn scientific(digits: &str, exponent: i32) -> String {
    let rest = if digits.len() > 1 { &digits[1..] } else { "0" };
    let sign = if exponent < 0 { '-' } else { '+' };
    format!("{}.{rest}e{sign}{:02}", &digits[..1], exponent.abs())
}

/// Rounds to the nearest integer, halves away from zero, as `Float#round` does.
pub fn round(number: f64) -> Result<BigInt, RubyError> {
    truncate(number.round())
}

/// Rounds down, as `Float#floor` does.
pub fn floor(number: f64) -> Result<BigInt, RubyError> {
    truncate(number.floor())
}

/// Rounds up, as `Float#ceil` does.
pub fn ceil(number: f64) -> Result<BigInt, RubyError> {
    truncate(number.ceil())
}

/// Returns the whole part, as `Float#to_i` does. Infinities and NaN have none.
pub fn truncate(number: f64) -> Result<BigInt, RubyError> {
    BigInt::from_f64(number).ok_or_else(|| RubyError::new("FloatDomainError", to_s(number)))
}

/// Parses a text that must be a number as a whole, as `Float("…")` does.
pub fn parse(text: &str) -> Result<f64, RubyError> {
    if text.contains('\0') {
        return Err(RubyError::argument("string for Float contains null byte"));
    }
    let refused = || {
        RubyError::argument(format!(
            "invalid value for Float(): {}",
            inspect_bytes(text.as_bytes())
        ))
    };
    let trimmed = text.trim_matches(is_space);
    let (number, rest) = scan(trimmed, true).ok_or_else(refused)?;
    if rest.is_empty() { Ok(number) } else { Err(refused()) }
}

/// Parses the number that a text starts with, or zero, as `String#to_f` does.
pub fn to_f(text: &str) -> f64 {
    scan(text.trim_start_matches(is_space), false).map_or(0.0, |(number, _)| number)
}

pub(super) fn is_space(c: char) -> bool {
    matches!(c, ' ' | '\t'..='\r')
}

/// Parses the number at the start; returns the rest too. `String#to_f` accepts hexadecimal numbers only behind a sign.
fn scan(text: &str, strict: bool) -> Option<(f64, &str)> {
    let unsigned = text.strip_prefix(['+', '-']).unwrap_or(text);
    let sign = if text.starts_with('-') { -1.0 } else { 1.0 };
    if (strict || unsigned.len() < text.len())
        && unsigned.get(..2).is_some_and(|p| p.eq_ignore_ascii_case("0x"))
    {
        return scan_hex(&unsigned[2..]).map(|(number, rest)| (sign * number, rest));
    }
    let (whole, rest) = take_digits(unsigned, |c| c.is_ascii_digit());
    if whole.is_empty() && (strict || !rest.starts_with('.')) {
        // `Float(".5")` is valid, `Float(".")` is not.
        if !(strict && rest.starts_with('.')) {
            return None;
        }
    }
    let (fraction, rest) =
        match rest.strip_prefix('.').map(|r| take_digits(r, |c| c.is_ascii_digit())) {
            Some((fraction, rest)) if !fraction.is_empty() => (fraction, rest),
            _ => (String::new(), rest),
        };
    if whole.is_empty() && fraction.is_empty() {
        return None;
    }
    let (exponent, rest) = scan_exponent(rest, 'e');
    let digits = format!("{}{whole}.{fraction}e{exponent}", if sign < 0.0 { "-" } else { "" });
    Some((digits.parse().ok()?, rest))
}

/// Parses `0x1.8p3` without the prefix.
fn scan_hex(text: &str) -> Option<(f64, &str)> {
    let (whole, rest) = take_digits(text, |c| c.is_ascii_hexdigit());
    if whole.is_empty() {
        return None;
    }
    let (fraction, rest) =
        match rest.strip_prefix('.').map(|r| take_digits(r, |c| c.is_ascii_hexdigit())) {
            Some((fraction, rest)) if !fraction.is_empty() => (fraction, rest),
            Some(_) => return None,
            None => (String::new(), rest),
        };
    let has_exponent = rest.starts_with(['p', 'P']);
    let (exponent, rest) = scan_exponent(rest, 'p');
    if !has_exponent && !fraction.is_empty() {
        return None;
    }
    let exponent: i32 = exponent.parse().unwrap_or(0);
    let mantissa = BigInt::from_digits(false, &format!("{whole}{fraction}"), 16).to_f64();
    let scale = exponent.saturating_sub(4 * i32::try_from(fraction.len()).unwrap_or(i32::MAX));
    Some((mantissa * 2f64.powi(scale), rest))
}

/// Parses an exponent, `0` if there is none; a letter without digits belongs to the rest.
fn scan_exponent(text: &str, letter: char) -> (String, &str) {
    let none = ("0".to_owned(), text);
    let Some(rest) = text.strip_prefix([letter, letter.to_ascii_uppercase()]) else { return none };
    let (sign, rest) = match rest.strip_prefix('-') {
        Some(rest) => ("-", rest),
        None => ("", rest.strip_prefix('+').unwrap_or(rest)),
    };
    let (digits, rest) = take_digits(rest, |c| c.is_ascii_digit());
    if digits.is_empty() {
        return none;
    }
    // More digits than this give zero or infinity in any case.
    let digits = digits.trim_start_matches('0');
    (
        format!(
            "{sign}{}",
            if digits.is_empty() { "0" } else { digits.get(..6).unwrap_or(digits) }
        ),
        rest,
    )
}

/// Takes digits with single underscores between them.
fn take_digits(text: &str, is_digit: fn(char) -> bool) -> (String, &str) {
    let mut digits = String::new();
    let mut rest = text;
    loop {
        let next = if digits.is_empty() { rest } else { rest.strip_prefix('_').unwrap_or(rest) };
        match next.chars().next().filter(|&c| is_digit(c)) {
            Some(digit) => digits.push(digit),
            None => return (digits, rest),
        }
        rest = &next[1..];
    }
}
