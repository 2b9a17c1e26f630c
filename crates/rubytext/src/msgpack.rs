//! Msgpack, one token at a time, on top of `rmp`.
//!
//! [`Writer`] puts each value into the fewest bytes, as the gem `msgpack` does. [`Reader`] allocates nothing, whatever
//! lengths hostile bytes have, and has no recursion: callers bound depth, and never allocate for a length that they
//! have only been promised.

use rmp::Marker;
use rmp::decode::{self, NumValueReadError};
use rmp::encode::{self, ByteBuf, ValueWriteError};

/// A value, or the start of one that has parts.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Token<'b> {
    /// `nil`
    Nil,
    /// `true` or `false`
    Bool(bool),
    /// An integer, of any of the ten forms.
    Int(i64),
    /// A floating-point number.
    Float(f64),
    /// A text.
    Str(&'b str),
    /// An array; so many values follow.
    Array(u32),
    /// A map; so many pairs of values follow.
    Map(u32),
    /// An extension with its code; so many bytes follow.
    Extension(u8, u32),
}

/// Why bytes are no msgpack, or none that is supported.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum MsgpackError {
    /// A value ends after the last byte.
    #[error("a value is cut off")]
    Truncated,
    /// An integer does not fit into 64 bits with a sign.
    #[error("an integer is too large")]
    TooLarge,
    /// A string has other bytes.
    #[error("a string is not UTF-8")]
    NotUtf8,
    /// Bytes without an encoding, or a code that msgpack has not assigned.
    #[error("there is a value of another kind")]
    OtherKind,
}

/// Reads tokens.
#[derive(Debug, Clone)]
pub struct Reader<'b> {
    rest: &'b [u8],
}

impl<'b> Reader<'b> {
    /// Starts at the first byte.
    pub fn new(bytes: &'b [u8]) -> Self {
        Self { rest: bytes }
    }

    /// Counts the bytes that are left.
    pub fn n_left(&self) -> usize {
        self.rest.len()
    }

    /// Reads a token.
    pub fn next_token(&mut self) -> Result<Token<'b>, MsgpackError> {
        let first = *self.rest.first().ok_or(MsgpackError::Truncated)?;
        let rest = &mut self.rest;
        Ok(match Marker::from_u8(first) {
            Marker::Null => decode::read_nil(rest).map(|()| Token::Nil).map_err(truncated)?,
            Marker::True | Marker::False => {
                Token::Bool(decode::read_bool(rest).map_err(truncated)?)
            }
            Marker::F32 => Token::Float(decode::read_f32(rest).map_err(truncated)?.into()),
            Marker::F64 => Token::Float(decode::read_f64(rest).map_err(truncated)?),
            Marker::FixStr(_) | Marker::Str8 | Marker::Str16 | Marker::Str32 => {
                let length = decode::read_str_len(rest).map_err(truncated)?;
                Token::Str(self.text(length)?)
            }
            Marker::FixArray(_) | Marker::Array16 | Marker::Array32 => {
                Token::Array(decode::read_array_len(rest).map_err(truncated)?)
            }
            Marker::FixMap(_) | Marker::Map16 | Marker::Map32 => {
                Token::Map(decode::read_map_len(rest).map_err(truncated)?)
            }
            Marker::FixExt1
            | Marker::FixExt2
            | Marker::FixExt4
            | Marker::FixExt8
            | Marker::FixExt16
            | Marker::Ext8
            | Marker::Ext16
            | Marker::Ext32 => {
                let meta = decode::read_ext_meta(rest).map_err(truncated)?;
                Token::Extension(meta.typeid.cast_unsigned(), meta.size)
            }
            Marker::Bin8 | Marker::Bin16 | Marker::Bin32 | Marker::Reserved => {
                return Err(MsgpackError::OtherKind);
            }
            _ => Token::Int(decode::read_int(rest).map_err(|error| match error {
                NumValueReadError::OutOfRange => MsgpackError::TooLarge,
                error => truncated(error),
            })?),
        })
    }

    fn text(&mut self, length: u32) -> Result<&'b str, MsgpackError> {
        let (text, rest) =
            self.rest.split_at_checked(length as usize).ok_or(MsgpackError::Truncated)?;
        self.rest = rest;
        str::from_utf8(text).map_err(|_| MsgpackError::NotUtf8)
    }
}

/// The form of a value is known from its first byte, so that only its end can be missing.
fn truncated<E>(_: E) -> MsgpackError {
    MsgpackError::Truncated
}

/// Writes tokens, each in the fewest bytes.
#[derive(Debug, Clone, Default)]
pub struct Writer {
    // Writing to it can't fail, so that results are dropped below.
    out: ByteBuf,
}

impl Writer {
    /// Starts with no bytes.
    pub fn new() -> Self {
        Self::default()
    }

    /// Returns the bytes.
    pub fn finish(self) -> Vec<u8> {
        self.out.into_vec()
    }

    /// Writes a token; the parts of an array, a map or an extension come next.
    pub fn write(&mut self, token: Token<'_>) {
        let out = &mut self.out;
        let _ = match token {
            Token::Nil => encode::write_nil(out).map_err(ValueWriteError::InvalidMarkerWrite),
            Token::Bool(value) => {
                encode::write_bool(out, value).map_err(ValueWriteError::InvalidMarkerWrite)
            }
            Token::Int(number) => encode::write_sint(out, number).map(|_| ()),
            Token::Float(number) => encode::write_f64(out, number),
            Token::Str(text) => encode::write_str(out, text),
            Token::Array(length) => encode::write_array_len(out, length).map(|_| ()),
            Token::Map(length) => encode::write_map_len(out, length).map(|_| ()),
            Token::Extension(code, length) => {
                encode::write_ext_meta(out, length, code.cast_signed()).map(|_| ())
            }
        };
    }

    /// Writes an extension, whose bytes another writer has.
    pub fn extension(&mut self, code: u8, body: Self) {
        let body = body.finish();
        self.write(Token::Extension(code, u32::try_from(body.len()).unwrap_or(u32::MAX)));
        self.out.as_mut_vec().extend_from_slice(&body);
    }
}

#[cfg(test)]
mod tests {
    use super::{MsgpackError, Reader, Token, Writer};

    #[test]
    fn tokens_come_back() {
        let long = "x".repeat(70_000);
        let numbers = [0, 127, 128, 255, 256, 65_535, 65_536, 1 << 32, i64::MAX];
        let numbers = numbers.into_iter().flat_map(|n| [n, -n, -n - 1]).map(Token::Int);
        let lengths = [0, 15, 16, 65_535, 65_536];
        let tokens: Vec<Token<'_>> = [Token::Nil, Token::Bool(true), Token::Bool(false)]
            .into_iter()
            .chain([Token::Float(0.1), Token::Str(""), Token::Str("é"), Token::Str(&long)])
            .chain([31, 32, 255, 256].map(|n| Token::Str(&long[..n])))
            .chain(lengths.map(Token::Array))
            .chain(lengths.map(Token::Map))
            .chain([1, 2, 3, 4, 8, 16, 17, 256, 65_536].map(|n| Token::Extension(0x30, n)))
            .chain(numbers)
            .collect();
        let mut writer = Writer::new();
        tokens.iter().for_each(|token| writer.write(*token));
        let bytes = writer.finish();
        let mut reader = Reader::new(&bytes);
        for token in tokens {
            assert_eq!(reader.next_token(), Ok(token));
        }
        assert_eq!(reader.next_token(), Err(MsgpackError::Truncated));
    }

    #[test]
    fn hostile_bytes_are_errors() {
        let error = |bytes: &[u8]| Reader::new(bytes).next_token().expect_err("it is refused");
        assert_eq!(error(&[]), MsgpackError::Truncated);
        assert_eq!(error(&[0xD3, 0]), MsgpackError::Truncated);
        assert_eq!(error(&[0xDB, 255, 255, 255, 255, 65]), MsgpackError::Truncated);
        assert_eq!(error(&[0xC1]), MsgpackError::OtherKind);
        assert_eq!(error(&[0xC4, 1, 1]), MsgpackError::OtherKind);
        assert_eq!(error(&[0xA1, 0xFF]), MsgpackError::NotUtf8);
        assert_eq!(error(&[&[0xCF][..], &[255; 8]].concat()), MsgpackError::TooLarge);
    }
}
