//! Requests of agents and answers to them, as the handlers of routes see them.
//!
//! A handler is a synchronous function from an [`AgentRequest`] to an [`Answer`] or a [`RouteError`]; the listener
//! reads the request before it, and compresses and sends the answer after it.

use std::fs::File;
use std::net::IpAddr;
use std::sync::{Arc, Mutex, PoisonError};

use hyper::body::Bytes;
use hyper::header::{CONTENT_TYPE, HeaderMap, HeaderName, HeaderValue};
use hyper::{Method, StatusCode};

use tokio::sync::oneshot;

use super::piped::Outlet;
use super::query::Query;

/// The content type of JSON answers.
pub const JSON: &str = "application/json; charset=utf-8";
/// The content type of plain texts.
pub const TEXT: &str = "text/plain; charset=utf-8";
/// The content type of file contents.
pub const OCTETS: &str = "application/octet-stream";

/// A request that passed the policy.
#[derive(Clone, Debug)]
pub struct AgentRequest {
    /// The method.
    pub method: Method,
    /// The segments of the path after the prefix of the route, decoded once: none is empty, `.` or `..`.
    pub path: Vec<String>,
    /// Whether the path has a slash at its end.
    pub ends_in_slash: bool,
    /// Parameters of the query, and of the form in the body where the route takes one.
    pub query: Query,
    /// Header fields.
    pub headers: HeaderMap,
    /// The body, of a bounded size.
    pub body: Bytes,
    /// The client.
    pub client: Client,
    /// The environment that the rules chose for the node.
    pub environment: Option<String>,
    /// The way by which an answer can begin before the handler has ended.
    pub(super) early: Early,
}

/// The way by which an answer can begin before the handler has ended; it works once.
#[derive(Clone, Debug, Default)]
pub(super) struct Early(Option<Arc<Mutex<Option<oneshot::Sender<Answer>>>>>);

impl Early {
    /// Makes a way, and its end.
    pub(super) fn new() -> (Self, oneshot::Receiver<Answer>) {
        let (sender, receiver) = oneshot::channel();
        (Self(Some(Arc::new(Mutex::new(Some(sender))))), receiver)
    }

    /// Returns whether there is such a way, be it used or not.
    pub(super) fn exists(&self) -> bool {
        self.0.is_some()
    }

    /// Lets an answer begin; returns whether its client is still there.
    pub(super) fn send(&self, answer: Answer) -> bool {
        let Some(way) = &self.0 else { return false };
        let sender = way.lock().unwrap_or_else(PoisonError::into_inner).take();
        sender.is_some_and(|sender| sender.send(answer).is_ok())
    }
}

/// A client, identified by its certificate.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Client {
    /// The common name of its verified certificate; none without a certificate.
    pub certname: Option<String>,
    /// Extensions of the certificate, by short name where they have one, or else by OID.
    pub extensions: Vec<(String, String)>,
    /// DNS names of the certificate.
    pub alt_names: Vec<String>,
    /// The certificate in DER.
    pub certificate: Option<Bytes>,
    /// The address of the peer.
    pub address: IpAddr,
}

/// An answer.
#[derive(Debug)]
pub struct Answer {
    /// The status.
    pub status: StatusCode,
    /// Header fields.
    pub headers: HeaderMap,
    /// The body.
    pub body: AnswerBody,
    /// Words about it for the log.
    pub remark: Option<&'static str>,
}

/// The body of an answer.
#[derive(Debug)]
pub enum AnswerBody {
    /// Bytes in memory.
    Bytes(Bytes),
    /// An opened regular file, which is sent piece by piece.
    File {
        /// The file, at its beginning.
        file: File,
        /// The number of bytes to send.
        length: u64,
    },
    /// A body that is still being made.
    Piped(Piped),
}

/// A body that is still being made.
#[derive(Debug)]
pub struct Piped(pub(super) Outlet);

impl Answer {
    /// Makes an answer with a status and a body of a type.
    pub fn new(status: StatusCode, content_type: &'static str, body: impl Into<Bytes>) -> Self {
        let mut headers = HeaderMap::new();
        headers.insert(CONTENT_TYPE, HeaderValue::from_static(content_type));
        Self { status, headers, body: AnswerBody::Bytes(body.into()), remark: None }
    }

    /// Makes a successful answer with a JSON text.
    pub fn json(text: impl Into<Bytes>) -> Self {
        Self::new(StatusCode::OK, JSON, text)
    }

    /// Makes an answer with a plain text.
    pub fn text(status: StatusCode, text: impl Into<Bytes>) -> Self {
        Self::new(status, TEXT, text)
    }

    /// Makes an answer without a body or type.
    pub fn empty(status: StatusCode) -> Self {
        let body = AnswerBody::Bytes(Bytes::new());
        Self { status, headers: HeaderMap::new(), body, remark: None }
    }

    /// Makes a successful answer with the content of a file.
    pub fn file(file: File, length: u64) -> Self {
        let mut headers = HeaderMap::new();
        headers.insert(CONTENT_TYPE, HeaderValue::from_static(OCTETS));
        let body = AnswerBody::File { file, length };
        Self { status: StatusCode::OK, headers, body, remark: None }
    }

    /// Adds a header field; a value that HTTP does not allow is left out.
    #[must_use]
    pub fn with(mut self, name: HeaderName, value: &str) -> Self {
        if let Ok(value) = HeaderValue::from_str(value) {
            self.headers.insert(name, value);
        }
        self
    }
}

/// A request that a handler refuses, in the words of Puppet Server.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum RouteError {
    /// 404, for a thing that does not exist.
    #[error("Not Found: {0}")]
    NotFound(String),
    /// 404, for an environment that does not exist.
    #[error("Not Found: Could not find environment '{0}'")]
    NoEnvironment(String),
    /// 400, for a request that can't be understood.
    #[error("Bad Request: {0}")]
    BadRequest(String),
    /// 400, for a request without a field that it needs.
    #[error("Bad Request: {0}")]
    MissingHeader(String),
    /// 406, for a client that takes none of the formats that there are.
    #[error("Not Acceptable: {0}")]
    NotAcceptable(String),
    /// 415, for a body in a format that can't be read.
    #[error("Unsupported Media Type: {0}")]
    UnsupportedMedia(String),
    /// 403, for a thing that no client may have.
    #[error("Forbidden: {0}")]
    Forbidden(String),
    /// 500, for everything that fails.
    #[error("Server Error: {0}")]
    Failed(String),
    /// An error of the routes that answer in plain text.
    #[error("{1}")]
    Text(StatusCode, String),
    /// An error whose text has no type.
    #[error("{1}")]
    Untyped(StatusCode, String),
    /// 503, for a server that has too much to do; the number of seconds after which to try again.
    #[error("the server is busy; try again in {0} seconds")]
    Busy(u64),
}

impl RouteError {
    /// Makes an error that is answered in plain text.
    pub fn text(status: StatusCode, words: impl Into<String>) -> Self {
        Self::Text(status, words.into())
    }

    /// Returns the status of the answer.
    pub fn status(&self) -> StatusCode {
        match self {
            Self::NotFound(_) | Self::NoEnvironment(_) => StatusCode::NOT_FOUND,
            Self::BadRequest(_) | Self::MissingHeader(_) => StatusCode::BAD_REQUEST,
            Self::NotAcceptable(_) => StatusCode::NOT_ACCEPTABLE,
            Self::UnsupportedMedia(_) => StatusCode::UNSUPPORTED_MEDIA_TYPE,
            Self::Forbidden(_) => StatusCode::FORBIDDEN,
            Self::Failed(_) => StatusCode::INTERNAL_SERVER_ERROR,
            Self::Text(status, _) | Self::Untyped(status, _) => *status,
            Self::Busy(_) => StatusCode::SERVICE_UNAVAILABLE,
        }
    }

    /// Returns Puppet's name of the kind of error.
    fn kind(&self) -> &'static str {
        match self {
            Self::NotFound(_) => "RESOURCE_NOT_FOUND",
            Self::MissingHeader(_) => "MISSING_HEADER_FIELD",
            Self::NotAcceptable(_) => "UNSUPPORTED_FORMAT",
            Self::UnsupportedMedia(_) => "UNSUPPORTED_MEDIA_TYPE",
            _ => "RUNTIME_ERROR",
        }
    }

    /// Returns the answer: JSON for Puppet's own routes, and plain text for the others.
    pub fn answer(&self) -> Answer {
        match self {
            Self::Text(status, words) => Answer::text(*status, words.clone()),
            Self::Untyped(status, words) => {
                let body = AnswerBody::Bytes(words.clone().into());
                Answer { body, ..Answer::empty(*status) }
            }
            Self::Busy(seconds) => Answer::text(self.status(), self.to_string())
                .with(hyper::header::RETRY_AFTER, &seconds.to_string()),
            _ => {
                let body = serde_json::json!({
                    "message": self.to_string(), "issue_kind": self.kind(),
                });
                Answer { status: self.status(), ..Answer::json(body.to_string()) }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn errors_have_the_body_that_agents_read() {
        let answer = RouteError::NotFound("Could not find environment 'x'".to_owned()).answer();
        let AnswerBody::Bytes(body) = answer.body else { panic!("a text") };
        let expected = r#"{"message":"Not Found: Could not find environment 'x'","issue_kind":"RESOURCE_NOT_FOUND"}"#;
        assert_eq!((answer.status.as_u16(), &*body), (404, expected.as_bytes()));
    }
}
