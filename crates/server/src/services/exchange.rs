//! A message on its way, and its context.

use bumpalo::Bump;
use kukla_plang::ip::Ip;
use kukla_plang::message::{Clock, Message, Pair, Request, Response, Tls};

use crate::forwarded::certificate::Identity;
use crate::wire::Fields;

/// A message on its way.
#[derive(Clone, Debug, Default)]
pub struct Exchange {
    /// `GET`
    pub method: Vec<u8>,
    /// The target.
    pub target: Vec<u8>,
    /// `HTTP/1.1`
    pub version: &'static str,
    /// `http` or `https`
    pub scheme: &'static str,
    /// Header fields of the request.
    pub request: Fields,
    /// Status and header fields of the response.
    pub response: Option<(u16, Fields)>,
    /// The client's address.
    pub client: Option<Ip>,
    /// The client's identity.
    pub(crate) identity: Option<Identity>,
    /// Whether the connection stays open.
    pub is_persistent: bool,
    /// The point of the exchange.
    pub point: Option<u8>,
    /// Services that the client wants to bypass, where it may.
    pub bypass: Bypass,
    /// Whether the client wants to know which rules and services touched the message, where it may.
    pub traces: bool,
}

/// A message that a program decides about.
pub(crate) trait Subject {
    /// Returns the message as programs see it.
    fn message<'a>(&'a self, clock: Clock, arena: &'a Bump) -> Message<'a>;
    /// Whether it is a response.
    fn is_response(&self) -> bool;
    /// Whether the client wants to know which rules and services touched it, where it may.
    fn traces(&self) -> bool;
}

/// Services that a client wants to bypass: `OPES-Bypass` of RFC 4236.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Bypass {
    /// None.
    #[default]
    None,
    /// All.
    All,
    /// Those of these URIs.
    Some(Vec<Vec<u8>>),
}

impl Bypass {
    /// Reads the fields of a request; a list may be spread over several, and the URI of the processor itself stands for
    /// all of its services.
    pub fn of(fields: &Fields, system: &str) -> Self {
        let asked = fields.iter().filter(|(name, _)| name.eq_ignore_ascii_case(b"opes-bypass"));
        let elements = asked.flat_map(|(_, value)| value.split(|byte| *byte == b','));
        // Parameters behind a URI describe it.
        let uris = elements.filter_map(|element| element.split(|byte| *byte == b';').next());
        let uris: Vec<&[u8]> = uris.map(<[u8]>::trim_ascii).filter(|uri| !uri.is_empty()).collect();
        match uris.as_slice() {
            [] => Self::None,
            all if all.iter().any(|uri| *uri == b"*" || *uri == system.as_bytes()) => Self::All,
            some => Self::Some(some.iter().map(|uri| uri.to_vec()).collect()),
        }
    }

    /// Whether a service is bypassed.
    pub fn has(&self, uri: &str) -> bool {
        match self {
            Self::None => false,
            Self::All => true,
            Self::Some(uris) => uris.iter().any(|own| own == uri.as_bytes()),
        }
    }
}

impl Exchange {
    /// Returns the host that the request is for.
    pub(crate) fn host(&self) -> Option<&[u8]> {
        let mut hosts = self.request.iter().filter(|(name, _)| name.eq_ignore_ascii_case(b"host"));
        let (_, host) = hosts.next()?;
        hosts.next().is_none().then_some(host.as_slice())
    }

    /// Whether the request wishes a change to this protocol, and nothing else.
    pub(crate) fn wishes(&self, protocol: &[u8]) -> bool {
        let mut wishes =
            self.request.iter().filter(|(name, _)| name.eq_ignore_ascii_case(b"upgrade"));
        wishes.next().is_some_and(|(_, wish)| wish == protocol) && wishes.next().is_none()
    }

    /// Replaces the host that the request is for.
    pub(crate) fn set_host(&mut self, host: &[u8]) {
        self.request.retain(|(name, _)| !name.eq_ignore_ascii_case(b"host"));
        self.request.insert(0, (b"Host".to_vec(), host.to_vec()));
    }
}

impl Subject for Exchange {
    fn message<'a>(&'a self, clock: Clock, arena: &'a Bump) -> Message<'a> {
        let tls = self.identity.as_ref().map_or_else(Tls::default, Identity::tls);
        let request = Request {
            method: &self.method,
            scheme: self.scheme.as_bytes(),
            version: self.version.as_bytes(),
            headers: pairs(&self.request, arena),
            client: self.client,
            is_persistent: self.is_persistent,
            tls,
            ..Request::default()
        };
        let response = self
            .response
            .as_ref()
            .map(|(status, fields)| Response { status: *status, headers: pairs(fields, arena) });
        let message = Message::new(request.with_target(&self.target, arena));
        Message { clock, response, point: self.point, ..message }
    }
    fn is_response(&self) -> bool {
        self.response.is_some()
    }

    fn traces(&self) -> bool {
        self.traces
    }
}

fn pairs<'a>(fields: &'a Fields, arena: &'a Bump) -> &'a [Pair<'a>] {
    arena.alloc_slice_fill_iter(fields.iter().map(|(name, value)| Pair { name, value }))
}
