//! Messages of HTTP/1 and ICAP as bytes: heads, framing and chunks.
//!
//! One strict reader for everything that arrives: clients, servers, ICAP clients and services. Where implementations
//! differ on the meaning of a message, it is refused ([`Malformed`]) and never repaired, because a program of P would
//! decide about another message than the server gets. Start at [`Input`], then [`Head`] and [`Framing`].
//!
//! Invariant: sizes are bounded before memory is taken, and reading can be cancelled between any two bytes.

mod chunks;
mod framing;
mod head;
mod input;
mod start;

use std::fmt;
use std::io;

pub use chunks::{Chunks, Extensions, Piece, chunk, last_chunk};
pub use framing::{Decoder, Framing};
pub use head::{Fields, Head, HeadLimits, Repeated, is_token};
pub use input::Input;
pub use start::{RequestLine, StatusLine, Target};

/// Reason why bytes are no message that everyone understands in the same way.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Malformed {
    /// The head is larger than the limit.
    HeadTooLarge,
    /// The head has more fields than the limit.
    TooManyFields,
    /// A line ends with a line feed alone, or has a carriage return inside.
    LineEnd,
    /// A field continues on the next line.
    Folded,
    /// A field has no colon, or its name is not a token.
    FieldName,
    /// A value has a control character.
    FieldValue,
    /// The first line is not that of a request or response.
    StartLine,
    /// The version of the protocol is not known.
    Version,
    /// The method has other characters than capital letters and `-`.
    Method,
    /// The target is not a path, or not the target of this method.
    Target,
    /// `Host` is missing, is there twice, or names no host.
    Host,
    /// The length is given twice, in two ways, or is no number.
    Length,
    /// The transfer coding is not `chunked`, or can't be used in this message.
    Coding,
    /// A chunk has a malformed size, an extension, or a wrong end.
    Chunk,
    /// The trailer is malformed or too large.
    Trailer,
    /// `Encapsulated` does not describe the message.
    Encapsulated,
    /// A field of ICAP has a malformed value, or is missing.
    IcapField,
}

impl Malformed {
    /// Returns the reason in words.
    pub fn words(self) -> &'static str {
        match self {
            Self::HeadTooLarge => "the head is too large",
            Self::TooManyFields => "there are too many header fields",
            Self::LineEnd => "a line does not end with CR LF",
            Self::Folded => "a header field continues on the next line",
            Self::FieldName => "a header field has no valid name",
            Self::FieldValue => "a header field has a control character",
            Self::StartLine => "the first line is malformed",
            Self::Version => "the version of the protocol is not supported",
            Self::Method => "the method is malformed",
            Self::Target => "the target is malformed",
            Self::Host => "the host is missing, ambiguous or malformed",
            Self::Length => "the length is ambiguous or malformed",
            Self::Coding => "the transfer coding is not supported",
            Self::Chunk => "a chunk is malformed",
            Self::Trailer => "the trailer is malformed",
            Self::Encapsulated => "`Encapsulated` does not describe the message",
            Self::IcapField => "a header field of ICAP is malformed or missing",
        }
    }
}

/// Reason why a message can't be read.
#[derive(Debug)]
pub enum WireError {
    /// It is malformed.
    Malformed(Malformed),
    /// The connection ended inside of it.
    Truncated,
    /// The connection failed.
    Io(io::Error),
}

impl fmt::Display for WireError {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Malformed(reason) => out.write_str(reason.words()),
            Self::Truncated => out.write_str("the connection ended inside of a message"),
            Self::Io(error) => error.fmt(out),
        }
    }
}

impl std::error::Error for WireError {}

impl From<io::Error> for WireError {
    fn from(error: io::Error) -> Self {
        Self::Io(error)
    }
}

impl From<Malformed> for WireError {
    fn from(reason: Malformed) -> Self {
        Self::Malformed(reason)
    }
}

#[cfg(test)]
mod tests;
