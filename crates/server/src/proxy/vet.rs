//! Cleaning of requests before a program sees them.

use std::net::IpAddr;

use kukla_plang::ip::Ip;
use kukla_plang::uri::normalize;

use super::Proxy;
use crate::forwarded::certificate::Identity;
use crate::forwarded::{self, PROXY_HEADERS};
use crate::services::{Bypass, Exchange, is_hop_by_hop, system};
use crate::wire::{Fields, Framing, Head, Malformed, RequestLine, Target};

/// A client's connection.
#[derive(Clone, Debug)]
pub(super) struct Peer {
    pub(super) address: IpAddr,
    pub(super) identity: Option<Identity>,
    pub(super) is_tls: bool,
}

/// A request that may be decided on.
#[derive(Debug)]
pub(super) struct Vetted {
    pub(super) exchange: Exchange,
    pub(super) framing: Framing,
    pub(super) keeps_connection: bool,
    pub(super) expects_continue: bool,
    /// The protocol to which the client wants to change.
    pub(super) upgrade: Option<Vec<u8>>,
    pub(super) is_1_1: bool,
}

/// A request that is refused: status and reason.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Refused(pub(super) u16, pub(super) String);

impl From<Malformed> for Refused {
    fn from(reason: Malformed) -> Self {
        let status = match reason {
            Malformed::HeadTooLarge | Malformed::TooManyFields => 431,
            Malformed::Version => 505,
            Malformed::Coding => 501,
            _ => 400,
        };
        Self(status, reason.words().to_owned())
    }
}

fn refuse<T>(status: u16, words: &str) -> Result<T, Refused> {
    Err(Refused(status, words.to_owned()))
}

/// Fields by which this proxy describes the client; what the client itself says in them is dropped.
const OWN: &[&str] = &[
    "x-forwarded-for",
    "x-forwarded-proto",
    "x-forwarded-host",
    "x-forwarded-port",
    "x-real-ip",
    "forwarded",
    "opes-system",
    "opes-via",
    "x-p-trace",
];

/// Vets a request of HTTP/1.
pub(super) fn request(proxy: &Proxy, peer: &Peer, head: &Head) -> Result<Vetted, Refused> {
    let line = RequestLine::parse(head)?;
    if head.has_outer_tabs {
        return refuse(400, "a header field has a tab around its value");
    }
    let host = match head.only("host") {
        Ok(Some(host)) => host,
        _ => return Err(Malformed::Host.into()),
    };
    check_host(host)?;
    let framing = Framing::of_request(head, line.is_1_1)?;
    let target = match line.target()? {
        Target::Origin(_) if proxy.forwards => {
            return refuse(400, "a forward proxy needs a target with a host");
        }
        Target::Origin(target) => target,
        Target::Absolute(scheme, ..) if proxy.forwards && !scheme.eq_ignore_ascii_case(b"http") => {
            return refuse(400, "a forward proxy passes `https` on by CONNECT only");
        }
        Target::Absolute(_, authority, target) if authority.eq_ignore_ascii_case(host) => target,
        Target::Absolute(..) => return Err(Malformed::Host.into()),
        Target::Authority(authority) if proxy.forwards && line.is_1_1 => {
            check_tunnel(authority, host, framing)?;
            b"/"
        }
        Target::Authority(_) | Target::Asterisk => return refuse(405, "the target is not a path"),
    };
    let is_upgrade = head.lists("connection", "upgrade");
    let upgrade = upgrade(head, line, framing, is_upgrade)?;
    let expects_continue = match head.only("expect") {
        Ok(None) => false,
        Ok(Some(value)) if value.eq_ignore_ascii_case(b"100-continue") => line.is_1_1,
        _ => return refuse(417, "an expectation that is not `100-continue`"),
    };
    let keeps_connection = line.is_1_1 && !head.lists("connection", "close");
    let nominated = nominated(head)?;
    let fields = head.to_fields();
    let mut exchange = clean(proxy, peer, line.method, target, fields, &nominated)?;
    exchange.version = if line.is_1_1 { "HTTP/1.1" } else { "HTTP/1.0" };
    exchange.is_persistent = keeps_connection;
    if proxy.forwards {
        exchange.scheme = "http";
    }
    if let Target::Authority(authority) = line.target()? {
        // Programs see the host and port to which the client wants to speak.
        exchange.set_host(authority);
    }
    if let Some(protocol) = &upgrade {
        // Programs decide about the wish, and may remove it.
        exchange.request.push((b"Upgrade".to_vec(), protocol.clone()));
    }
    Ok(Vetted {
        exchange,
        framing,
        keeps_connection,
        expects_continue,
        upgrade,
        is_1_1: line.is_1_1,
    })
}

/// Returns the protocol to which a client wants to change.
fn upgrade(
    head: &Head,
    line: RequestLine<'_>,
    framing: Framing,
    is_upgrade: bool,
) -> Result<Option<Vec<u8>>, Refused> {
    let Ok(wanted) = head.only("upgrade") else { return refuse(400, "`Upgrade` is there twice") };
    let wanted = wanted.filter(|_| is_upgrade && line.is_1_1);
    // A change to HTTP/2 would let everything behind it pass unseen.
    let wanted = wanted.filter(|protocol| !protocol.to_ascii_lowercase().starts_with(b"h2"));
    match wanted {
        Some(_) if line.method != b"GET" || framing != Framing::None => {
            refuse(400, "a change of protocol with a body")
        }
        Some(protocol) if protocol.contains(&b',') => {
            refuse(400, "a change to one of several protocols")
        }
        wanted => Ok(wanted.map(<[u8]>::to_vec)),
    }
}

/// Returns the names of fields that `Connection` declares to be the connection's own.
fn nominated(head: &Head) -> Result<Vec<Vec<u8>>, Refused> {
    let elements = head.all("connection").flat_map(|value| value.split(|byte| *byte == b','));
    let names: Vec<Vec<u8>> = elements.map(|name| name.trim_ascii().to_ascii_lowercase()).collect();
    let is_vital = |name: &Vec<u8>| {
        matches!(
            name.as_slice(),
            b"host" | b"content-length" | b"transfer-encoding" | b"authorization" | b"cookie"
        )
    };
    match names.iter().any(is_vital) {
        true => refuse(400, "`Connection` names a field that is not the connection's"),
        false => Ok(names),
    }
}

/// Cleans the fields of a request and describes the client in them.
pub(super) fn clean(
    proxy: &Proxy,
    peer: &Peer,
    method: &[u8],
    target: &[u8],
    mut fields: Fields,
    nominated: &[Vec<u8>],
) -> Result<Exchange, Refused> {
    if matches!(method, b"TRACE" | b"TRACK") || (method == b"CONNECT" && !proxy.forwards) {
        return refuse(405, "the method is not proxied");
    }
    forwarded::target::check(target, proxy.lenient_paths)
        .map_err(|refusal| Refused(400, refusal.reason))?;
    let is_loop = |value: &[u8]| {
        value.split(|byte| *byte == b',').any(|hop| {
            let mut words =
                hop.split(|byte| byte.is_ascii_whitespace()).filter(|word| !word.is_empty());
            words.nth(1) == Some(proxy.name.as_bytes())
        })
    };
    if fields.iter().any(|(name, value)| name.eq_ignore_ascii_case(b"via") && is_loop(value)) {
        return refuse(508, "the request was here before");
    }
    let is = |list: &[&str], name: &[u8]| {
        list.iter().any(|own| name.eq_ignore_ascii_case(own.as_bytes()))
    };
    let wants_trace = fields.iter().any(|(name, _)| name.eq_ignore_ascii_case(b"x-p-trace"));
    fields.retain(|(name, _)| {
        let is_nominated = nominated.iter().any(|own| name.eq_ignore_ascii_case(own));
        // Servers take `_` for `-`, so a field with it could pass for another one.
        let is_ambiguous = name.contains(&b'_');
        !(is_nominated
            || is_ambiguous
            || is(OWN, name)
            || is(PROXY_HEADERS, name)
            || (is_dropped(name) && !is_for_proxy(proxy, name)))
    });
    let bypass = match proxy.allows_bypass {
        true => Bypass::of(&fields, &system(&proxy.name)),
        false => Bypass::None,
    };
    Ok(Exchange {
        bypass,
        traces: wants_trace && proxy.allows_trace,
        method: method.to_vec(),
        target: canonical(target),
        version: "HTTP/2",
        scheme: if peer.is_tls { "https" } else { "http" },
        request: fields,
        client: Ip::parse(peer.address.to_canonical().to_string().as_bytes()),
        identity: peer.identity.clone(),
        is_persistent: true,
        point: Some(1),
        ..Exchange::default()
    })
}

/// Returns the target with the path that programs decide about, so that the server gets no other.
fn canonical(target: &[u8]) -> Vec<u8> {
    let end = memchr::memchr(b'?', target).unwrap_or(target.len());
    let mut out = Vec::with_capacity(target.len());
    for byte in normalize(&target[..end]).iter() {
        match byte.is_ascii_graphic() {
            true => out.push(*byte),
            false => out.extend_from_slice(format!("%{byte:02X}").as_bytes()),
        }
    }
    out.extend_from_slice(&target[end..]);
    out
}

/// Whether a field is the connection's; programs may look at the length.
fn is_dropped(name: &[u8]) -> bool {
    is_hop_by_hop(name) && !name.eq_ignore_ascii_case(b"content-length")
}

/// Whether a field is one by which a client identifies itself to a forward proxy; it is never sent on.
fn is_for_proxy(proxy: &Proxy, name: &[u8]) -> bool {
    proxy.forwards && name.eq_ignore_ascii_case(b"proxy-authorization")
}

/// Checks a request for a tunnel: `Host` names the same server, with or without the port, and there is no body.
fn check_tunnel(authority: &[u8], host: &[u8], framing: Framing) -> Result<(), Refused> {
    check_host(authority)?;
    let colon = memchr::memrchr(b':', authority).filter(|at| !authority[*at..].contains(&b']'));
    let Some(colon) = colon else { return refuse(400, "a tunnel needs a port") };
    let is_same =
        host.eq_ignore_ascii_case(authority) || host.eq_ignore_ascii_case(&authority[..colon]);
    if !is_same {
        return Err(Malformed::Host.into());
    }
    if framing != Framing::None {
        return refuse(400, "a tunnel with a body");
    }
    Ok(())
}

/// Checks that a text is a host with an optional port.
pub(super) fn check_host(host: &[u8]) -> Result<(), Refused> {
    let (name, port) = match host {
        [b'[', ..] => match memchr::memchr(b']', host) {
            Some(at) => (&host[1..at], &host[at + 1..]),
            None => return Err(Malformed::Host.into()),
        },
        _ => host.split_at(memchr::memchr(b':', host).unwrap_or(host.len())),
    };
    let is_name_byte = |byte: &u8| {
        let others: &[u8] = if host.first() == Some(&b'[') { b":." } else { b"-._" };
        byte.is_ascii_alphanumeric() || others.contains(byte)
    };
    let is_port = match port {
        [] => true,
        [b':', digits @ ..] => {
            (1..=5).contains(&digits.len()) && digits.iter().all(u8::is_ascii_digit)
        }
        _ => false,
    };
    match !name.is_empty() && name.len() <= 255 && name.iter().all(is_name_byte) && is_port {
        true => Ok(()),
        false => Err(Malformed::Host.into()),
    }
}
