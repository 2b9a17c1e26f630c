//! Reader of values from msgpack.

use kukla_rubytext::msgpack::{self, MsgpackError, Reader};

use super::{Read, Token};
use crate::XppError;

/// Reads msgpack.
pub(super) struct MsgpackReader<'b> {
    reader: Reader<'b>,
    /// The number of bytes that must be left after the extension that is being read.
    after_extension: usize,
}

impl<'b> MsgpackReader<'b> {
    pub(super) fn new(bytes: &'b [u8]) -> Self {
        Self { reader: Reader::new(bytes), after_extension: 0 }
    }

    fn extension(&mut self, code: u8, len: u32) -> Result<Token, XppError> {
        let left = self.reader.n_left().checked_sub(len as usize);
        self.after_extension = left.ok_or(XppError::Truncated)?;
        Ok(Token::Extension(code))
    }
}

impl Read for MsgpackReader<'_> {
    fn next(&mut self) -> Result<Token, XppError> {
        match self.reader.next_token().map_err(error)? {
            msgpack::Token::Nil => Ok(Token::Undef),
            msgpack::Token::Bool(value) => Ok(Token::Boolean(value)),
            msgpack::Token::Int(number) => Ok(Token::Integer(number)),
            msgpack::Token::Float(number) => Ok(Token::Float(number)),
            msgpack::Token::Str(text) => Ok(Token::Text(text.to_owned())),
            msgpack::Token::Extension(code, len) => self.extension(code, len),
            msgpack::Token::Array(_) | msgpack::Token::Map(_) => Err(OTHER_KIND),
        }
    }

    fn end_extension(&mut self) -> Result<(), XppError> {
        match self.reader.n_left() == self.after_extension {
            true => Ok(()),
            false => Err(XppError::Corrupt("an extension is not as long as it says")),
        }
    }

    fn end(&mut self) -> Result<(), XppError> {
        match self.reader.n_left() {
            0 => Ok(()),
            _ => Err(XppError::Corrupt("there is more than one payload")),
        }
    }

    fn is_done(&mut self) -> bool {
        self.reader.n_left() == 0
    }
}

const OTHER_KIND: XppError = XppError::Corrupt("there is a value of another kind");

fn error(error: MsgpackError) -> XppError {
    match error {
        MsgpackError::Truncated => XppError::Truncated,
        MsgpackError::TooLarge => XppError::Corrupt("an integer is too large"),
        MsgpackError::NotUtf8 => XppError::Corrupt("a string is not UTF-8"),
        MsgpackError::OtherKind => OTHER_KIND,
    }
}
