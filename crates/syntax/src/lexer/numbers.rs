//! Numbers, and words that look like one.

use kukla_base::{Diagnostic, Span};

use super::chars::{ends_word, is_digit, skip_digits, skip_word};
use super::{Lexer, offset};
use crate::issues;
use crate::token::TokenKind;

impl Lexer<'_, '_> {
    /// Lexes `10`, `0x1F`, `017`, `1.5`, `1e-3`.
    #[inline(never)]
    pub(super) fn number(&mut self) {
        let start = self.pos;
        match self.scan_number(start) {
            None => self.not_a_number(start),
            Some(end) => match self.malformed(start, end) {
                Some(diagnostic) => self.error(diagnostic, end),
                None => {
                    let text = self.slice(start, end);
                    self.push(TokenKind::Number, start, end, text);
                    self.pos = end;
                }
            },
        }
    }

    /// Returns the end of the number at `start`: the longest of the forms that ends where a word ends.
    fn scan_number(&self, start: usize) -> Option<usize> {
        let bytes = self.bytes;
        if bytes[start] == b'0' && matches!(bytes.get(start + 1), Some(b'x' | b'X')) {
            let digits = start + 2;
            let mut end = digits;
            while bytes.get(end).is_some_and(u8::is_ascii_hexdigit) {
                end += 1;
            }
            return (end > digits && ends_word(&self.text[end..])).then_some(end);
        }
        let integer = skip_digits(bytes, start);
        let fraction = match bytes[integer..] {
            [b'.', first, ..] if is_digit(first) => skip_digits(bytes, integer + 1),
            _ => integer,
        };
        [self.exponent(fraction), fraction, self.exponent(integer), integer]
            .into_iter()
            .find(|&end| ends_word(&self.text[end..]))
    }

    /// Returns the end of the exponent at `at`, or `at` if there is none.
    fn exponent(&self, at: usize) -> usize {
        let digits = match self.bytes[at..] {
            [b'e' | b'E', b'-', ..] => at + 2,
            [b'e' | b'E', ..] => at + 1,
            _ => return at,
        };
        let end = skip_digits(self.bytes, digits);
        if end > digits { end } else { at }
    }

    /// Lexes a word that starts with a digit and is no number, with the digits and the dot before it.
    fn not_a_number(&mut self, start: usize) {
        let end = skip_word(self.bytes, start);
        let mut from = start;
        if start > 1 && self.bytes[start - 1] == b'.' {
            let mut at = start - 1;
            while at > 0 && is_digit(self.bytes[at - 1]) {
                at -= 1;
                from = at;
            }
        }
        let diagnostic = self.malformed(from, end).unwrap_or_else(|| {
            let span = self.global(Span::between(offset(from), offset(end)));
            issues::illegal_number(span, span.start + 1, &self.text[from..end])
        });
        self.error(diagnostic, end);
    }

    /// Returns the error in the digits of a number.
    fn malformed(&self, start: usize, end: usize) -> Option<Diagnostic> {
        let value = &self.text[start..end];
        let bytes = value.as_bytes();
        let span = || self.global(Span::between(offset(start), offset(end)));
        match *bytes {
            [b'0', b'x' | b'X', ref digits @ ..] => {
                let fine = !digits.is_empty() && digits.iter().all(u8::is_ascii_hexdigit);
                (!fine).then(|| issues::invalid_hex_number(span(), value))
            }
            [b'0', second, ..] if second != b'.' => {
                let fine = bytes.iter().all(|digit| (b'0'..=b'7').contains(digit));
                (!fine).then(|| issues::invalid_octal_number(span(), value))
            }
            _ => match bytes.get(skip_digits(bytes, 0)) {
                None => None,
                Some(b'e' | b'E' | b'.') => {
                    if !is_decimal(value) {
                        Some(issues::invalid_decimal_number(span(), value))
                    } else if is_out_of_range(value) {
                        Some(issues::number_out_of_range(span(), value))
                    } else {
                        None
                    }
                }
                Some(_) => Some(issues::illegal_number(span(), span().start, value)),
            },
        }
    }
}

/// Returns true if Puppet refuses a float: it is infinite, or zero with an exponent.
fn is_out_of_range(value: &str) -> bool {
    let mantissa = value.split(['e', 'E']).next().unwrap_or(value);
    let is_zero = mantissa.bytes().all(|byte| matches!(byte, b'0' | b'.'));
    (is_zero && mantissa.len() < value.len()) || value.parse().is_ok_and(f64::is_infinite)
}

/// Matches `\d+(\.\d+)?([eE]-?\d+)?`.
fn is_decimal(value: &str) -> bool {
    let bytes = value.as_bytes();
    let mut at = skip_digits(bytes, 0);
    if bytes.get(at) == Some(&b'.') {
        let end = skip_digits(bytes, at + 1);
        if end == at + 1 {
            return false;
        }
        at = end;
    }
    if matches!(bytes.get(at), Some(b'e' | b'E')) {
        at += 1;
        if bytes.get(at) == Some(&b'-') {
            at += 1;
        }
        let end = skip_digits(bytes, at);
        if end == at {
            return false;
        }
        at = end;
    }
    at == bytes.len()
}
