//! Recorded messages: a message of HTTP or a mail as text, and its metadata as JSON.
//!
//! ```text
//! GET /puppet/v3/catalog/agent1?environment=production HTTP/1.1
//! Host: puppet:8140
//!
//! ```
//!
//! A response may follow its request; it starts with `HTTP/`. Lines may end with a line feed alone.
//! A text that starts with `EHLO` or `MAIL FROM:` is a mail, see [`RecordedMail`].
//! In a stream ([`Recorded::from_line`]) text and metadata are one line of JSON.

mod answers;
mod line;
mod mail;
mod metadata;

pub use answers::RecordedServices;
pub use mail::RecordedMail;

use std::borrow::Cow;
use std::fmt;

use bumpalo::Bump;

use crate::ip::Ip;
use crate::message::{Clock, Message, Pair, Request, Response, Tls};
use crate::module::Protocol;
use crate::services::{NewBody, ServiceAnswer};
use crate::uri::normalize;

/// A recorded message.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Recorded {
    /// `GET`
    pub method: Vec<u8>,
    /// The request target, as in the first line.
    pub target: Vec<u8>,
    /// `HTTP/1.1`
    pub version: Vec<u8>,
    /// Header fields of the request.
    pub headers: Fields,
    /// The status and header fields of a response.
    pub response: Option<(u16, Fields)>,
    /// The body of the last message.
    pub body: Vec<u8>,
    /// The envelope, if the message is a mail.
    pub mail: Option<RecordedMail>,
    /// The metadata.
    pub metadata: Metadata,
}

/// Names and values.
pub type Fields = Vec<(Vec<u8>, Vec<u8>)>;

/// Metadata of a message.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Metadata {
    /// The client's address.
    pub client: Option<Ip>,
    /// The scheme; `https` by default.
    pub scheme: Option<String>,
    /// Whether the client's certificate was verified.
    pub is_verified: bool,
    /// The common name of the certificate.
    pub common_name: Option<String>,
    /// Subject alternative names of the certificate.
    pub alt_names: Vec<String>,
    /// Extensions of the certificate.
    pub extensions: Vec<(String, String)>,
    /// The name by which the client of a mail authenticated.
    pub login: Option<String>,
    /// Facts.
    pub facts: Option<serde_json::Value>,
    /// Classes of the node.
    pub classes: Vec<String>,
    /// The version of the code.
    pub code_id: Option<String>,
    /// The point of the exchange.
    pub point: Option<u8>,
    /// The time of arrival.
    pub clock: Clock,
    /// The size of the whole body, if only a part of it was recorded.
    pub body_size: Option<u64>,
    /// Whether the body was not recorded.
    pub lacks_body: bool,
    /// The answers of services, in the order of the calls.
    pub answers: Vec<ServiceAnswer>,
    /// The outcome that a test expects.
    pub expected: Option<Expected>,
}

/// The outcome that a test expects.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Expected {
    /// `allow`, `deny`, `challenge`, `respond`, `answer`, `pass` or `fail`; of a mail `accept`, `reject`, `tempfail` or `pass`.
    pub verdict: String,
    /// The line that decides.
    pub line: Option<u32>,
    /// The reason, scheme or text.
    pub reason: Option<String>,
    /// The pool.
    pub pool: Option<String>,
    /// The replaced path.
    pub path: Option<String>,
}

/// Reason why a recorded message can't be used.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RecordedError(String);

impl fmt::Display for RecordedError {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(&self.0)
    }
}

impl std::error::Error for RecordedError {}

impl RecordedError {
    fn new(words: impl Into<String>) -> Self {
        Self(words.into())
    }
}

type Read<T> = Result<T, RecordedError>;

impl Recorded {
    /// Converts the message into the answer of a service that adapted another message to this one.
    pub fn as_answer(self) -> ServiceAnswer {
        let body = NewBody::Whole(self.body);
        match self.response {
            Some((status, headers)) => {
                ServiceAnswer::Adapted { headers, status: Some(status), body: Some(body) }
            }
            None => {
                ServiceAnswer::Adapted { headers: self.headers, status: None, body: Some(body) }
            }
        }
    }

    /// Parses a message.
    pub fn parse(text: &[u8]) -> Read<Self> {
        if mail::is_mail(text) {
            return mail::parse(text);
        }
        let mut recorded = Self::default();
        let mut rest = text;
        if rest.starts_with(b"HTTP/") {
            (recorded.method, recorded.target) = (b"GET".to_vec(), b"/".to_vec());
            recorded.version = b"HTTP/1.1".to_vec();
        } else {
            let (line, headers, body) = head(rest)?;
            recorded.set_request_line(line)?;
            (recorded.headers, rest) = (headers, body);
        }
        if rest.starts_with(b"HTTP/") {
            let (line, headers, body) = head(rest)?;
            recorded.response = Some((status(line)?, headers));
            rest = body;
        }
        recorded.body = rest.to_vec();
        Ok(recorded)
    }

    fn set_request_line(&mut self, line: &[u8]) -> Read<()> {
        let words: Vec<&[u8]> = line.split(|byte| *byte == b' ').collect();
        let (method, target, version) = match words.as_slice() {
            [method, target] => (method, target, b"HTTP/1.1".as_slice()),
            [method, target, version] if version.starts_with(b"HTTP/") => {
                (method, target, *version)
            }
            _ => {
                let line = String::from_utf8_lossy(line);
                return Err(RecordedError::new(format!("`{line}` is no first line of a request")));
            }
        };
        if method.is_empty() || target.is_empty() {
            return Err(RecordedError::new("the first line has an empty word"));
        }
        (self.method, self.target) = (method.to_vec(), target.to_vec());
        self.version = version.to_vec();
        Ok(())
    }

    /// Returns the protocol that brought the message.
    pub fn protocol(&self) -> Protocol {
        if self.mail.is_some() { Protocol::Smtp } else { Protocol::Http }
    }

    /// Returns the message as a program sees it.
    pub fn message<'a>(&'a self, arena: &'a Bump) -> Message<'a> {
        let metadata = &self.metadata;
        let response = self
            .response
            .as_ref()
            .map(|(status, headers)| Response { status: *status, headers: pairs(headers, arena) });
        let length = self.body.len() as u64;
        Message {
            request: self.request(arena),
            response,
            mail: self.mail.as_ref().map(|mail| mail.envelope(metadata, arena)),
            body: (!metadata.lacks_body).then_some(&self.body),
            body_size: metadata.body_size.or((!metadata.lacks_body).then_some(length)),
            point: metadata.point,
            clock: metadata.clock,
            facts: metadata.facts.as_ref(),
            classes: Some(&metadata.classes),
            order: None,
            code_id: metadata.code_id.as_deref(),
        }
    }

    fn request<'a>(&'a self, arena: &'a Bump) -> Request<'a> {
        let metadata = &self.metadata;
        let headers = pairs(&self.headers, arena);
        let scheme = metadata.scheme.as_deref().unwrap_or("https").as_bytes();
        let tls = Tls {
            is_verified: metadata.is_verified,
            common_name: metadata.common_name.as_ref().map(String::as_bytes),
            alt_names: &metadata.alt_names,
            extensions: &metadata.extensions,
        };
        if self.mail.is_some() {
            return Request { headers, client: metadata.client, tls, ..Request::default() };
        }
        let base = Request {
            method: &self.method,
            scheme,
            version: &self.version,
            headers,
            client: metadata.client,
            is_persistent: is_persistent(&self.version, headers),
            tls,
            ..Request::default()
        };
        base.with_target(&self.target, arena)
    }
}

impl<'a> Request<'a> {
    /// Sets scheme, host, port, path and query from the target of a request line and from `Host`.
    pub fn with_target(self, target: &'a [u8], arena: &'a Bump) -> Self {
        let (scheme, authority, rest) = match split_absolute(target) {
            Some((scheme, authority, rest)) => (scheme, authority, rest),
            None => {
                let host = self.headers.iter().find(|f| f.name.eq_ignore_ascii_case(b"host"));
                (self.scheme, host.map_or(&b""[..], |field| field.value), target)
            }
        };
        let (raw_path, query) = match memchr::memchr(b'?', rest) {
            Some(at) => (&rest[..at], &rest[at + 1..]),
            None => (rest, &rest[rest.len()..]),
        };
        let path = match normalize(raw_path) {
            Cow::Borrowed(path) => path,
            Cow::Owned(path) => arena.alloc_slice_copy(&path),
        };
        Self { scheme, path, raw_path, query, ..self }.with_authority(authority, arena)
    }

    /// Sets host and port from `Host`.
    pub fn with_host(self, arena: &'a Bump) -> Self {
        let host = self.headers.iter().find(|f| f.name.eq_ignore_ascii_case(b"host"));
        self.with_authority(host.map_or(&b""[..], |field| field.value), arena)
    }

    fn with_authority(self, authority: &'a [u8], arena: &'a Bump) -> Self {
        let (host, port) = host_port(authority, self.scheme);
        let host = if host.iter().any(u8::is_ascii_uppercase) {
            let lower = arena.alloc_slice_copy(host);
            lower.make_ascii_lowercase();
            lower
        } else {
            host
        };
        Self { host, port, ..self }
    }
}

/// Splits `http://host/path`.
fn split_absolute(target: &[u8]) -> Option<(&[u8], &[u8], &[u8])> {
    if target.first() == Some(&b'/') {
        return None;
    }
    let at = memchr::memmem::find(target, b"://").filter(|at| !target[..*at].contains(&b'/'))?;
    let rest = &target[at + 3..];
    let end = memchr::memchr2(b'/', b'?', rest).unwrap_or(rest.len());
    Some((&target[..at], &rest[..end], &rest[end..]))
}

fn host_port<'a>(authority: &'a [u8], scheme: &[u8]) -> (&'a [u8], u16) {
    let default = if scheme == b"http" { 80 } else { 443 };
    let colon = memchr::memrchr(b':', authority);
    // A colon inside of `[::1]` does not start a port.
    let colon = colon.filter(|at| !authority[*at..].contains(&b']'));
    let Some(at) = colon else { return (authority, default) };
    let port = std::str::from_utf8(&authority[at + 1..]).ok().and_then(|port| port.parse().ok());
    (&authority[..at], port.unwrap_or(default))
}

fn is_persistent(version: &[u8], headers: &[Pair<'_>]) -> bool {
    let mut values = headers.iter().filter(|field| field.name.eq_ignore_ascii_case(b"connection"));
    match version {
        b"HTTP/1.0" => values.any(|field| field.value.eq_ignore_ascii_case(b"keep-alive")),
        _ => !values.any(|field| field.value.eq_ignore_ascii_case(b"close")),
    }
}

fn pairs<'a>(headers: &'a [(Vec<u8>, Vec<u8>)], arena: &'a Bump) -> &'a [Pair<'a>] {
    arena.alloc_slice_fill_iter(headers.iter().map(|(name, value)| Pair { name, value }))
}

type Head<'a> = (&'a [u8], Fields, &'a [u8]);

/// Splits a message into the first line, the header fields, and the rest.
fn head(text: &[u8]) -> Read<Head<'_>> {
    let (first, mut rest) = line(text);
    let mut headers = Vec::new();
    loop {
        if rest.is_empty() {
            return Ok((first, headers, rest));
        }
        let (field, behind) = line(rest);
        rest = behind;
        if field.is_empty() {
            return Ok((first, headers, rest));
        }
        let colon = memchr::memchr(b':', field);
        let Some(colon) = colon.filter(|at| crate::modules::http::is_field_name(&field[..*at]))
        else {
            let field = String::from_utf8_lossy(field);
            return Err(RecordedError::new(format!("`{field}` is no header field")));
        };
        let (name, value) = (&field[..colon], &field[colon + 1..]);
        headers.push((name.to_vec(), value.trim_ascii().to_vec()));
    }
}

fn line(text: &[u8]) -> (&[u8], &[u8]) {
    let (line, rest) = match memchr::memchr(b'\n', text) {
        Some(at) => (&text[..at], &text[at + 1..]),
        None => (text, &text[text.len()..]),
    };
    (line.strip_suffix(b"\r").unwrap_or(line), rest)
}

fn status(line: &[u8]) -> Read<u16> {
    let word = line.split(|byte| *byte == b' ').nth(1).unwrap_or_default();
    let status = std::str::from_utf8(word).ok().and_then(|word| word.parse().ok());
    status.filter(|status| (100..600).contains(status)).ok_or_else(|| {
        let line = String::from_utf8_lossy(line);
        RecordedError::new(format!("`{line}` is no first line of a response"))
    })
}
