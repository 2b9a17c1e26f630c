//! What a proxy asks: the request that it got, as it tells it in its own.
//!
//! Every kind of proxy tells it in other header fields, and passes those of the others on as the client sent them.
//! So only those are believed that the [`Proxy`] in use sets itself; else a client could say `X-Original-URI: /` to
//! be judged by another path than the one that it asks for.

use bumpalo::Bump;
use hyper::Request as HttpRequest;
use kukla_plang::ip::Ip;
use kukla_plang::message::{Clock, Message, Pair, Request, Tls};

mod certificate;

/// How proxies are believed.
#[derive(Clone, Copy, Debug, Default)]
pub struct Trust {
    /// Which proxy asks.
    pub proxy: Proxy,
    /// Whether fields tell of the client's certificate. The proxy must set them itself on every request, or clients
    /// could.
    pub certificate_headers: bool,
}

/// A kind of proxy.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Proxy {
    /// `auth_request`, with `X-Original-Method`, `X-Original-URI` and `X-Real-IP` set in its configuration.
    #[default]
    Nginx,
    /// `forwardAuth`, which sets `X-Forwarded-Method`, `-Uri`, `-Host`, `-Proto` and `-For`.
    Traefik,
    /// `forward_auth`, which sets the same.
    Caddy,
    /// `ext_authz` over HTTP, which asks with the method of the request and its path behind that of the endpoint.
    Envoy,
}

/// Fields by which proxies tell of the request, which are not part of it.
const TOLD: &[&str] = &[
    "x-original-uri",
    "x-original-url",
    "x-original-method",
    "x-forwarded-method",
    "x-forwarded-uri",
    "x-client-verify",
    "x-client-dn",
    "ssl-client-verify",
    "ssl-client-subject-dn",
    "x-forwarded-client-cert",
    "x-forwarded-tls-client-cert",
    "x-forwarded-tls-client-cert-info",
];

/// The path of the endpoint.
pub const ENDPOINT: &str = "/p/authz";

/// Whether a path is that of the endpoint, or lies behind it.
pub fn is_endpoint(path: &str) -> bool {
    path.strip_prefix(ENDPOINT).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
}

/// The message that a proxy asks about; None: it does not say what was asked for.
pub fn message<'a, B>(
    asked: &'a HttpRequest<B>,
    trust: Trust,
    clock: Clock,
    arena: &'a Bump,
) -> Option<Message<'a>> {
    let told = |name: &str| asked.headers().get(name).map(|value| value.as_bytes());
    let forwarded = || told("x-forwarded-method").zip(told("x-forwarded-uri"));
    let (method, target) = match trust.proxy {
        Proxy::Nginx => told("x-original-method").zip(told("x-original-uri"))?,
        Proxy::Traefik | Proxy::Caddy => forwarded()?,
        Proxy::Envoy => (asked.method().as_str().as_bytes(), own_target(asked)),
    };
    let request = Request {
        method,
        scheme: told("x-forwarded-proto").unwrap_or(b"https"),
        version: version(asked.version()),
        headers: fields(asked, arena),
        client: client(trust.proxy, told("x-real-ip"), asked),
        is_persistent: true,
        tls: if trust.certificate_headers {
            certificate::told(trust.proxy, told, arena)
        } else {
            Tls::default()
        },
        ..Request::default()
    };
    let mut request = request.with_target(target, arena);
    if let (Some(host), false) = (told("x-forwarded-host"), trust.proxy == Proxy::Envoy) {
        request.host = host;
    }
    Some(Message { clock, ..Message::new(request) })
}

/// The header fields of the request itself.
fn fields<'a, B>(asked: &'a HttpRequest<B>, arena: &'a Bump) -> &'a [Pair<'a>] {
    let fields = || asked.headers().iter().filter(|(name, _)| !TOLD.contains(&name.as_str()));
    let n_fields = fields().count();
    let mut fields = fields()
        .map(|(name, value)| Pair { name: name.as_str().as_bytes(), value: value.as_bytes() });
    let nothing = Pair { name: b"", value: b"" };
    arena.alloc_slice_fill_with(n_fields, |_| fields.next().unwrap_or(nothing))
}

/// Envoy asks with the path of the request behind that of the endpoint.
fn own_target<B>(asked: &HttpRequest<B>) -> &[u8] {
    let target = asked.uri().path_and_query().map_or("/", |target| target.as_str());
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

/// The client: what nginx says outright, else the last of the forwarded addresses, which is the one that the proxy
/// itself saw. Those before it were told by others, and so was `X-Real-IP` where the proxy does not set it.
fn client<B>(proxy: Proxy, real: Option<&[u8]>, asked: &HttpRequest<B>) -> Option<Ip> {
    let real = real.filter(|_| proxy == Proxy::Nginx);
    let last = || {
        let mut lists = asked.headers().get_all("x-forwarded-for").into_iter();
        lists.next_back().and_then(|list| list.as_bytes().rsplit(|byte| *byte == b',').next())
    };
    Ip::parse(real.or_else(last)?.trim_ascii())
}
