//! Values from msgpack.

use super::{Read, Token};
use crate::XppError;

/// Reads msgpack.
pub(super) struct MsgpackReader<'b> {
    bytes: &'b [u8],
    /// How many bytes must be left after the extension that is being read.
    after_extension: usize,
}

impl<'b> MsgpackReader<'b> {
    pub(super) fn new(bytes: &'b [u8]) -> Self {
        Self { bytes, after_extension: 0 }
    }

    fn array<const N: usize>(&mut self) -> Result<[u8; N], XppError> {
        let (head, rest) = self.bytes.split_first_chunk().ok_or(XppError::Truncated)?;
        self.bytes = rest;
        Ok(*head)
    }

    /// A length in so many bytes.
    fn length(&mut self, n_bytes: u8) -> Result<usize, XppError> {
        let length = match n_bytes {
            1 => u32::from(u8::from_be_bytes(self.array()?)),
            2 => u32::from(u16::from_be_bytes(self.array()?)),
            _ => u32::from_be_bytes(self.array()?),
        };
        Ok(length as usize)
    }

    fn text(&mut self, len: usize) -> Result<Token, XppError> {
        let (head, rest) = self.bytes.split_at_checked(len).ok_or(XppError::Truncated)?;
        self.bytes = rest;
        let text = str::from_utf8(head).map_err(|_| XppError::Corrupt("a string is not UTF-8"))?;
        Ok(Token::Text(text.to_owned()))
    }

    fn extension(&mut self, len: usize) -> Result<Token, XppError> {
        let [code] = self.array()?;
        self.after_extension = self.bytes.len().checked_sub(len).ok_or(XppError::Truncated)?;
        Ok(Token::Extension(code))
    }
}

impl Read for MsgpackReader<'_> {
    fn next(&mut self) -> Result<Token, XppError> {
        let [first] = self.array()?;
        match first {
            0x00..=0x7F => Ok(Token::Integer(first.into())),
            0xE0..=0xFF => Ok(Token::Integer(i8::from_be_bytes([first]).into())),
            0xA0..=0xBF => self.text(usize::from(first & 0x1F)),
            0xD9..=0xDB => {
                let len = self.length(1 << (first - 0xD9))?;
                self.text(len)
            }
            0xC0 => Ok(Token::Undef),
            0xC2 => Ok(Token::Boolean(false)),
            0xC3 => Ok(Token::Boolean(true)),
            0xCC => Ok(Token::Integer(u8::from_be_bytes(self.array()?).into())),
            0xCD => Ok(Token::Integer(u16::from_be_bytes(self.array()?).into())),
            0xCE => Ok(Token::Integer(u32::from_be_bytes(self.array()?).into())),
            0xCF => i64::try_from(u64::from_be_bytes(self.array()?))
                .map(Token::Integer)
                .map_err(|_| XppError::Corrupt("an integer is too large")),
            0xD0 => Ok(Token::Integer(i8::from_be_bytes(self.array()?).into())),
            0xD1 => Ok(Token::Integer(i16::from_be_bytes(self.array()?).into())),
            0xD2 => Ok(Token::Integer(i32::from_be_bytes(self.array()?).into())),
            0xD3 => Ok(Token::Integer(i64::from_be_bytes(self.array()?))),
            0xCA => Ok(Token::Float(f32::from_be_bytes(self.array()?).into())),
            0xCB => Ok(Token::Float(f64::from_be_bytes(self.array()?))),
            0xD4..=0xD8 => self.extension(1 << (first - 0xD4)),
            0xC7..=0xC9 => {
                let len = self.length(1 << (first - 0xC7))?;
                self.extension(len)
            }
            _ => Err(XppError::Corrupt("there is a value of another kind")),
        }
    }

    fn end_extension(&mut self) -> Result<(), XppError> {
        match self.bytes.len() == self.after_extension {
            true => Ok(()),
            false => Err(XppError::Corrupt("an extension is not as long as it says")),
        }
    }

    fn end(&mut self) -> Result<(), XppError> {
        match self.bytes {
            [] => Ok(()),
            _ => Err(XppError::Corrupt("there is more than one payload")),
        }
    }

    fn is_done(&mut self) -> bool {
        self.bytes.is_empty()
    }
}
