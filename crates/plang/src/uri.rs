//! Paths and queries.

use std::borrow::Cow;

/// Normalizes a path: unreserved characters are not escaped; there are no `.`, `..` or empty segments.
///
/// A rule for `/admin` must hold for `/%61dmin`, `//admin` and `/x/../admin` too, since the upstream server may treat
/// them alike. Sequences without a clear meaning (`%2F`, `%00`, a bad escape) stay escaped.
pub fn normalize(path: &[u8]) -> Cow<'_, [u8]> {
    if !needs_work(path) {
        return Cow::Borrowed(path);
    }
    let decoded = decode(path, |byte| is_unreserved(byte) || byte > 0x7F);
    let mut segments: Vec<&[u8]> = Vec::new();
    let mut ends_in_slash = false;
    for segment in decoded.split(|byte| *byte == b'/') {
        ends_in_slash = matches!(segment, b"" | b"." | b"..");
        match segment {
            b"" | b"." => (),
            b".." => drop(segments.pop()),
            _ => segments.push(segment),
        }
    }
    let mut out = Vec::with_capacity(path.len());
    for segment in segments {
        out.push(b'/');
        out.extend_from_slice(segment);
    }
    if ends_in_slash || out.is_empty() {
        out.push(b'/');
    }
    Cow::Owned(out)
}

/// Whether a path may need normalization. Scans all of it, many bytes at once.
fn needs_work(path: &[u8]) -> bool {
    let Some((b'/', rest)) = path.split_first() else { return true };
    let pairs = path.iter().zip(rest);
    pairs.fold(false, |needs, (before, byte)| {
        needs | (*byte == b'%') | ((*before == b'/') & ((*byte == b'/') | (*byte == b'.')))
    })
}

/// Decodes the escapes whose byte `wanted` accepts.
pub fn decode(text: &[u8], wanted: impl Fn(u8) -> bool) -> Vec<u8> {
    let mut out = Vec::with_capacity(text.len());
    let mut rest = text;
    while let Some((&first, tail)) = rest.split_first() {
        match escaped(rest).filter(|byte| wanted(*byte)) {
            Some(byte) => {
                out.push(byte);
                rest = &rest[3..];
            }
            None => {
                out.push(first);
                rest = tail;
            }
        }
    }
    out
}

fn escaped(rest: &[u8]) -> Option<u8> {
    let [b'%', high, low, ..] = rest else { return None };
    let digit = |byte: u8| char::from(byte).to_digit(16);
    u8::try_from(digit(*high)? * 16 + digit(*low)?).ok()
}

fn is_unreserved(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || b"-._~!$&'()*+,;=:@".contains(&byte)
}

/// Iterates over the parameters of a query: name and value, still escaped.
pub fn params(query: &[u8]) -> impl Iterator<Item = (&[u8], &[u8])> {
    let pairs = query.split(|byte| *byte == b'&').filter(|pair| !pair.is_empty());
    pairs.map(|pair| match memchr::memchr(b'=', pair) {
        Some(at) => (&pair[..at], &pair[at + 1..]),
        None => (pair, &pair[pair.len()..]),
    })
}

/// Whether an escaped name or value of a query decodes to a text.
pub fn means(escaped: &[u8], text: &[u8]) -> bool {
    escaped == text || *decode_query(escaped) == *text
}

/// Decodes a name or value of a query.
pub fn decode_query(escaped: &[u8]) -> Cow<'_, [u8]> {
    if !escaped.iter().any(|byte| matches!(byte, b'%' | b'+')) {
        return Cow::Borrowed(escaped);
    }
    let spaced: Vec<u8> =
        escaped.iter().map(|byte| if *byte == b'+' { b' ' } else { *byte }).collect();
    Cow::Owned(decode(&spaced, |_| true))
}
