//! A call of a service: the message, the answer, and what can go wrong.

use std::fmt;
use std::io;
use std::time::Duration;

use crate::body::{BodyError, Held, Keep};
use crate::wire::{Head, Malformed, WireError};

/// A method of ICAP.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum IcapMethod {
    /// A request is adapted.
    Reqmod,
    /// A response is adapted.
    Respmod,
}

impl IcapMethod {
    /// Returns its name.
    pub fn name(self) -> &'static str {
        match self {
            Self::Reqmod => "REQMOD",
            Self::Respmod => "RESPMOD",
        }
    }
}

/// A message for a service.
#[derive(Clone, Debug)]
pub struct IcapRequest {
    /// The method.
    pub method: IcapMethod,
    /// The head of the HTTP request, with the empty line.
    pub request: Vec<u8>,
    /// The head of the HTTP response, with the empty line.
    pub response: Option<Vec<u8>>,
    /// Further fields of the ICAP message.
    pub fields: Vec<(String, Vec<u8>)>,
}

/// The answer of a service.
#[derive(Debug)]
pub enum IcapAnswer {
    /// The message stays as it is.
    Unchanged,
    /// The message is another one.
    Adapted {
        /// Its head.
        head: Head,
        /// Whether it is a response; to a request it is the answer in place of the server's.
        is_response: bool,
        /// Its body, whole.
        body: Option<Held<'static>>,
    },
}

/// Settings of a client.
#[derive(Clone, Debug)]
pub struct IcapSettings {
    /// The time for a connection.
    pub connect_time: Duration,
    /// The time for a whole call.
    pub time: Duration,
    /// The largest number of connections.
    pub connections: usize,
    /// The largest preview; `None`: as the service wants.
    pub preview: Option<usize>,
    /// Bounds of answers.
    pub keep: Keep,
}

impl Default for IcapSettings {
    fn default() -> Self {
        Self {
            connect_time: Duration::from_secs(2),
            time: Duration::from_secs(10),
            connections: 100,
            preview: None,
            keep: Keep::default(),
        }
    }
}

/// Reason why a service did not adapt a message.
#[derive(Debug)]
pub enum IcapError {
    /// It can't be reached.
    Connect(io::Error),
    /// It did not answer in time.
    Time,
    /// Its answer is malformed or truncated.
    Wire(WireError),
    /// It answered with another status than 200, 204 and 206.
    Status(u16),
    /// It does not accept the method.
    Method,
    /// It closed the connection without an answer.
    Closed,
    /// Its answer is too large, or can't be kept.
    Answer(BodyError),
    /// The body of the message can't be read; the service has no part in that.
    Body(BodyError),
}

impl fmt::Display for IcapError {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Connect(error) => write!(out, "no connection: {error}"),
            Self::Time => out.write_str("no answer in time"),
            Self::Wire(error) => write!(out, "bad answer: {error}"),
            Self::Status(status) => write!(out, "status {status}"),
            Self::Method => out.write_str("the service does not accept this method"),
            Self::Closed => out.write_str("the connection was closed without an answer"),
            Self::Answer(error) => write!(out, "the answer: {error}"),
            Self::Body(error) => write!(out, "the message: {error}"),
        }
    }
}

impl std::error::Error for IcapError {}

impl From<WireError> for IcapError {
    fn from(error: WireError) -> Self {
        Self::Wire(error)
    }
}

impl From<Malformed> for IcapError {
    fn from(reason: Malformed) -> Self {
        Self::Wire(reason.into())
    }
}
