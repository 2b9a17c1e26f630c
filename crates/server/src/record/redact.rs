//! Credentials in requests, which records must not keep.
//!
//! Names decide: a header field, a parameter or an extension whose name contains a word for a credential loses its
//! value. Values that look like a credential, and URLs in values, are redacted whatever the name is.

use std::borrow::Cow;

use kukla_plang::uri;
use serde_json::{Map, Value};

/// The text in the place of a value.
const REDACTED: &[u8] = b"redacted";

/// Words of names whose values are credentials, in lower case and without `-`, `_` and `.`.
const WORDS: &[&str] = &[
    "token",
    "secret",
    "passw",
    "passphrase",
    "passcode",
    "pwd",
    "apikey",
    "accesskey",
    "auth",
    "session",
    "cookie",
    "credential",
    "signature",
    "assertion",
    "jwt",
    "saml",
    "bearer",
    "ticket",
    "otp",
    "csrf",
    "xsrf",
    "clientcert",
];

/// Whole names of parameters whose values are credentials.
const PARAMETERS: &[&str] = &["code", "sig", "sid", "pass", "pw", "pin", "hmac", "nonce", "state"];

/// Beginnings of values that are credentials, in lower case.
const SCHEMES: &[&[u8]] = &[b"bearer ", b"basic ", b"digest ", b"negotiate "];

/// Names of the one extension of Puppet's that is a credential.
const PRESHARED_KEY: [&str; 2] = ["pp_preshared_key", "1.3.6.1.4.1.34380.1.1.4"];

/// Returns the value of a header field without credentials.
pub(super) fn field<'v>(name: &[u8], value: &'v [u8]) -> Cow<'v, [u8]> {
    if name.eq_ignore_ascii_case(b"referer") || name.eq_ignore_ascii_case(b"referrer") {
        return Cow::Owned(bare_url(value));
    }
    let is_secret = is_secret_name(name) || is_secret_value(value) || has_user(value);
    Cow::Borrowed(if is_secret { REDACTED } else { value })
}

/// Returns a query without credentials.
pub(super) fn query(query: &[u8]) -> Vec<u8> {
    parameters(query, b"&;")
}

/// Returns a path without credentials in the parameters of its segments.
pub(super) fn path(path: &[u8]) -> Vec<u8> {
    parameters(path, b"/;")
}

/// Returns extensions of a certificate without credentials.
pub(super) fn extensions(extensions: &[(String, String)]) -> Map<String, Value> {
    let open = extensions.iter().filter(|(name, _)| !PRESHARED_KEY.contains(&name.as_str()));
    open.map(|(name, value)| (name.clone(), value.as_str().into())).collect()
}

/// Redacts the values of `name=value` between separators.
fn parameters(text: &[u8], separators: &[u8]) -> Vec<u8> {
    let mut out = Vec::with_capacity(text.len());
    let mut rest = text;
    loop {
        let end = rest.iter().position(|byte| separators.contains(byte)).unwrap_or(rest.len());
        parameter(&rest[..end], &mut out);
        match rest.get(end) {
            Some(separator) => out.push(*separator),
            None => return out,
        }
        rest = &rest[end + 1..];
    }
}

fn parameter(pair: &[u8], out: &mut Vec<u8>) {
    let (name, value) = match memchr::memchr(b'=', pair) {
        Some(at) => (&pair[..at], Some(&pair[at + 1..])),
        None => (pair, None),
    };
    let plain_name = uri::decode_query(name);
    if is_secret_value(&plain_name) {
        return out.extend_from_slice(REDACTED);
    }
    out.extend_from_slice(name);
    let Some(value) = value else { return };
    out.push(b'=');
    let plain = uri::decode_query(value);
    let is_secret = is_secret_name(&plain_name)
        || PARAMETERS.iter().any(|parameter| plain_name.eq_ignore_ascii_case(parameter.as_bytes()))
        || is_secret_value(&plain)
        || is_nested(&plain);
    out.extend_from_slice(if is_secret { REDACTED } else { value });
}

/// Whether a name contains a word for a credential, or ends in `key`.
fn is_secret_name(name: &[u8]) -> bool {
    let letters = name.iter().filter(|byte| !matches!(byte, b'-' | b'_' | b'.'));
    let letters: Vec<u8> = letters.map(u8::to_ascii_lowercase).collect();
    letters.ends_with(b"key")
        || WORDS.iter().any(|word| memchr::memmem::find(&letters, word.as_bytes()).is_some())
}

fn is_secret_value(value: &[u8]) -> bool {
    let starts_with = |prefix: &&[u8]| {
        value.get(..prefix.len()).is_some_and(|start| start.eq_ignore_ascii_case(prefix))
    };
    // A JSON web token is Base64 of an object.
    value.starts_with(b"eyJ") || SCHEMES.iter().any(starts_with)
}

/// Whether a value is a URL or has parameters of its own, which may hold credentials.
fn is_nested(value: &[u8]) -> bool {
    let has = |part: &[u8]| memchr::memmem::find(value, part).is_some();
    has(b"://") || has(b"=") || has(b"%3")
}

/// Whether a value has a URL with a user and maybe a password.
fn has_user(value: &[u8]) -> bool {
    memchr::memmem::find(value, b"://").is_some_and(|at| value[at..].contains(&b'@'))
}

/// Returns a URL without user, query and fragment.
fn bare_url(url: &[u8]) -> Vec<u8> {
    let end = url.iter().position(|byte| matches!(byte, b'?' | b'#')).unwrap_or(url.len());
    let url = &url[..end];
    let Some(start) = memchr::memmem::find(url, b"://").map(|at| at + 3) else {
        return path(url);
    };
    let authority_end = memchr::memchr(b'/', &url[start..]).map_or(url.len(), |at| start + at);
    let user_end = memchr::memrchr(b'@', &url[..authority_end]).map_or(start, |at| at + 1);
    [&url[..start], &url[user_end.max(start)..authority_end], &path(&url[authority_end..])].concat()
}
