//! Reader of values from JSON.

use super::{Read, Token};
use crate::XppError;

/// Reads JSON: nested arrays, of which only those that start an extension have a meaning.
pub(super) struct JsonReader<'t> {
    text: &'t str,
    at: usize,
    depth: usize,
    /// Whether a value ends here, so that a comma or a bracket must follow.
    after_value: bool,
}

const BAD: XppError = XppError::Corrupt("the JSON is not well formed");

impl<'t> JsonReader<'t> {
    pub(super) fn new(text: &'t str) -> Result<Self, XppError> {
        let mut reader = Self { text, at: 0, depth: 0, after_value: false };
        reader.skip_space();
        match reader.peek() {
            Some(b'[') => reader.open(),
            Some(_) => return Err(BAD),
            None => return Err(XppError::Truncated),
        }
        Ok(reader)
    }

    fn peek(&self) -> Option<u8> {
        self.text.as_bytes().get(self.at).copied()
    }

    fn skip_space(&mut self) {
        while matches!(self.peek(), Some(b' ' | b'\t' | b'\n' | b'\r')) {
            self.at += 1;
        }
    }

    fn open(&mut self) {
        self.at += 1;
        self.depth += 1;
        self.after_value = false;
    }

    /// Advances to the next value; `None` if there is none.
    fn seek(&mut self) -> Result<Option<u8>, XppError> {
        loop {
            self.skip_space();
            let Some(byte) = self.peek() else {
                return if self.depth == 0 { Ok(None) } else { Err(XppError::Truncated) };
            };
            match (byte, self.after_value) {
                (b']', true) if self.depth > 0 => self.depth -= 1,
                (b',', true) if self.depth > 0 => self.after_value = false,
                (b']' | b',', _) | (_, true) => return Err(BAD),
                (_, false) => return Ok(Some(byte)),
            }
            self.at += 1;
        }
    }

    fn plain(&mut self) -> Result<Token, XppError> {
        self.after_value = true;
        match self.peek() {
            None => Err(XppError::Truncated),
            Some(b'"') => self.string().map(Token::Text),
            Some(b'n') => self.word("null", Token::Undef),
            Some(b't') => self.word("true", Token::Boolean(true)),
            Some(b'f') => self.word("false", Token::Boolean(false)),
            Some(_) => self.number(),
        }
    }

    fn word(&mut self, word: &str, token: Token) -> Result<Token, XppError> {
        if !self.text[self.at..].starts_with(word) {
            return Err(BAD);
        }
        self.at += word.len();
        Ok(token)
    }

    fn number(&mut self) -> Result<Token, XppError> {
        let rest = &self.text[self.at..];
        let n_digits = rest.bytes().position(|byte| !byte.is_ascii_digit());
        let is_part =
            |byte: u8| byte.is_ascii_digit() || matches!(byte, b'+' | b'-' | b'.' | b'e' | b'E');
        let len = rest.bytes().position(|byte| !is_part(byte)).unwrap_or(rest.len());
        let digits = &rest[..len];
        self.at += len;
        let starts_well = digits.starts_with(|first: char| first.is_ascii_digit() || first == '-');
        let is_integer = n_digits == Some(len) || !digits.contains(['.', 'e', 'E']);
        match starts_well {
            false => Err(BAD),
            true if is_integer => digits.parse().map(Token::Integer).map_err(|_| BAD),
            true => digits.parse().map(Token::Float).map_err(|_| BAD),
        }
    }

    fn string(&mut self) -> Result<String, XppError> {
        self.at += 1;
        let mut string = String::new();
        loop {
            let rest = &self.text[self.at..];
            let len = memchr::memchr2(b'"', b'\\', rest.as_bytes()).ok_or(XppError::Truncated)?;
            string.push_str(&rest[..len]);
            self.at += len + 1;
            if rest.as_bytes()[len] == b'"' {
                return Ok(string);
            }
            string.push(self.escape()?);
        }
    }

    fn escape(&mut self) -> Result<char, XppError> {
        let byte = self.peek().ok_or(XppError::Truncated)?;
        self.at += 1;
        Ok(match byte {
            b'"' | b'\\' | b'/' => char::from(byte),
            b'n' => '\n',
            b'r' => '\r',
            b't' => '\t',
            b'f' => '\x0C',
            b'b' => '\x08',
            b'u' => return self.unicode(),
            _ => return Err(BAD),
        })
    }

    fn unicode(&mut self) -> Result<char, XppError> {
        let mut unit = self.code_unit()?;
        if let 0xD800..=0xDBFF = unit
            && self.text[self.at..].starts_with("\\u")
        {
            self.at += 2;
            let low = self.code_unit()?;
            let low = low.checked_sub(0xDC00).filter(|&low| low < 0x400).ok_or(BAD)?;
            unit = 0x1_0000 + ((unit - 0xD800) << 10) + low;
        }
        char::from_u32(unit).ok_or(BAD)
    }

    fn code_unit(&mut self) -> Result<u32, XppError> {
        let digits = self.text.get(self.at..self.at + 4).ok_or(BAD)?;
        let is_hex = digits.bytes().all(|byte| byte.is_ascii_hexdigit());
        self.at += 4;
        if is_hex { u32::from_str_radix(digits, 16).map_err(|_| BAD) } else { Err(BAD) }
    }
}

impl Read for JsonReader<'_> {
    fn next(&mut self) -> Result<Token, XppError> {
        match self.seek()? {
            None => Err(XppError::Truncated),
            Some(b'[') => {
                self.open();
                self.skip_space();
                match self.plain()? {
                    Token::Integer(code) => {
                        u8::try_from(code).map(Token::Extension).map_err(|_| BAD)
                    }
                    _ => Err(BAD),
                }
            }
            Some(_) => self.plain(),
        }
    }

    fn end_extension(&mut self) -> Result<(), XppError> {
        // The brackets have no meaning.
        Ok(())
    }

    fn end(&mut self) -> Result<(), XppError> {
        match self.seek()? {
            None => Ok(()),
            Some(_) => Err(XppError::Corrupt("there is more than one payload")),
        }
    }

    fn is_done(&mut self) -> bool {
        matches!(self.seek(), Ok(None))
    }
}
