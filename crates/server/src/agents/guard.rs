//! Heads of requests that proxies and servers read in different ways; they are refused before anything else.

use hyper::header::{CONTENT_ENCODING, HOST, HeaderName, HeaderValue, TRANSFER_ENCODING};
use hyper::http::uri::Authority;
use hyper::{Request, StatusCode, Version};

use super::exchange::RouteError;

/// The largest head of a request, which is Jetty's.
const MOST_HEAD: usize = 8192;

/// Refuses a request whose head is too large or has two meanings. `asked` is the name that the client asked for in the
/// handshake of TLS.
pub(super) fn check<B>(request: &Request<B>, asked: Option<&str>) -> Result<(), RouteError> {
    refuse_large_head(request)?;
    refuse_host(request, asked)?;
    let bad = |words: &str| RouteError::text(StatusCode::BAD_REQUEST, words);
    let mut codings = request.headers().get_all(TRANSFER_ENCODING).iter();
    if codings.any(|value| !value.as_bytes().eq_ignore_ascii_case(b"chunked")) {
        return Err(bad("Transfer-Encoding is `chunked` or nothing"));
    }
    let encodings: Vec<&[u8]> =
        request.headers().get_all(CONTENT_ENCODING).iter().map(HeaderValue::as_bytes).collect();
    // Other servers compress their commands; the handler bounds what becomes of them.
    let takes_gzip = request.uri().path().starts_with("/pdb/cmd/") && encodings.len() == 1;
    let is_taken = |coding: &&[u8]| {
        coding.eq_ignore_ascii_case(b"identity")
            || takes_gzip && coding.eq_ignore_ascii_case(b"gzip")
    };
    match !encodings.iter().all(is_taken) {
        false => Ok(()),
        true => Err(RouteError::UnsupportedMedia("compressed bodies are not taken".to_owned())),
    }
}

fn refuse_large_head<B>(request: &Request<B>) -> Result<(), RouteError> {
    let field = |(name, value): (&HeaderName, &HeaderValue)| name.as_str().len() + value.len() + 4;
    let size: usize = request.headers().iter().map(field).sum();
    match size > MOST_HEAD {
        false => Ok(()),
        true => Err(RouteError::text(
            StatusCode::REQUEST_HEADER_FIELDS_TOO_LARGE,
            "Request Header Fields Too Large",
        )),
    }
}

/// Refuses a request without one host, or with another one than the target or the handshake has.
fn refuse_host<B>(request: &Request<B>, asked: Option<&str>) -> Result<(), RouteError> {
    let bad = |words: &str| RouteError::text(StatusCode::BAD_REQUEST, words);
    let mut fields = request.headers().get_all(HOST).iter();
    let (field, second) = (fields.next(), fields.next());
    let own = request.uri().authority();
    if second.is_some() || (field.is_none() && own.is_none() && is_first_with_host(request)) {
        return Err(bad("there is not exactly one Host"));
    }
    let named = match field {
        None => None,
        Some(value) => Some(authority(value).ok_or_else(|| bad("Host is no host"))?),
    };
    if own.is_some_and(|own| own.as_str().contains('@')) {
        return Err(bad("the target has a user"));
    }
    if let (Some(named), Some(own)) = (&named, own)
        && !named.as_str().eq_ignore_ascii_case(own.as_str())
    {
        return Err(bad("Host is not that of the target"));
    }
    let host = named.as_ref().or(own).map(Authority::host);
    match (host, asked) {
        (Some(host), Some(asked)) if !is_same(host, asked) => Err(bad("Invalid SNI")),
        _ => Ok(()),
    }
}

/// Returns whether a request is of the version that must have a host in its head.
fn is_first_with_host<B>(request: &Request<B>) -> bool {
    request.version() == Version::HTTP_11
}

fn authority(value: &HeaderValue) -> Option<Authority> {
    let authority: Authority = value.to_str().ok()?.parse().ok()?;
    (!authority.as_str().contains('@')).then_some(authority)
}

fn is_same(host: &str, asked: &str) -> bool {
    let plain = |name: &str| name.trim_end_matches('.').to_ascii_lowercase();
    plain(host) == plain(asked)
}
