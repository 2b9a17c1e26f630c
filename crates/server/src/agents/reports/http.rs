//! The processor `http`: reports that are posted to another server.

use std::fmt;
use std::sync::Arc;

use data_encoding::BASE64;
use http_body_util::Full;
use hyper::body::Bytes;
use hyper::header::{AUTHORIZATION, CONTENT_TYPE};
use hyper::{Request, StatusCode};
use rustls::ClientConfig;

use crate::agents::outgoing::{Destination, OutgoingError};

/// The setting `reporturl`. What is printed of it never shows user and password.
#[derive(Clone)]
pub struct ReportUrl {
    destination: Destination,
    path: String,
    /// The field `Authorization` if the URL has a user and a password.
    authorization: Option<String>,
}

/// A URL that reports can't be posted to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum UrlError {
    /// The text is no URL of a server.
    #[error("the setting `reporturl` must look like `https://host:port/path`")]
    Form,
    /// There are no certificates to trust.
    #[error(
        "the setting `localcacert` must name the certificate of the CA, which `reporturl` needs"
    )]
    Trust,
}

/// The reasons why a report was not delivered.
#[derive(Debug, thiserror::Error)]
pub enum PostError {
    /// There is no URL.
    #[error("the setting `reporturl` is missing")]
    NoUrl,
    /// The server gives no answer.
    #[error(transparent)]
    Outgoing(#[from] OutgoingError),
    /// The server refuses the report.
    #[error("[{}] {}", .0.as_u16(), .0.canonical_reason().unwrap_or_default())]
    Refused(StatusCode),
}

impl ReportUrl {
    /// Parses a URL; `tls` has the certificates to trust, and is asked for `https` only.
    pub fn parse(
        text: &str,
        tls: impl FnOnce() -> Option<Arc<ClientConfig>>,
    ) -> Result<Self, UrlError> {
        let (scheme, rest) = text.split_once("://").ok_or(UrlError::Form)?;
        let (tls, default_port) = match scheme {
            "http" => (None, 80),
            "https" => (Some(tls().ok_or(UrlError::Trust)?), 443),
            _ => return Err(UrlError::Form),
        };
        let at = rest.find(['/', '?']).unwrap_or(rest.len());
        let (authority, path) = rest.split_at(at);
        let (user, host) = match authority.rsplit_once('@') {
            Some((user, host)) => (Some(user), host),
            None => (None, authority),
        };
        let is_port = |port: &str| !port.is_empty() && port.bytes().all(|it| it.is_ascii_digit());
        let (host, port) = match host.rsplit_once(':').filter(|(_, port)| is_port(port)) {
            Some((host, port)) => (host, port.parse().map_err(|_| UrlError::Form)?),
            None => (host, default_port),
        };
        let host = host.trim_start_matches('[').trim_end_matches(']').to_owned();
        let is_valid = !host.is_empty() && !text.contains(|c: char| c.is_control() || c == ' ');
        let path = if path.starts_with('/') { path.to_owned() } else { format!("/{path}") };
        let authorization = user.filter(|user| user.contains(':')).map(|user| {
            let user = crate::agents::query::decoded(user).unwrap_or_else(|_| user.to_owned());
            format!("Basic {}", BASE64.encode(user.as_bytes()))
        });
        let destination = Destination { host, port, tls };
        is_valid.then_some(Self { destination, path, authorization }).ok_or(UrlError::Form)
    }
}

impl fmt::Display for ReportUrl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Destination { host, port, tls } = &self.destination;
        let scheme = if tls.is_some() { "https" } else { "http" };
        write!(f, "{scheme}://{host}:{port}{}", self.path)
    }
}

impl fmt::Debug for ReportUrl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{self}")
    }
}

/// Posts a YAML document and waits for the answer. Must not be called on a thread of an async runtime.
pub(super) fn post(url: &ReportUrl, yaml: String) -> Result<(), PostError> {
    let mut request = Request::post(&url.path).header(CONTENT_TYPE, "application/x-yaml");
    if let Some(authorization) = &url.authorization {
        request = request.header(AUTHORIZATION, authorization);
    }
    let request = request.body(Full::new(Bytes::from(yaml))).map_err(OutgoingError::from)?;
    let status = url.destination.send(request)?.status();
    if status.is_success() { Ok(()) } else { Err(PostError::Refused(status)) }
}
