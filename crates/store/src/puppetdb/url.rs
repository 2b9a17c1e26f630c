//! Addresses of servers: `https://HOST:PORT`.

use std::fmt;
use std::net::IpAddr;

/// A server.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct ServerUrl {
    pub(super) is_tls: bool,
    /// A name, or an address without brackets.
    pub(super) host: String,
    /// The port, if the URL names it.
    port: Option<u16>,
}

/// A text that is no address of a server.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum UrlError {
    /// It is no URL.
    #[error("`{0}` is no URL such as `https://puppetdb.example.com:8081`")]
    Form(String),
    /// Its scheme is another one.
    #[error(
        "`{0}` must begin with `https://`; `http://` is for this machine alone (127.0.0.1, ::1, localhost)"
    )]
    Scheme(String),
    /// It has a path.
    #[error("`{0}` must have no path")]
    Path(String),
}

impl ServerUrl {
    /// Returns the address that the terminus has without a setting.
    pub(super) fn standard() -> Self {
        Self { is_tls: true, host: "puppetdb".to_owned(), port: Some(8081) }
    }

    /// Parses an address.
    pub fn parse(text: &str) -> Result<Self, UrlError> {
        let form = || UrlError::Form(text.to_owned());
        let (scheme, rest) = text.split_once("://").ok_or_else(form)?;
        let is_tls = match scheme.to_ascii_lowercase().as_str() {
            "https" => true,
            "http" => false,
            _ => return Err(UrlError::Scheme(text.to_owned())),
        };
        let (authority, path) =
            rest.find(['/', '?', '#']).map_or((rest, ""), |at| rest.split_at(at));
        if !path.is_empty() && path != "/" {
            return Err(UrlError::Path(text.to_owned()));
        }
        let (host, port) = match authority.strip_prefix('[') {
            Some(rest) => {
                let (host, rest) = rest.split_once(']').ok_or_else(form)?;
                host.parse::<std::net::Ipv6Addr>().map_err(|_| form())?;
                match rest.strip_prefix(':') {
                    Some(port) => (host, Some(port)),
                    None if rest.is_empty() => (host, None),
                    None => return Err(form()),
                }
            }
            None => match authority.split_once(':') {
                Some((host, port)) => (host, Some(port)),
                None => (authority, None),
            },
        };
        let is_host = |byte: u8| byte.is_ascii_alphanumeric() || b"-._:".contains(&byte);
        if host.is_empty() || host.len() > 255 || !host.bytes().all(is_host) {
            return Err(form());
        }
        let is_digits = |port: &&str| port.bytes().all(|byte| byte.is_ascii_digit());
        let port = match port {
            None => None,
            Some(port) => {
                let port = Some(port).filter(is_digits).and_then(|port| port.parse().ok());
                Some(port.filter(|port| *port > 0).ok_or_else(form)?)
            }
        };
        let url = Self { is_tls, host: host.to_ascii_lowercase(), port };
        match is_tls || url.is_local() {
            true => Ok(url),
            false => Err(UrlError::Scheme(text.to_owned())),
        }
    }

    /// Returns the port.
    pub(super) fn port(&self) -> u16 {
        self.port.unwrap_or(if self.is_tls { 443 } else { 80 })
    }

    /// Returns host and port as the field `Host` has them.
    pub(super) fn authority(&self) -> String {
        let host = match self.host.contains(':') {
            true => format!("[{}]", self.host),
            false => self.host.clone(),
        };
        match self.port {
            Some(port) => format!("{host}:{port}"),
            None => host,
        }
    }

    /// Returns whether only this machine is meant.
    fn is_local(&self) -> bool {
        let is_loopback = self.host.parse::<IpAddr>().is_ok_and(|address| address.is_loopback());
        is_loopback || self.host == "localhost"
    }
}

impl fmt::Display for ServerUrl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}://{}", if self.is_tls { "https" } else { "http" }, self.authority())
    }
}
