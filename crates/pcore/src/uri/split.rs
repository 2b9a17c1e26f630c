//! URIs from text.

use super::characters::{
    consists_of, is_fragment, is_host, is_path, is_scheme, is_segment, is_userinfo,
};
use super::{Uri, UriError, build};
use kukla_rubytext::inspect::inspect;

impl Uri {
    /// Parses a URI.
    pub fn parse(text: &str) -> Result<Self, UriError> {
        if !text.is_ascii() {
            return Err(UriError(format!("URI must be ascii only {}", dump(text))));
        }
        let pieces = UriPieces::of(text);
        let pieces =
            pieces.ok_or_else(|| UriError(format!("bad URI(is not URI?): {}", inspect(text))))?;
        build::from_pieces(&pieces)
    }
}

/// The components as written.
#[derive(Default, Debug)]
pub(super) struct UriPieces<'a> {
    pub(super) scheme: Option<&'a str>,
    pub(super) userinfo: Option<&'a str>,
    pub(super) host: Option<&'a str>,
    pub(super) port: Option<&'a str>,
    pub(super) path: Option<&'a str>,
    pub(super) opaque: Option<&'a str>,
    pub(super) query: Option<&'a str>,
    pub(super) fragment: Option<&'a str>,
}

impl<'a> UriPieces<'a> {
    fn of(text: &'a str) -> Option<Self> {
        let scheme = text.split_once(':').filter(|(scheme, _)| is_scheme(scheme));
        let with_scheme = scheme.and_then(|(scheme, rest)| {
            Some(Self { scheme: Some(scheme), ..Self::without_scheme(rest, true)? })
        });
        // A first segment with a colon would be a scheme.
        let first = text.split(['/', '?', '#']).next().unwrap_or_default();
        with_scheme.or_else(|| (!first.contains(':')).then(|| Self::without_scheme(text, false))?)
    }

    fn without_scheme(text: &'a str, has_scheme: bool) -> Option<Self> {
        let (text, fragment) = match text.split_once('#') {
            Some((text, fragment)) => (text, Some(fragment)),
            None => (text, None),
        };
        if !fragment.is_none_or(|fragment| consists_of(fragment, is_fragment)) {
            return None;
        }
        let (hierarchy, query) = match text.split_once('?') {
            Some((hierarchy, query)) => (hierarchy, Some(query)),
            None => (text, None),
        };
        if let Some(rest) = hierarchy.strip_prefix("//") {
            let pieces = Self { query, fragment, ..Self::default() };
            return pieces.with_authority(rest);
        }
        if !consists_of(hierarchy, is_path) {
            return None;
        }
        if has_scheme && !hierarchy.is_empty() && !hierarchy.starts_with('/') {
            // The query belongs to the opaque part.
            return Some(Self { opaque: Some(text), fragment, ..Self::default() });
        }
        Some(Self { path: Some(hierarchy), query, fragment, ..Self::default() })
    }

    fn with_authority(self, text: &'a str) -> Option<Self> {
        let (authority, path) = text.split_at(text.find('/').unwrap_or(text.len()));
        if !consists_of(path, |byte| byte == b'/' || is_segment(byte)) {
            return None;
        }
        let (userinfo, rest) = match authority.split_once('@') {
            Some((userinfo, rest)) => (Some(userinfo), rest),
            None => (None, authority),
        };
        if !userinfo.is_none_or(|userinfo| consists_of(userinfo, is_userinfo)) {
            return None;
        }
        let port_at =
            rest.rfind(':').filter(|at| rest[at + 1..].bytes().all(|b| b.is_ascii_digit()));
        let (host, port) = match port_at {
            Some(at) => (&rest[..at], Some(&rest[at + 1..])),
            None => (rest, None),
        };
        let host = Some(host).filter(|host| !host.is_empty());
        host.is_none_or(is_host).then_some(Self { userinfo, host, port, path: Some(path), ..self })
    }
}

/// Formats a text as Ruby's `dump` does, for text beyond ASCII.
fn dump(text: &str) -> String {
    let dumped = |char: char| match u32::from(char) {
        0..0x80 => {
            let inspected = inspect(char.encode_utf8(&mut [0; 4]));
            inspected[1..inspected.len() - 1].to_owned()
        }
        code @ 0x80..0x10000 => format!("\\u{code:04X}"),
        code => format!("\\u{{{code:X}}}"),
    };
    format!("\"{}\"", text.chars().map(dumped).collect::<String>())
}
