//! What proxies tell of the client's certificate.

use bumpalo::Bump;
use kukla_plang::message::Tls;
use kukla_plang::uri;

use super::Proxy;

/// What the fields of a proxy tell. All of them tell only of certificates that they verified, but nginx, which says
/// whether it did.
pub(super) fn told<'a>(
    proxy: Proxy,
    field: impl Fn(&str) -> Option<&'a [u8]>,
    arena: &'a Bump,
) -> Tls<'a> {
    let verify = field("x-client-verify").or_else(|| field("ssl-client-verify"));
    let subject = field("x-client-dn").or_else(|| field("ssl-client-subject-dn"));
    match proxy {
        Proxy::Nginx | Proxy::Caddy => {
            let is_verified = verify.is_some_and(|verify| verify.eq_ignore_ascii_case(b"SUCCESS"));
            Tls { is_verified, common_name: subject.and_then(common_name), ..Tls::default() }
        }
        Proxy::Traefik => {
            let info = field("x-forwarded-tls-client-cert-info");
            let info = info.map(|info| &*arena.alloc_slice_copy(&uri::decode(info, |_| true)));
            verified(info.and_then(subject_of))
        }
        Proxy::Envoy => {
            // The last is the one that the proxy itself saw.
            let certificates = field("x-forwarded-client-cert");
            verified(certificates.map(last_element).and_then(subject_of))
        }
    }
}

fn verified(subject: Option<&[u8]>) -> Tls<'_> {
    let common_name = subject.and_then(common_name);
    Tls { is_verified: common_name.is_some(), common_name, ..Tls::default() }
}

/// The last element of a list; commas in quotes are no separators.
fn last_element(list: &[u8]) -> &[u8] {
    let (mut is_quoted, mut start) = (false, 0);
    for (at, byte) in list.iter().enumerate() {
        match byte {
            b'"' => is_quoted = !is_quoted,
            b',' if !is_quoted => start = at + 1,
            _ => (),
        }
    }
    &list[start..]
}

/// What stands in `Subject="…"`.
fn subject_of(element: &[u8]) -> Option<&[u8]> {
    let start = memchr::memmem::find(element, b"Subject=\"")? + b"Subject=\"".len();
    // A quote in a value could end it early; such a name is not guessed at.
    let end = start + element[start..].iter().position(|byte| *byte == b'"')?;
    Some(&element[start..end])
}

/// The common name of `CN=agent1,O=Example` or `/O=Example/CN=agent1`.
fn common_name(subject: &[u8]) -> Option<&[u8]> {
    let separator = if subject.starts_with(b"/") { b'/' } else { b',' };
    let mut parts = subject.split(|byte| *byte == separator).map(<[u8]>::trim_ascii);
    let name = parts.find_map(|part| part.strip_prefix(b"CN=").or(part.strip_prefix(b"cn=")))?;
    // A name with an escape is not guessed at.
    (!name.is_empty() && !name.contains(&b'\\')).then_some(name)
}
