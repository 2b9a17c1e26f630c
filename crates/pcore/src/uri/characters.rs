//! The characters of the components of a URI.

/// Returns true if a text has only allowed characters, and `%` with two digits.
pub(super) fn consists_of(text: &str, allowed: fn(u8) -> bool) -> bool {
    let bytes = text.as_bytes();
    let mut at = 0;
    while let Some(&byte) = bytes.get(at) {
        at += match byte {
            b'%' if is_escape(&bytes[at..]) => 3,
            b'%' => return false,
            _ if allowed(byte) => 1,
            _ => return false,
        };
    }
    true
}

/// Matches `%` and two hexadecimal digits.
pub(super) fn is_escape(bytes: &[u8]) -> bool {
    matches!(bytes, [b'%', a, b, ..] if a.is_ascii_hexdigit() && b.is_ascii_hexdigit())
}

/// Matches characters of a user's name and password.
pub(super) fn is_userinfo(byte: u8) -> bool {
    matches!(byte, b'!' | b'$' | b'&'..=b'.' | b'0'..=b';' | b'=' | b'A'..=b'Z' | b'_' | b'a'..=b'z' | b'~')
}

/// Matches characters of a host's name: no colon.
pub(super) fn is_name(byte: u8) -> bool {
    is_userinfo(byte) && byte != b':'
}

/// Matches characters between slashes of a path.
pub(super) fn is_segment(byte: u8) -> bool {
    is_userinfo(byte) || byte == b'@'
}

/// Matches characters of a path.
pub(super) fn is_path(byte: u8) -> bool {
    is_segment(byte) || byte == b'/'
}

/// Matches characters of a fragment.
pub(super) fn is_fragment(byte: u8) -> bool {
    is_path(byte) || byte == b'?'
}

/// Returns true for a scheme.
pub(super) fn is_scheme(text: &str) -> bool {
    text.starts_with(|c: char| c.is_ascii_alphabetic())
        && text
            .bytes()
            .all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'-' | b'.'))
}

/// Returns true for a host: a name, an address, or one in brackets.
pub(super) fn is_host(text: &str) -> bool {
    match text.strip_prefix('[').and_then(|rest| rest.strip_suffix(']')) {
        Some(inner) => is_ipv6(inner) || is_future_address(inner),
        None => consists_of(text, is_name),
    }
}

/// Matches an IPv6 address. Ruby's pattern is that of RFC 3986, where eight groups can't have `::` among them.
fn is_ipv6(text: &str) -> bool {
    text.parse::<std::net::Ipv6Addr>().is_ok()
}

/// Matches `v1.x`.
fn is_future_address(text: &str) -> bool {
    let Some((version, rest)) = text.strip_prefix('v').and_then(|rest| rest.split_once('.')) else {
        return false;
    };
    let is_number = !version.is_empty() && version.bytes().all(|byte| byte.is_ascii_hexdigit());
    is_number && !rest.is_empty() && rest.bytes().all(is_userinfo)
}
