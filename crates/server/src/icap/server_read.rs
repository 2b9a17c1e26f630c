//! Messages that an ICAP client sends, but for their bodies.

use kukla_plang::ip::Ip;

use super::call::IcapMethod;
use super::encapsulated::{Encapsulated, EncapsulatedBody};
use super::server::AskingProxy;
use crate::body::BodyError;
use crate::services::{Exchange, is_hop_by_hop};
use crate::wire::{Head, HeadLimits, Input, Malformed, RequestLine, StatusLine, WireError};

/// A message that was read, but for its body.
pub(super) struct Asked {
    pub(super) method: IcapMethod,
    pub(super) icap: Head,
    pub(super) exchange: Exchange,
    pub(super) has_body: bool,
    pub(super) preview: Option<u64>,
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
    let words: Vec<&[u8]> = icap.line().split(|byte| *byte == b' ').collect();
    let [method, url, b"ICAP/1.0"] = words.as_slice() else {
        let is_version = words.len() == 3 && words[2].starts_with(b"ICAP/");
        return Err(if is_version { Malformed::Version } else { Malformed::StartLine }.into());
    };
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
    let exchange = exchange(&icap, request.as_ref(), response.as_ref(), method)?;
    Ok(Asked { method, icap, exchange, has_body, preview: preview.filter(|_| has_body) })
}

fn exchange(
    icap: &Head,
    request: Option<&Head>,
    response: Option<&Head>,
    method: IcapMethod,
) -> Result<Exchange, Failed> {
    let mut exchange = Exchange {
        method: b"GET".to_vec(),
        target: b"/".to_vec(),
        version: "HTTP/1.1",
        scheme: "http",
        is_persistent: true,
        point: Some(if method == IcapMethod::Respmod { 3 } else { 1 }),
        ..Exchange::default()
    };
    let own = |head: &Head| {
        let mut fields = head.to_fields();
        fields.retain(|(name, _)| {
            !is_hop_by_hop(name) || name.eq_ignore_ascii_case(b"content-length")
        });
        fields
    };
    match request {
        Some(head) => {
            let line = RequestLine::parse(head)?;
            line.target()?;
            (exchange.method, exchange.target) = (line.method.to_vec(), line.target.to_vec());
            exchange.version = if line.is_1_1 { "HTTP/1.1" } else { "HTTP/1.0" };
            exchange.request = own(head);
        }
        None if method == IcapMethod::Reqmod => return Err(Malformed::Encapsulated.into()),
        None => (),
    }
    if method == IcapMethod::Respmod {
        let head = response.ok_or(Malformed::Encapsulated)?;
        exchange.response = Some((StatusLine::parse(head)?.status, own(head)));
    }
    exchange.client = icap.only("x-client-ip").ok().flatten().and_then(Ip::parse);
    Ok(exchange)
}
