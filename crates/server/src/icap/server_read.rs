//! Messages that an ICAP client sends, but for their bodies.

use std::sync::OnceLock;

use bumpalo::Bump;
use kukla_plang::ip::Ip;
use kukla_plang::message::{Clock, Message, Pair, Request, Response};

use super::call::IcapMethod;
use super::encapsulated::{Encapsulated, EncapsulatedBody};
use super::server::AskingProxy;
use crate::body::BodyError;
use crate::services::{Exchange, Subject, is_hop_by_hop};
use crate::wire::{Fields, Head, HeadLimits, Input, Malformed, RequestLine, StatusLine, WireError};

/// A message that was read, but for its body.
pub(super) struct Asked {
    pub(super) method: IcapMethod,
    pub(super) icap: Head,
    pub(super) heads: Heads,
    pub(super) has_body: bool,
    pub(super) preview: Option<u64>,
    exchange: OnceLock<Exchange>,
}

impl Asked {
    /// Returns a copy of the message, which most decisions do not need.
    pub(super) fn exchange(&self) -> &Exchange {
        self.exchange.get_or_init(|| self.heads.to_exchange())
    }
}

/// The heads of a message, which were checked.
pub(super) struct Heads {
    request: Option<Head>,
    response: Option<(u16, Head)>,
    client: Option<Ip>,
    is_response: bool,
    /// Whether the client wants to know which rules touched the message, where it may.
    pub(super) traces: bool,
}

impl Heads {
    /// Returns the status of the response.
    pub(super) fn status(&self) -> Option<u16> {
        self.response.as_ref().map(|(status, _)| *status)
    }

    /// Whether the request has a field of a name.
    pub(super) fn asks_for(&self, name: &str) -> bool {
        self.request.as_ref().is_some_and(|head| head.all(name).next().is_some())
    }

    fn check(&self) -> Result<(), Failed> {
        if let Some(head) = &self.request {
            RequestLine::parse(head)?.target()?;
        }
        match self.is_response {
            false if self.request.is_none() => Err(Malformed::Encapsulated.into()),
            true if self.response.is_none() => Err(Malformed::Encapsulated.into()),
            _ => Ok(()),
        }
    }

    /// Returns method, target and version of the request; without a head they are the least special ones.
    fn line(&self) -> (&[u8], &[u8], &'static str) {
        match self.request.as_ref().and_then(|head| RequestLine::parse(head).ok()) {
            Some(line) => {
                let version = if line.is_1_1 { "HTTP/1.1" } else { "HTTP/1.0" };
                (line.method, line.target, version)
            }
            None => (b"GET", b"/", "HTTP/1.1"),
        }
    }

    fn point(&self) -> Option<u8> {
        Some(if self.is_response { 3 } else { 1 })
    }

    fn to_exchange(&self) -> Exchange {
        let (method, target, version) = self.line();
        let copy = |head: &Head| -> Fields {
            own(head).map(|(name, value)| (name.to_vec(), value.to_vec())).collect()
        };
        let request = self.request.as_ref().map(copy);
        let response = self.response.as_ref().map(|(status, head)| (*status, copy(head)));
        Exchange {
            method: method.to_vec(),
            target: target.to_vec(),
            version,
            scheme: "http",
            is_persistent: true,
            point: self.point(),
            request: request.unwrap_or_default(),
            response,
            client: self.client,
            traces: self.traces,
            ..Exchange::default()
        }
    }
}

impl Subject for Heads {
    fn message<'a>(&'a self, clock: Clock, arena: &'a Bump) -> Message<'a> {
        let (method, target, version) = self.line();
        let pairs = |head: &'a Head| -> &'a [Pair<'a>] {
            let mut fields = own(head).map(|(name, value)| Pair { name, value });
            let blank = Pair { name: b"", value: b"" };
            arena.alloc_slice_fill_with(own(head).count(), |_| fields.next().unwrap_or(blank))
        };
        let request = Request {
            method,
            scheme: b"http",
            version: version.as_bytes(),
            headers: self.request.as_ref().map_or(&[], pairs),
            client: self.client,
            is_persistent: true,
            ..Request::default()
        };
        let response = self.response.as_ref();
        let response =
            response.map(|(status, head)| Response { status: *status, headers: pairs(head) });
        let message = Message::new(request.with_target(target, arena));
        Message { clock, response, point: self.point(), ..message }
    }

    fn is_response(&self) -> bool {
        self.response.is_some()
    }

    fn traces(&self) -> bool {
        self.traces
    }
}

/// Returns the fields of a head that programs see: those of the message, not of a connection.
fn own(head: &Head) -> impl Iterator<Item = (&[u8], &[u8])> {
    head.fields()
        .filter(|(name, _)| !is_hop_by_hop(name) || name.eq_ignore_ascii_case(b"content-length"))
}

/// Reason why a message gets no answer of a program.
pub(super) enum Failed {
    /// An error of ICAP, and the connection ends: the status, and the reason for the log.
    Status(u16, &'static str),
    /// The connection is gone.
    Gone,
}

impl From<std::io::Error> for Failed {
    fn from(_: std::io::Error) -> Self {
        Self::Gone
    }
}

impl From<Malformed> for Failed {
    fn from(reason: Malformed) -> Self {
        Self::Status(if reason == Malformed::Version { 505 } else { 400 }, reason.words())
    }
}

impl From<BodyError> for Failed {
    fn from(error: BodyError) -> Self {
        match error {
            BodyError::Wire(WireError::Malformed(reason)) => Self::Status(400, reason.words()),
            BodyError::Wire(_) => Self::Gone,
            BodyError::TooLarge => Self::Status(413, "the body is too large"),
            BodyError::Spool(_) => Self::Status(500, "the body can't be kept"),
        }
    }
}

impl From<WireError> for Failed {
    fn from(error: WireError) -> Self {
        BodyError::Wire(error).into()
    }
}

/// Returns method and path of a message.
pub(super) fn request_line(icap: &Head) -> Result<(&[u8], &[u8]), Failed> {
    let mut words = icap.line().split(|byte| *byte == b' ');
    let (Some(method), Some(url), Some(version), None) =
        (words.next(), words.next(), words.next(), words.next())
    else {
        return Err(Malformed::StartLine.into());
    };
    if version != b"ICAP/1.0" {
        let is_version = version.starts_with(b"ICAP/");
        return Err(if is_version { Malformed::Version } else { Malformed::StartLine }.into());
    }
    let rest = url.strip_prefix(b"icap://").or(url.strip_prefix(b"icaps://"));
    let rest = rest.ok_or(Malformed::Target)?;
    let missing = Failed::Status(404, "there is no such service");
    let at = memchr::memchr(b'/', rest).ok_or(missing)?;
    let path = &rest[at..];
    let end = memchr::memchr(b'?', path).unwrap_or(path.len());
    Ok((method, &path[..end]))
}

/// Reads the heads of the HTTP messages inside of a message.
pub(super) async fn read(
    stream: &mut AskingProxy,
    input: &mut Input,
    icap: Head,
    method: IcapMethod,
) -> Result<Asked, Failed> {
    let value = icap.only("encapsulated").map_err(|_| Malformed::Encapsulated)?;
    let parts = Encapsulated::parse(value.ok_or(Malformed::Encapsulated)?)?;
    let limits = HeadLimits::default();
    let (mut request, mut response) = (None, None);
    for (length, head) in [(parts.request, &mut request), (parts.response, &mut response)] {
        if let Some(length) = length {
            *head = Some(Head::parse(input.exactly(stream, length).await?, limits)?);
        }
    }
    let has_body = match (method, parts.body) {
        (_, EncapsulatedBody::None) => false,
        (IcapMethod::Reqmod, EncapsulatedBody::Request)
        | (IcapMethod::Respmod, EncapsulatedBody::Response) => true,
        _ => return Err(Malformed::Encapsulated.into()),
    };
    let preview = match icap.only("preview").map_err(|_| Malformed::IcapField)? {
        None => None,
        Some(digits) => {
            let is_number =
                (1..=9).contains(&digits.len()) && digits.iter().all(u8::is_ascii_digit);
            let number = std::str::from_utf8(digits).ok().and_then(|digits| digits.parse().ok());
            Some(number.filter(|_| is_number).ok_or(Malformed::IcapField)?)
        }
    };
    let is_response = method == IcapMethod::Respmod;
    let response = match response.filter(|_| is_response) {
        None => None,
        Some(head) => Some((StatusLine::parse(&head)?.status, head)),
    };
    let client = icap.only("x-client-ip").ok().flatten().and_then(Ip::parse);
    let heads = Heads { request, response, client, is_response, traces: false };
    heads.check()?;
    let preview = preview.filter(|_| has_body);
    Ok(Asked { method, icap, heads, has_body, preview, exchange: OnceLock::new() })
}
