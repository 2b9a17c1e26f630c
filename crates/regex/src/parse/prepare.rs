//! Ruby's preparation of escapes, which precedes parsing.
//!
//! Escapes of bytes or code points (`\xE3\x81\x82`, `\u{3042}`, `\M-a`, `\C-a`) become the character itself, or `\xHH` if
//! that is ASCII. So the parser only meets `\xHH` below 0x80.

use std::borrow::Cow;
use std::fmt::Write;

use super::problem::{self, Problem};

/// Resolves the escapes of bytes and code points in `source`.
pub(crate) fn prepare(source: &str) -> Result<Cow<'_, str>, Problem> {
    if memchr::memchr(b'\\', source.as_bytes()).is_none() {
        return Ok(Cow::Borrowed(source));
    }
    let mut prepared = Preparation { source, at: 0, text: String::with_capacity(source.len()) };
    while let Some(length) = memchr::memchr(b'\\', prepared.rest().as_bytes()) {
        prepared.copy(length);
        prepared.escape()?;
    }
    prepared.copy(prepared.rest().len());
    Ok(Cow::Owned(prepared.text))
}

struct Preparation<'s> {
    source: &'s str,
    /// Always a character border when a method returns.
    at: usize,
    text: String,
}

impl<'s> Preparation<'s> {
    fn rest(&self) -> &'s str {
        &self.source[self.at..]
    }

    fn copy(&mut self, length: usize) {
        self.text.push_str(&self.rest()[..length]);
        self.at += length;
    }

    /// Copies or resolves the escape whose backslash is next.
    fn escape(&mut self) -> Result<(), Problem> {
        let Some(escaped) = self.rest()[1..].chars().next() else {
            return Err(problem::TOO_SHORT_ESCAPE);
        };
        match escaped {
            // It may be a reference to a group, which a rewritten escape could not be.
            '1'..='7' if octal(&self.rest().as_bytes()[1..]).0 <= 0o177 => self.copy(2),
            '0'..='7' | 'x' | 'c' | 'C' | 'M' => self.bytes()?,
            'u' => self.code_points()?,
            _ => self.copy(1 + escaped.len_utf8()),
        }
        Ok(())
    }

    /// Resolves as many escapes of bytes as make a character.
    fn bytes(&mut self) -> Result<(), Problem> {
        let source = self.source.as_bytes();
        let mut character = vec![escaped_byte(source, &mut self.at)?];
        loop {
            match std::str::from_utf8(&character) {
                Ok(text) => {
                    self.push(text.chars().next().expect("there is a byte"));
                    return Ok(());
                }
                Err(error) if error.error_len().is_some() => {
                    return Err(problem::INVALID_MULTIBYTE);
                }
                Err(_) => character.push(escaped_byte(source, &mut self.at)?),
            }
        }
    }

    /// Resolves `\uHHHH` or `\u{H HH …}`.
    fn code_points(&mut self) -> Result<(), Problem> {
        self.at += 2;
        match self.rest().as_bytes().first() {
            None => Err(problem::TOO_SHORT_ESCAPE),
            Some(b'{') => {
                self.at += 1;
                self.code_point_list()
            }
            Some(_) => {
                let (code, n_digits) = hexadecimal(self.rest().as_bytes(), 4);
                if n_digits != 4 {
                    return Err(problem::INVALID_UNICODE_ESCAPE);
                }
                self.at += 4;
                self.code_point(code)
            }
        }
    }

    fn code_point_list(&mut self) -> Result<(), Problem> {
        let mut is_empty = true;
        loop {
            self.at += self.rest().bytes().take_while(|&byte| is_space(byte)).count();
            // More than six digits are too big in any case.
            let (code, n_digits) = hexadecimal(self.rest().as_bytes(), 7);
            match n_digits {
                0 => break,
                7.. => return Err(problem::INVALID_UNICODE_RANGE),
                _ => self.at += n_digits,
            }
            self.code_point(code)?;
            is_empty = false;
        }
        if is_empty || !self.rest().starts_with('}') {
            return Err(problem::INVALID_UNICODE_LIST);
        }
        self.at += 1;
        Ok(())
    }

    fn code_point(&mut self, code: u32) -> Result<(), Problem> {
        let character = char::from_u32(code).ok_or(problem::INVALID_UNICODE_RANGE)?;
        self.push(character);
        Ok(())
    }

    fn push(&mut self, character: char) {
        if character.is_ascii() {
            write!(self.text, "\\x{:02X}", u32::from(character)).expect("a string takes all text");
        } else {
            self.text.push(character);
        }
    }
}

/// Parses the escape at `at` and returns its byte.
fn escaped_byte(source: &[u8], at: &mut usize) -> Result<u8, Problem> {
    if source.get(*at) != Some(&b'\\') {
        return Err(problem::TOO_SHORT_MULTIBYTE);
    }
    *at += 1;
    let (mut is_meta, mut is_control) = (false, false);
    let byte = loop {
        let &kind = source.get(*at).ok_or(problem::TOO_SHORT_ESCAPE)?;
        *at += 1;
        match kind {
            b'M' if is_meta => return Err(problem::DUPLICATE_META),
            b'M' => {
                is_meta = true;
                expect_dash(source, at, problem::TOO_SHORT_META)?;
            }
            b'C' | b'c' => {
                if kind == b'C' {
                    expect_dash(source, at, problem::TOO_SHORT_CONTROL)?;
                }
                if is_control {
                    return Err(problem::DUPLICATE_CONTROL);
                }
                is_control = true;
            }
            _ => break simple_byte(kind, source, at)?,
        }
        let short = if kind == b'M' { problem::TOO_SHORT_META } else { problem::TOO_SHORT_CONTROL };
        match source.get(*at) {
            Some(b'\\') => *at += 1,
            Some(&byte) if byte.is_ascii() => {
                *at += 1;
                break byte;
            }
            _ => return Err(short),
        }
    };
    let byte = if is_control { byte & 0x1F } else { byte };
    Ok(if is_meta { byte | 0x80 } else { byte })
}

fn expect_dash(source: &[u8], at: &mut usize, short: Problem) -> Result<(), Problem> {
    if source.get(*at) != Some(&b'-') {
        return Err(short);
    }
    *at += 1;
    Ok(())
}

fn simple_byte(kind: u8, source: &[u8], at: &mut usize) -> Result<u8, Problem> {
    Ok(match kind {
        b'\\' => b'\\',
        b'n' => b'\n',
        b't' => b'\t',
        b'r' => b'\r',
        b'f' => 0x0C,
        b'v' => 0x0B,
        b'a' => 0x07,
        b'e' => 0x1B,
        b'0'..=b'7' => {
            let (code, n_digits) = octal(&source[*at - 1..]);
            *at += n_digits - 1;
            u8::try_from(code).map_err(|_| problem::INVALID_ESCAPE_CODE)?
        }
        b'x' => {
            let (code, n_digits) = hexadecimal(&source[*at..], 2);
            if n_digits == 0 {
                return Err(problem::INVALID_HEX);
            }
            *at += n_digits;
            u8::try_from(code).expect("two digits make a byte")
        }
        _ => return Err(problem::UNEXPECTED_ESCAPE),
    })
}

/// Parses up to three octal digits; returns the number and how many digits it has.
fn octal(bytes: &[u8]) -> (u32, usize) {
    number(bytes, 3, 8)
}

fn hexadecimal(bytes: &[u8], max_digits: usize) -> (u32, usize) {
    number(bytes, max_digits, 16)
}

fn number(bytes: &[u8], max_digits: usize, base: u32) -> (u32, usize) {
    let digits = bytes.iter().take(max_digits).map_while(|&byte| char::from(byte).to_digit(base));
    digits.fold((0, 0), |(value, n_digits), digit| (value * base + digit, n_digits + 1))
}

fn is_space(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t'..=b'\r')
}
