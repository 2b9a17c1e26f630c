//! Groups to which rules hand the requests of nodes: an environment, or other compilers.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use http_body_util::Full;
use hyper::body::Bytes;
use hyper::header::{ACCEPT, CONTENT_TYPE, HeaderName, HeaderValue, RETRY_AFTER};
use hyper::{Method, Request, StatusCode};
use kukla_site::Site;

use super::exchange::{Answer, AnswerBody, Client, RouteError};
use super::file_routes::client_config;
use super::nodes::is_environment_name;
use super::outgoing::{Bound, Destination, OutgoingError};
use crate::net::Address;

/// Fields of a request that are handed on.
const SENT: [HeaderName; 2] = [ACCEPT, CONTENT_TYPE];
/// Fields of an answer that are handed back: an agent waits as long as a busy compiler asks it to.
const RECEIVED: [HeaderName; 2] = [CONTENT_TYPE, RETRY_AFTER];
/// Bounds of the answer of another compiler.
const BOUND: Bound = Bound { time: Duration::from_secs(300), size: 512 << 20 };

/// A group that can't be used.
#[derive(Debug, thiserror::Error)]
pub enum GroupError {
    /// Its text is malformed.
    #[error("`{0}` is no group: `NAME=environment:NAME`, or `NAME=URL` of a compiler")]
    Malformed(String),
    /// Two groups have one name, and are not compilers both.
    #[error("there are two groups `{0}`")]
    Twice(String),
    /// The certificate of the CA can't be read.
    #[error("`{0}` needs the certificate of the CA, which the setting `localcacert` names")]
    NoTls(String),
}

/// All groups.
#[derive(Debug, Default)]
pub(super) struct Groups(Vec<(String, Group)>);

/// A group.
#[derive(Debug)]
pub(super) enum Group {
    /// Nodes get catalogs of this environment.
    Environment(String),
    /// Other servers compile.
    Compilers(Compilers),
}

/// Servers that compile, in turn.
#[derive(Debug)]
pub(super) struct Compilers {
    all: Vec<Destination>,
    next: AtomicUsize,
}

impl Groups {
    /// Parses `NAME=environment:NAME` and `NAME=URL` of each; servers of one name are a group.
    pub(super) fn parse(texts: &[String], site: &Site) -> Result<Self, GroupError> {
        let mut groups: Vec<(String, Group)> = Vec::new();
        for text in texts {
            let bad = || GroupError::Malformed(text.clone());
            let (name, place) = text.split_once('=').ok_or_else(bad)?;
            let known = groups.iter_mut().find(|(own, _)| own == name).map(|(_, group)| group);
            if let Some(environment) = place.strip_prefix("environment:") {
                if !is_environment_name(environment) || name.is_empty() {
                    return Err(bad());
                }
                if known.is_some() {
                    return Err(GroupError::Twice(name.to_owned()));
                }
                groups.push((name.to_owned(), Group::Environment(environment.to_owned())));
                continue;
            }
            let schemes = [("http", 8139, false), ("https", 8140, true)];
            let address = Address::parse(place, &schemes, "a compiler").map_err(|_| bad())?;
            if address.path != "/" || name.is_empty() {
                return Err(bad());
            }
            let tls = match address.is_tls {
                false => None,
                true => Some(client_config(site).ok_or_else(|| GroupError::NoTls(text.clone()))?),
            };
            let destination = Destination { host: address.host, port: address.port, tls };
            match known {
                Some(Group::Compilers(compilers)) => compilers.all.push(destination),
                Some(Group::Environment(_)) => return Err(GroupError::Twice(name.to_owned())),
                None => {
                    let all = vec![destination];
                    let compilers = Compilers { all, next: AtomicUsize::new(0) };
                    groups.push((name.to_owned(), Group::Compilers(compilers)));
                }
            }
        }
        Ok(Self(groups))
    }

    /// Returns the names.
    pub(super) fn names(&self) -> Vec<String> {
        self.0.iter().map(|(name, _)| name.clone()).collect()
    }

    /// Returns the group with a name.
    pub(super) fn find(&self, name: &str) -> Option<&Group> {
        self.0.iter().find(|(own, _)| own == name).map(|(_, group)| group)
    }
}

/// A request that is handed on, as it arrived.
#[derive(Debug)]
pub(super) struct HandedOn<'a> {
    pub(super) method: &'a Method,
    /// The path and query.
    pub(super) target: &'a str,
    pub(super) headers: &'a hyper::HeaderMap,
    pub(super) body: &'a Bytes,
    pub(super) client: &'a Client,
}

impl Compilers {
    /// Hands a request to one of the servers; the next is asked if one can't be reached. `failed` gets a line about each
    /// that gives no answer.
    pub(super) fn answer(
        &self,
        request: &HandedOn<'_>,
        failed: impl Fn(&str),
    ) -> Result<Answer, RouteError> {
        let first = self.next.fetch_add(1, Ordering::Relaxed);
        let mut words = String::new();
        for skip in 0..self.all.len() {
            let destination = &self.all[first.wrapping_add(skip) % self.all.len()];
            let sent = request.message().and_then(|sent| destination.send_within(sent, BOUND));
            match sent {
                Ok(received) => {
                    let mut answer = Answer::empty(received.status());
                    for name in RECEIVED {
                        if let Some(value) = received.headers().get(&name) {
                            answer.headers.insert(name, value.clone());
                        }
                    }
                    return Ok(Answer { body: AnswerBody::Bytes(received.into_body()), ..answer });
                }
                Err(error) => {
                    let Destination { host, port, .. } = destination;
                    words = format!("the compiler at {host}:{port} gives no answer: {error}");
                    failed(&words);
                    // A server that has begun to compile is not helped by another one that begins too.
                    if !matches!(error, OutgoingError::Connection(_)) {
                        break;
                    }
                }
            }
        }
        Err(RouteError::text(StatusCode::BAD_GATEWAY, words))
    }
}

impl HandedOn<'_> {
    /// Returns the request for another server: it has the client's identity in the fields of a proxy.
    fn message(&self) -> Result<Request<Full<Bytes>>, OutgoingError> {
        let mut message = Request::builder().method(self.method.clone()).uri(self.target);
        for field in SENT {
            if let Some(value) = self.headers.get(&field) {
                message = message.header(field, value);
            }
        }
        if let Some(certname) = &self.client.certname {
            let name = HeaderValue::from_str(&format!("CN={certname}"));
            message = message.header("X-Client-Verify", "SUCCESS");
            message = message.header("X-Client-DN", name.map_err(hyper::http::Error::from)?);
        }
        if let Some(der) = &self.client.certificate {
            message = message.header("X-Client-Cert", escaped_pem(der));
        }
        Ok(message.body(Full::new(self.body.clone()))?)
    }
}

/// Returns a certificate in the form of PEM, escaped as in a URL.
fn escaped_pem(der: &[u8]) -> String {
    let mut out = String::from("-----BEGIN%20CERTIFICATE-----%0A");
    let text = data_encoding::BASE64.encode(der);
    let mut rest = text.as_str();
    while !rest.is_empty() {
        let (line, behind) = rest.split_at(rest.len().min(64));
        out += &line.replace('+', "%2B").replace('/', "%2F").replace('=', "%3D");
        out += "%0A";
        rest = behind;
    }
    out + "-----END%20CERTIFICATE-----%0A"
}
