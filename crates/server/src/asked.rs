//! What a proxy asks: the request that it got, as it tells it in its own.

use bumpalo::Bump;
use hyper::Request as HttpRequest;
use kukla_plang::ip::Ip;
use kukla_plang::message::{Clock, Message, Pair, Request, Tls};

/// How proxies are believed.
#[derive(Clone, Copy, Debug, Default)]
pub struct Trust {
    /// Whether `X-Client-Verify` and `X-Client-DN` tell of the client's certificate. The proxy must set them
    /// itself on every request, or clients could.
    pub certificate_headers: bool,
}

/// Fields by which proxies tell of the request, which is not about them.
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
];

/// Fields that tell the method, the target, and so on: the first that there is.
const METHOD: &[&str] = &["x-original-method", "x-forwarded-method"];
const TARGET: &[&str] = &["x-original-uri", "x-forwarded-uri", "x-original-url"];
const VERIFY: &[&str] = &["x-client-verify", "ssl-client-verify"];
const SUBJECT: &[&str] = &["x-client-dn", "ssl-client-subject-dn"];

/// The path of the endpoint.
pub const ENDPOINT: &str = "/p/authz";

/// The message that a proxy asks about.
pub fn message<'a, B>(
    asked: &'a HttpRequest<B>,
    trust: Trust,
    clock: Clock,
    arena: &'a Bump,
) -> Message<'a> {
    let fields = || asked.headers().iter().filter(|(name, _)| !TOLD.contains(&name.as_str()));
    let n_fields = fields().count();
    let mut fields = fields()
        .map(|(name, value)| Pair { name: name.as_str().as_bytes(), value: value.as_bytes() });
    let nothing = Pair { name: b"", value: b"" };
    let headers = arena.alloc_slice_fill_with(n_fields, |_| fields.next().unwrap_or(nothing));
    let told = |names: &[&str]| {
        let value = names.iter().find_map(|name| asked.headers().get(*name));
        value.map(|value| value.as_bytes())
    };
    let request = Request {
        method: told(METHOD).unwrap_or(asked.method().as_str().as_bytes()),
        scheme: told(&["x-forwarded-proto"]).unwrap_or(b"https"),
        version: version(asked.version()),
        headers,
        client: client(told(&["x-real-ip"]), told(&["x-forwarded-for"])),
        is_persistent: true,
        tls: if trust.certificate_headers {
            certificate(told(VERIFY), told(SUBJECT))
        } else {
            Tls::default()
        },
        ..Request::default()
    };
    let target = told(TARGET).unwrap_or_else(|| own_target(asked));
    let mut request = request.with_target(target, arena);
    if let Some(host) = told(&["x-forwarded-host"]) {
        request.host = host;
    }
    Message { clock, ..Message::new(request) }
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

/// The client: what the proxy says outright, else the last of the forwarded addresses, which is the one that
/// the proxy itself saw. Those before it were told by others.
fn client(real: Option<&[u8]>, forwarded: Option<&[u8]>) -> Option<Ip> {
    let last = forwarded.and_then(|list| list.rsplit(|byte| *byte == b',').next());
    Ip::parse(real.or(last)?.trim_ascii())
}

fn certificate<'a>(verify: Option<&[u8]>, subject: Option<&'a [u8]>) -> Tls<'a> {
    let is_verified = verify.is_some_and(|verify| verify.eq_ignore_ascii_case(b"SUCCESS"));
    let common_name = subject.and_then(common_name);
    Tls { is_verified, common_name, ..Tls::default() }
}

/// The common name of `CN=agent1,O=Example` or `/O=Example/CN=agent1`.
fn common_name(subject: &[u8]) -> Option<&[u8]> {
    let separator = if subject.starts_with(b"/") { b'/' } else { b',' };
    let mut parts = subject.split(|byte| *byte == separator).map(<[u8]>::trim_ascii);
    let name = parts.find_map(|part| part.strip_prefix(b"CN=").or(part.strip_prefix(b"cn=")))?;
    // A name with an escape is not guessed at.
    (!name.is_empty() && !name.contains(&b'\\')).then_some(name)
}
