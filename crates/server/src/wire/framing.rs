//! Framing: where a body ends.

use bytes::BytesMut;

use super::{Chunks, Extensions, Head, Malformed, Piece};

/// The way in which the end of a body is known.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Framing {
    /// There is no body.
    None,
    /// `Content-Length`
    Length(u64),
    /// `Transfer-Encoding: chunked`
    Chunked,
    /// The end of the connection.
    UntilClose,
}

impl Framing {
    /// Returns the framing of a request.
    pub fn of_request(head: &Head, is_1_1: bool) -> Result<Self, Malformed> {
        match declared(head, is_1_1)? {
            None | Some(Self::Length(0)) => Ok(Self::None),
            Some(framing) => Ok(framing),
        }
    }

    /// Returns the framing of a response to a request with that method.
    pub fn of_response(
        head: &Head,
        status: u16,
        is_1_1: bool,
        method: &[u8],
    ) -> Result<Self, Malformed> {
        let declared = declared(head, is_1_1)?;
        if method == b"HEAD" || matches!(status, 100..200 | 204 | 304) {
            return Ok(Self::None);
        }
        Ok(declared.unwrap_or(Self::UntilClose))
    }

    /// Returns the size of the body, if the head says it.
    pub fn size(self) -> Option<u64> {
        match self {
            Self::None => Some(0),
            Self::Length(size) => Some(size),
            Self::Chunked | Self::UntilClose => None,
        }
    }
}

/// Returns the framing that the fields declare. Two declarations are refused, even if they agree.
fn declared(head: &Head, is_1_1: bool) -> Result<Option<Framing>, Malformed> {
    let length = head.only("content-length").map_err(|_| Malformed::Length)?;
    let coding = head.only("transfer-encoding").map_err(|_| Malformed::Coding)?;
    match (length, coding) {
        (None, None) => Ok(None),
        (Some(_), Some(_)) => Err(Malformed::Length),
        (Some(length), None) => Ok(Some(Framing::Length(number(length).ok_or(Malformed::Length)?))),
        (None, Some(coding)) if is_1_1 && coding.eq_ignore_ascii_case(b"chunked") => {
            Ok(Some(Framing::Chunked))
        }
        (None, Some(_)) => Err(Malformed::Coding),
    }
}

/// Parses a number of digits only.
pub(super) fn number(text: &[u8]) -> Option<u64> {
    let is_number = (1..=18).contains(&text.len()) && text.iter().all(u8::is_ascii_digit);
    is_number.then(|| text.iter().fold(0, |sum, digit| sum * 10 + u64::from(digit - b'0')))
}

/// A body that is being read.
#[derive(Clone, Debug)]
pub enum Decoder {
    /// So many bytes are left.
    Length(u64),
    /// Chunks.
    Chunks(Chunks),
    /// Everything until the connection ends.
    UntilClose,
}

impl Decoder {
    /// Creates a reader of a body of HTTP.
    pub fn new(framing: Framing) -> Self {
        match framing {
            Framing::None => Self::Length(0),
            Framing::Length(size) => Self::Length(size),
            Framing::Chunked => Self::Chunks(Chunks::new(Extensions::Refused)),
            Framing::UntilClose => Self::UntilClose,
        }
    }

    /// Takes the next part out of a buffer.
    pub fn take(&mut self, buffer: &mut BytesMut) -> Result<Piece, Malformed> {
        match self {
            Self::Length(0) => Ok(Piece::End),
            Self::Chunks(chunks) => chunks.take(buffer),
            Self::Length(_) | Self::UntilClose if buffer.is_empty() => Ok(Piece::More),
            Self::Length(left) => {
                let length = usize::try_from(*left).unwrap_or(usize::MAX).min(buffer.len());
                *left -= length as u64;
                Ok(Piece::Data(buffer.split_to(length).freeze()))
            }
            Self::UntilClose => Ok(Piece::Data(buffer.split().freeze())),
        }
    }

    /// Whether the end was read.
    pub fn is_done(&self) -> bool {
        match self {
            Self::Length(left) => *left == 0,
            Self::Chunks(chunks) => chunks.is_done(),
            Self::UntilClose => false,
        }
    }

    /// Whether the end of the connection is the end of the body.
    pub fn ends_with_connection(&self) -> bool {
        matches!(self, Self::UntilClose)
    }
}
