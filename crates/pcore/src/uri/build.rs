//! URIs from components: the rules of each scheme, and the checks of components from a hash.

use ecow::EcoString;

use super::characters::{consists_of, is_escape, is_host, is_path, is_scheme, is_userinfo};
use super::split::UriPieces;
use super::{Uri, UriError};
use crate::{Hash, Value};

/// Creates the URI of parsed components, which need no checks.
pub(super) fn from_pieces(pieces: &UriPieces<'_>) -> Result<Uri, UriError> {
    let &UriPieces { scheme, userinfo, host, port, path, opaque, query, fragment } = pieces;
    let mut uri = Uri {
        scheme: scheme.map(|scheme| scheme.to_ascii_lowercase().into()),
        userinfo: userinfo.map(Into::into),
        host: host.map(Into::into),
        port: port
            .filter(|digits| !digits.is_empty())
            .map(|digits| digits.parse().unwrap_or(i64::MAX)),
        path: path.map(Into::into),
        query: query.map(escape_query).transpose()?,
        fragment: fragment.map(escape_fragment),
        opaque: opaque.map(Into::into),
    };
    finish(&mut uri, path)?;
    Ok(uri)
}

impl Uri {
    /// Creates a URI of the components in a hash, each of which is checked.
    pub fn build(hash: &Hash) -> Result<Self, UriError> {
        let text = |key| hash.get_str(key).and_then(Value::as_str);
        let port = match hash.get_str("port") {
            Some(Value::Integer(port)) => Some(*port),
            _ => None,
        };
        let mut uri = Self { port, ..Self::default() };
        uri.scheme = checked("scheme", text("scheme"), is_scheme)?.map(|s| s.to_ascii_lowercase());
        if text("userinfo").is_some_and(|userinfo| !consists_of(userinfo, is_userinfo)) {
            return Err(UriError("bad user component".into()));
        }
        uri.userinfo = text("userinfo").map(Into::into);
        uri.host = host(text("host"))?;
        uri.path = uri.checked_path(text("path"))?;
        uri.query = text("query").map(escape_query).transpose()?;
        uri.opaque = uri.checked_opaque(text("opaque"))?;
        uri.fragment = text("fragment").map(escape_fragment);
        let path = uri.path.clone();
        finish(&mut uri, path.as_deref())?;
        Ok(uri)
    }

    fn checked_path(&self, path: Option<&str>) -> Result<Option<EcoString>, UriError> {
        let is_ftp = self.scheme.as_deref() == Some("ftp");
        let may_be_relative = is_ftp || self.scheme.is_none();
        let Some(path) = path else { return Ok(None) };
        if !consists_of(path, is_path) || !(may_be_relative || path.starts_with('/')) {
            let kind = if may_be_relative { "relative path" } else { "absolute path" };
            return Err(bad_component(kind, path));
        }
        // The path in a hash is that of the file, which may begin at the root.
        Ok(Some(match path.strip_prefix('/') {
            Some(rest) if is_ftp => format!("/%2F{rest}").into(),
            None if is_ftp => format!("/{path}").into(),
            _ => path.into(),
        }))
    }

    fn checked_opaque(&self, opaque: Option<&str>) -> Result<Option<EcoString>, UriError> {
        let Some(opaque) = opaque else { return Ok(None) };
        let Self { userinfo, host, port, path, .. } = self;
        if host.is_some() || port.is_some() || userinfo.is_some() || path.is_some() {
            let message = "can not set opaque with host, port, userinfo or path";
            return Err(UriError(message.into()));
        }
        checked("opaque", Some(opaque), |text| !text.starts_with('/') && !text.contains('\n'))
    }
}

/// Applies the rules of Ruby's class for the scheme.
fn finish(uri: &mut Uri, path: Option<&str>) -> Result<(), UriError> {
    match uri.scheme.as_deref() {
        // The address `localhost` is left out.
        Some("file") => {
            uri.host = uri.host.take().filter(|host| host != "localhost").or(Some("".into()));
            uri.port = None;
            uri.userinfo = None;
        }
        Some("ftp") if path.is_none() => return Err(UriError("URI::InvalidURIError".into())),
        Some("ldap" | "ldaps") if path.is_none() || uri.fragment.is_some() => {
            return Err(UriError("bad LDAP URL".into()));
        }
        _ => (),
    }
    uri.port = uri.port.or_else(|| uri.default_port());
    Ok(())
}

/// Checks a host. An IPv6 address needs no brackets.
fn host(host: Option<&str>) -> Result<Option<EcoString>, UriError> {
    match host {
        Some(host) if host.contains(':') && !(host.starts_with('[') && host.ends_with(']')) => {
            checked("host", Some(&format!("[{host}]")), is_host)
        }
        host => checked("host", host, is_host),
    }
}

fn checked(
    kind: &str,
    text: Option<&str>,
    is_right: fn(&str) -> bool,
) -> Result<Option<EcoString>, UriError> {
    match text {
        Some(text) if !is_right(text) => Err(bad_component(kind, text)),
        text => Ok(text.map(Into::into)),
    }
}

fn bad_component(kind: &str, text: &str) -> UriError {
    UriError(format!("bad component(expected {kind} component): {text}"))
}

/// Escapes a query, which may have any characters.
fn escape_query(text: &str) -> Result<EcoString, UriError> {
    let bytes = text.as_bytes();
    let bad = |w: &[u8]| w[0] == b'%' && !w[1].is_ascii_hexdigit() && !w[2].is_ascii_hexdigit();
    if let Some(at) = bytes.windows(3).position(bad) {
        let escape = String::from_utf8_lossy(&bytes[at..at + 3]);
        return Err(UriError(format!("invalid percent escape: {escape}")));
    }
    Ok(escape(
        text,
        |byte| matches!(byte, b'!' | b'$'..=b'&' | b'('..=b';' | b'=' | b'?'..=b'_' | b'a'..=b'~'),
    ))
}

fn escape_fragment(text: &str) -> EcoString {
    escape(text, |byte| matches!(byte, b'!'..=b'~'))
}

/// Escapes all characters but the allowed ones, among which is `%`, as in Ruby.
fn escape(text: &str, allowed: fn(u8) -> bool) -> EcoString {
    let mut out = EcoString::new();
    for (at, &byte) in text.as_bytes().iter().enumerate() {
        match byte {
            b'\t' | b'\r' | b'\n' => (),
            b'%' if is_escape(&text.as_bytes()[at..]) => out.push('%'),
            _ if allowed(byte) => out.push(char::from(byte)),
            _ => out.push_str(&format!("%{byte:02X}")),
        }
    }
    out
}
