//! The client's request, read from the query of its proxy.
//!
//! Each kind of proxy describes the request in header fields of its own and passes the fields of other kinds on as
//! the client sent them. So [`OriginalRequest::read`] reads only fields that the [`Proxy`] in use sets itself, and each
//! of them only once; otherwise a client could send `X-Original-URI: /` and be judged by another path than it asks for.

pub(crate) mod certificate;
pub(crate) mod distinguished_name;
pub(crate) mod encodings;
mod extensions;
mod headers;
mod identity;
mod refusal;
pub(crate) mod subject;
pub(crate) mod target;
mod xfcc;

use bumpalo::Bump;
use hyper::Request as HttpRequest;
use hyper::header::{HeaderName, HeaderValue};
use kukla_plang::ip::Ip;
use kukla_plang::message::{Clock, Message, Pair, Request, Tls};

use self::certificate::Identity;
use self::headers::Headers;
pub use self::refusal::{Blame, Refusal};

/// The path of the endpoint.
pub const ENDPOINT: &str = "/p/authz";

/// Trust in the header fields of a question, as the operator chose it.
#[derive(Clone, Copy, Debug, Default)]
pub struct Trust {
    /// The kind of proxy that asks.
    pub proxy: Proxy,
    /// The header fields that describe the client's certificate; `None`: no client has an identity.
    pub cert_headers: Option<CertHeaders>,
    /// Whether paths that servers read in different ways are passed to the program.
    pub lenient_paths: bool,
}

/// A kind of proxy.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Proxy {
    /// `auth_request`, with `X-Original-Method`, `X-Original-URI` and `X-Real-IP` set in its configuration.
    #[default]
    Nginx,
    /// `forwardAuth`, which sets `X-Forwarded-Method`, `-Uri`, `-Host`, `-Proto` and `-For`.
    Traefik,
    /// `forward_auth`, which sets the same fields as Traefik.
    Caddy,
    /// `ext_authz` over HTTP, which asks with the method of the request and with its path behind [`ENDPOINT`].
    Envoy,
}

/// The form in which a proxy passes the client's certificate on.
///
/// The operator chooses it: a field that the proxy does not set would be the client's own.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CertHeaders {
    /// The certificate itself.
    Cert,
    /// The subject as text, in the form of RFC 4514.
    Dn,
}

impl Proxy {
    /// Returns the value of `--from` that means this kind.
    pub fn name(self) -> &'static str {
        match self {
            Self::Nginx => "nginx",
            Self::Traefik => "traefik",
            Self::Caddy => "caddy",
            Self::Envoy => "envoy",
        }
    }
}

impl Trust {
    /// Returns why the endpoint can't work with this combination of options, if it can't.
    pub fn conflict(&self) -> Option<&'static str> {
        match (self.proxy, self.cert_headers?) {
            (Proxy::Traefik, CertHeaders::Dn) => Some(
                "`--cert-headers dn` can't be used with `--from traefik`: Traefik does not escape the names in \
                 `X-Forwarded-Tls-Client-Cert-Info`; use `--cert-headers cert` and `pem: true`",
            ),
            (Proxy::Caddy, CertHeaders::Dn) => Some(
                "`--cert-headers dn` can't be used with `--from caddy`: of several common names Caddy passes only one \
                 on; use `--cert-headers cert` and set `X-Client-Cert`",
            ),
            _ => None,
        }
    }
}

/// Header fields by which proxies describe a request; programs do not see them.
pub(crate) const PROXY_HEADERS: &[&str] = &[
    "x-original-uri",
    "x-original-url",
    "x-original-method",
    "x-forwarded-method",
    "x-forwarded-uri",
    "x-client-verify",
    "x-client-cert",
    "x-client-dn",
    "ssl-client-verify",
    "ssl-client-cert",
    "ssl-client-subject-dn",
    "x-forwarded-client-cert",
    "x-forwarded-tls-client-cert",
    "x-forwarded-tls-client-cert-info",
];

/// Whether a path is that of the endpoint, or lies below it.
pub fn is_endpoint(path: &str) -> bool {
    path.strip_prefix(ENDPOINT).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
}

/// The request of a client, as its proxy describes it.
#[derive(Debug)]
pub struct OriginalRequest<'a, B> {
    question: &'a HttpRequest<B>,
    method: &'a [u8],
    target: &'a [u8],
    scheme: &'a [u8],
    /// The host and port, where the `Host` of the question is not that of the request.
    authority: Option<&'a [u8]>,
    client: Option<Ip>,
    identity: Option<Identity>,
}

impl<'a, B> OriginalRequest<'a, B> {
    /// Reads the request from a question.
    pub fn read(question: &'a HttpRequest<B>, trust: Trust) -> Result<Self, Refusal> {
        let headers = Headers::new(question.headers(), trust.proxy);
        headers.refuse_transfer_encoding()?;
        let (method, target) = match trust.proxy {
            Proxy::Nginx => {
                (headers.required("X-Original-Method")?, headers.required("X-Original-URI")?)
            }
            Proxy::Traefik | Proxy::Caddy => {
                (headers.required("X-Forwarded-Method")?, headers.required("X-Forwarded-Uri")?)
            }
            Proxy::Envoy => (question.method().as_str().as_bytes(), own_target(question)),
        };
        target::check(target, trust.lenient_paths)?;
        Ok(Self {
            question,
            method: headers.method(method)?,
            target,
            scheme: headers.scheme()?,
            authority: headers.authority()?,
            client: headers.client()?,
            identity: identity::read(&headers, trust)?,
        })
    }

    /// Returns the message that a program decides about.
    pub fn message<'m>(&'m self, clock: Clock, arena: &'m Bump) -> Message<'m> {
        let request = Request {
            method: self.method,
            scheme: self.scheme,
            version: version(self.question.version()),
            headers: self.fields(arena),
            client: self.client,
            is_persistent: true,
            tls: self.identity.as_ref().map_or_else(Tls::default, Identity::tls),
            ..Request::default()
        };
        Message { clock, ..Message::new(request.with_target(self.target, arena)) }
    }

    /// Returns the header fields of the client's request.
    fn fields<'m>(&'m self, arena: &'m Bump) -> &'m [Pair<'m>] {
        let is_own = |name: &str| {
            !PROXY_HEADERS.contains(&name) && (name != "host" || self.authority.is_none())
        };
        let fields = || {
            let host = self.authority.map(|value| Pair { name: b"host", value });
            let fields = self.question.headers().iter().filter(|(name, _)| is_own(name.as_str()));
            let pair = |(name, value): (&'m HeaderName, &'m HeaderValue)| Pair {
                name: name.as_str().as_bytes(),
                value: value.as_bytes(),
            };
            host.into_iter().chain(fields.map(pair))
        };
        let (n_fields, mut fields) = (fields().count(), fields());
        let nothing = Pair { name: b"", value: b"" };
        arena.alloc_slice_fill_with(n_fields, |_| fields.next().unwrap_or(nothing))
    }
}

/// Returns the path and query that follow the endpoint's own path, as Envoy asks.
fn own_target<B>(question: &HttpRequest<B>) -> &[u8] {
    let target = question.uri().path_and_query().map_or("/", |target| target.as_str());
    let rest = target.strip_prefix(ENDPOINT).unwrap_or(target);
    if rest.is_empty() { b"/" } else { rest.as_bytes() }
}

fn version(version: hyper::Version) -> &'static [u8] {
    match version {
        hyper::Version::HTTP_10 => b"HTTP/1.0",
        hyper::Version::HTTP_2 => b"HTTP/2",
        _ => b"HTTP/1.1",
    }
}
