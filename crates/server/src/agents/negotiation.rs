//! Formats of bodies: those that a client takes, and the one that it sends.

use hyper::HeaderMap;
use hyper::header::{ACCEPT, CONTENT_TYPE};

use super::exchange::{JSON, OCTETS, RouteError};

/// A format of an answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Format {
    /// JSON in which rich data have types.
    RichJson,
    /// JSON in which rich data are texts.
    Json,
    /// JSON under the name that agents before version 8 know.
    Pson,
}

impl Format {
    /// The formats of catalogs, the server's favourite first.
    pub(super) const CATALOG: &'static [Self] = &[Self::RichJson, Self::Json, Self::Pson];
    /// The formats of everything else.
    pub(super) const DATA: &'static [Self] = &[Self::Json, Self::Pson];

    /// Returns the type of the content.
    pub(super) fn content_type(self) -> &'static str {
        match self {
            Self::RichJson => "application/vnd.puppet.rich+json; charset=utf-8",
            Self::Json => JSON,
            Self::Pson => "text/pson",
        }
    }

    /// Returns whether a word of `Accept` means this format: Puppet knows types and names of its own.
    fn is_meant_by(self, word: &str) -> bool {
        let [mime, name] = match self {
            Self::RichJson => ["application/vnd.puppet.rich+json", "rich_data_json"],
            Self::Json => ["application/json", "json"],
            Self::Pson => ["text/pson", "pson"],
        };
        word.eq_ignore_ascii_case(mime) || word == name
    }
}

/// Returns the first format of `Accept` that the server offers; qualities do not count, as in Puppet.
pub(super) fn accepted(headers: &HeaderMap, offered: &[Format]) -> Result<Format, RouteError> {
    let missing = || RouteError::MissingHeader("Missing required Accept header".to_owned());
    let accept = headers.get(ACCEPT).ok_or_else(missing)?.to_str().unwrap_or_default();
    let words = accept.split(',').map(|word| word.split(';').next().unwrap_or_default().trim());
    for word in words {
        if word == "*/*" {
            return offered.first().copied().ok_or_else(missing);
        }
        if let Some(format) = offered.iter().find(|format| format.is_meant_by(word)) {
            return Ok(*format);
        }
    }
    let words = format!("No supported formats are acceptable (Accept: {accept})");
    Err(RouteError::NotAcceptable(words))
}

/// Refuses a body that is not JSON.
pub(super) fn require_json(headers: &HeaderMap) -> Result<(), RouteError> {
    let formats = [Format::Json, Format::Pson];
    require_type(headers, |mime| formats.iter().any(|format| format.is_meant_by(mime)))
}

/// Refuses a body that is not a file.
pub(super) fn require_octets(headers: &HeaderMap) -> Result<(), RouteError> {
    require_type(headers, |mime| mime == OCTETS)
}

fn require_type(
    headers: &HeaderMap,
    is_supported: impl Fn(&str) -> bool,
) -> Result<(), RouteError> {
    let Some(content_type) = headers.get(CONTENT_TYPE) else {
        let words =
            "No Content-Type header was received, it isn't possible to unserialize the request";
        return Err(RouteError::MissingHeader(words.to_owned()));
    };
    let content_type = content_type.to_str().unwrap_or_default();
    let mime = content_type.split(';').next().unwrap_or_default().trim();
    match is_supported(mime) {
        true => Ok(()),
        false => Err(RouteError::UnsupportedMedia(format!(
            "Client sent a mime-type ({mime}) that doesn't correspond to a format we support"
        ))),
    }
}
