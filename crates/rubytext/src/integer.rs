//! Integers as Ruby reads them.

use super::float::is_space;
use super::inspect::inspect;
use super::{BigInt, RubyError, RubyInteger as _};

/// Parses a text that must be an integer as a whole, as `Integer("…", radix)` does. Radix 0 follows the prefix.
pub fn parse(text: &str, radix: i64) -> Result<BigInt, RubyError> {
    check_length(text)?;
    let refused = || RubyError::argument(format!("invalid value for Integer(): {}", inspect(text)));
    let trimmed = text.trim_matches(is_space);
    let number = NumberScan::new(trimmed, radix)?.ok_or_else(refused)?;
    let complete = number.rest.is_empty() && !number.digits.is_empty();
    if complete { Ok(number.value()) } else { Err(refused()) }
}

/// The most bytes of a text that is read as an integer: the time that it takes grows with their square.
const MAX_LENGTH: usize = 1 << 16;

fn check_length(text: &str) -> Result<(), RubyError> {
    match text.len() > MAX_LENGTH {
        true => Err(RubyError::argument(format!(
            "the integer is too big: its text has more than {MAX_LENGTH} characters"
        ))),
        false => Ok(()),
    }
}

/// Parses the integer that a text starts with, or zero, as `String#to_i(radix)` does.
pub fn to_i(text: &str, radix: i64) -> Result<BigInt, RubyError> {
    check_length(text)?;
    if radix < 0 {
        return Err(invalid_radix(radix));
    }
    let number = NumberScan::new(text.trim_start_matches(is_space), radix)?;
    Ok(number.map_or_else(BigInt::default, |n| n.value()))
}

fn invalid_radix(radix: i64) -> RubyError {
    RubyError::argument(format!("invalid radix {radix}"))
}

struct NumberScan<'a> {
    negative: bool,
    radix: u32,
    digits: String,
    rest: &'a str,
}

impl<'a> NumberScan<'a> {
    /// Parses sign, prefix and digits; `None` if an underscore is misplaced.
    fn new(text: &'a str, radix: i64) -> Result<Option<Self>, RubyError> {
        let negative = text.starts_with('-');
        let unsigned = text.strip_prefix(['+', '-']).unwrap_or(text);
        let (radix, body, has_prefix) = split_prefix(unsigned, radix)?;
        // After `0x` there must be a digit; without one the zero of the prefix is the number.
        let starts = body.chars().next().is_some_and(|c| c.is_digit(radix));
        if has_prefix && !starts {
            return Ok(None);
        }
        let (digits, rest) = take_digits(body, radix);
        Ok(Some(Self { negative, radix, digits, rest }))
    }

    fn value(&self) -> BigInt {
        BigInt::from_digits(self.negative, &self.digits, self.radix)
    }
}

/// Splits off the prefix; returns the effective radix, the rest, and whether there was a prefix.
fn split_prefix(text: &str, radix: i64) -> Result<(u32, &str, bool), RubyError> {
    let named = match text.as_bytes() {
        [b'0', b'x' | b'X', ..] => Some(16),
        [b'0', b'b' | b'B', ..] => Some(2),
        [b'0', b'o' | b'O', ..] => Some(8),
        [b'0', b'd' | b'D', ..] => Some(10),
        _ => None,
    };
    let (actual, prefixed) = match (radix, named) {
        (0 | -36..=-2, Some(named)) => (named, true),
        (0 | -36..=-2, None) if text.starts_with('0') => (8, false),
        (0, None) => (10, false),
        // A negative radix applies to numbers without prefix.
        (-36..=-2, None) => (-radix as u32, false),
        (2..=36, _) => (radix as u32, named.is_some_and(|n| i64::from(n) == radix)),
        _ => return Err(invalid_radix(radix)),
    };
    Ok((actual, if prefixed { &text[2..] } else { text }, prefixed))
}

/// Takes digits with single underscores between them.
fn take_digits(text: &str, radix: u32) -> (String, &str) {
    let mut digits = String::new();
    let mut rest = text;
    loop {
        let next = if digits.is_empty() { rest } else { rest.strip_prefix('_').unwrap_or(rest) };
        match next.chars().next().filter(|c| c.is_digit(radix)) {
            Some(digit) => digits.push(digit),
            None => return (digits, rest),
        }
        rest = &next[1..];
    }
}
