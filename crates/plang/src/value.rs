//! Runtime values: small, copied, borrowed from the program or the message.

use crate::ip::Ip;
use crate::program::BlockId;
use crate::sets::{NetSet, TextSet};

/// A value.
#[derive(Clone, Copy, Debug)]
pub enum Value<'a> {
    /// The result of an action; also a singleton object.
    Nothing,
    /// `true`
    Boolean(bool),
    /// `42`
    Number(i64),
    /// `"text"`
    Text(&'a [u8]),
    /// `{ … }`
    Code(BlockId),
    /// An address.
    Ip(Ip),
    /// A header field built by the program, or a part of one.
    Header(&'a Field<'a>),
    /// The header fields of one side of the exchange.
    Headers(Side),
    /// A set of texts.
    Set(&'a TextSet),
    /// A set of networks.
    NetSet(&'a NetSet),
    /// A service, by its index in the registry.
    Service(u16),
}

/// A header field. A field without a value stands for any field of that name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Field<'a> {
    /// Its name as written.
    pub name: &'a [u8],
    /// Its value.
    pub value: Option<&'a [u8]>,
}

/// One side of an exchange.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Side {
    /// The request.
    Request,
    /// The response.
    Response,
}

impl<'a> Value<'a> {
    /// Returns the side whose header fields it stands for.
    pub fn side(self) -> Option<Side> {
        if let Self::Headers(side) = self { Some(side) } else { None }
    }

    /// Returns the boolean; the checker guarantees the type.
    pub fn boolean(self) -> bool {
        matches!(self, Self::Boolean(true))
    }

    /// Returns the number; the checker guarantees the type.
    pub fn number(self) -> i64 {
        if let Self::Number(number) = self { number } else { 0 }
    }

    /// Returns the text; the checker guarantees the type.
    pub fn text(self) -> &'a [u8] {
        if let Self::Text(text) = self { text } else { b"" }
    }
}

impl PartialEq for Value<'_> {
    fn eq(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Nothing, Self::Nothing) => true,
            (Self::Boolean(one), Self::Boolean(other)) => one == other,
            (Self::Number(one), Self::Number(other)) => one == other,
            (Self::Text(one), Self::Text(other)) => one == other,
            (Self::Code(one), Self::Code(other)) => one == other,
            (Self::Ip(one), Self::Ip(other)) => one == other,
            (Self::Header(one), Self::Header(other)) => one == other,
            (Self::Headers(one), Self::Headers(other)) => one == other,
            (Self::Set(one), Self::Set(other)) => std::ptr::eq(*one, *other),
            (Self::NetSet(one), Self::NetSet(other)) => std::ptr::eq(*one, *other),
            (Self::Service(one), Self::Service(other)) => one == other,
            _ => false,
        }
    }
}
