//! A message as a program sees it: borrowed from the host's buffers.

use crate::ip::Ip;
use crate::mail::Mail;
use crate::module::Protocol;

/// A message and its context.
#[derive(Clone, Debug)]
pub struct Message<'a> {
    /// The request.
    pub request: Request<'a>,
    /// The response, if the program processes a response.
    pub response: Option<Response<'a>>,
    /// The envelope of a mail, whose header fields and client are those of `request`; `None`: a message of HTTP.
    pub mail: Option<Mail<'a>>,
    /// The beginning of the body, if the host has it.
    pub body: Option<&'a [u8]>,
    /// The size of the body, if known.
    pub body_size: Option<u64>,
    /// The point of the exchange; `None`: 1 for a request and 3 for a response.
    pub point: Option<u8>,
    /// The time of arrival.
    pub clock: Clock,
    /// The facts of the request.
    pub facts: Option<&'a serde_json::Value>,
    /// Classes of the node that the request is about; `None`: they are not known.
    pub classes: Option<&'a [String]>,
    /// The node and the environment that the body of a request to a Puppet server names, where its path names none.
    pub order: Option<Order<'a>>,
    /// The version of the code that will be compiled.
    pub code_id: Option<&'a str>,
}

/// The node and the environment in the body of a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Order<'a> {
    /// The name of the node.
    pub node: &'a str,
    /// The name of the environment.
    pub environment: &'a str,
}

/// A request.
#[derive(Clone, Debug, Default)]
pub struct Request<'a> {
    /// `GET`
    pub method: &'a [u8],
    /// `https`
    pub scheme: &'a [u8],
    /// `puppet.example.com`, in lower case
    pub host: &'a [u8],
    /// 8140
    pub port: u16,
    /// The path, in the form of [`crate::uri::normalize`].
    pub path: &'a [u8],
    /// The path as received.
    pub raw_path: &'a [u8],
    /// The query, without `?`.
    pub query: &'a [u8],
    /// `HTTP/1.1`
    pub version: &'a [u8],
    /// Header fields in their order.
    pub headers: &'a [Pair<'a>],
    /// The client's address.
    pub client: Option<Ip>,
    /// Whether the connection stays open after this exchange.
    pub is_persistent: bool,
    /// Properties of the client's certificate.
    pub tls: Tls<'a>,
}

/// Properties of the client's certificate.
#[derive(Clone, Copy, Debug, Default)]
pub struct Tls<'a> {
    /// Whether the client has a certificate that a trusted authority signed.
    pub is_verified: bool,
    /// The common name of the certificate's subject.
    pub common_name: Option<&'a [u8]>,
    /// The subject alternative names.
    pub alt_names: &'a [String],
    /// Extensions: short name or OID, and value.
    pub extensions: &'a [(String, String)],
}

/// A response.
#[derive(Clone, Debug, Default)]
pub struct Response<'a> {
    /// 200
    pub status: u16,
    /// Header fields in their order.
    pub headers: &'a [Pair<'a>],
}

/// A header field of a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Pair<'a> {
    /// Its name.
    pub name: &'a [u8],
    /// Its value.
    pub value: &'a [u8],
}

/// The time of a message, read once: it does not change while a program runs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Clock {
    /// Seconds since 1970.
    pub epoch: i64,
    /// Seconds since local midnight.
    pub day_second: i64,
    /// Day of the week: 1 is Monday, 7 is Sunday.
    pub weekday: i64,
}

impl Clock {
    /// Returns the clock at an instant, in a zone `offset` seconds east of UTC.
    pub fn at(epoch: i64, offset: i64) -> Self {
        let local = epoch.saturating_add(offset);
        let day = local.div_euclid(86_400);
        Self { epoch, day_second: local.rem_euclid(86_400), weekday: (day + 3).rem_euclid(7) + 1 }
    }
}

impl<'a> Message<'a> {
    /// Returns the protocol that brought the message.
    pub fn protocol(&self) -> Protocol {
        if self.mail.is_some() { Protocol::Smtp } else { Protocol::Http }
    }

    /// Creates a message without a response.
    pub fn new(request: Request<'a>) -> Self {
        Self {
            request,
            response: None,
            mail: None,
            body: None,
            body_size: None,
            point: None,
            clock: Clock::default(),
            facts: None,
            classes: None,
            order: None,
            code_id: None,
        }
    }
}
