//! Another CA: requests for certificates that a server without a CA of its own hands on.
//!
//! Only requests that need no certificate are handed on. The server shows no certificate of its own to the other CA, so
//! no client can borrow its rights there.

use std::time::Duration;

use http_body_util::Full;
use hyper::body::Bytes;
use hyper::header::{
    ACCEPT, CONTENT_TYPE, HeaderName, IF_MODIFIED_SINCE, LAST_MODIFIED, RETRY_AFTER,
};
use hyper::{Method, Request, StatusCode};

use super::exchange::{AgentRequest, Answer, AnswerBody, RouteError};
use super::outgoing::{Bound, Destination, OutgoingError};

/// Fields of a request that are handed on.
const SENT: [HeaderName; 3] = [ACCEPT, CONTENT_TYPE, IF_MODIFIED_SINCE];
/// Bounds of the answer with revocation lists; one of a million entries has 60 MB.
const LISTS: Bound = Bound { time: Duration::from_secs(30), size: 128 << 20 };
/// Seconds after which an agent asks again if the CA is away.
const RETRY: &str = "5";
/// Fields of an answer that are handed on.
const RETURNED: [HeaderName; 2] = [CONTENT_TYPE, LAST_MODIFIED];

/// A CA on another machine.
#[derive(Clone, Debug)]
pub(super) struct AuthorityProxy {
    destination: Destination,
}

impl AuthorityProxy {
    /// Makes a proxy to a server that TLS identifies.
    pub(super) fn new(destination: Destination) -> Self {
        Self { destination }
    }

    /// Hands a request for a name below `puppet-ca/v1/KIND/` on, and returns the answer.
    pub(super) fn answer(&self, kind: &str, request: &AgentRequest) -> Result<Answer, RouteError> {
        let missing = || RouteError::text(StatusCode::NOT_FOUND, "Not Found");
        let [name] = request.path.as_slice() else { return Err(missing()) };
        if ![Method::GET, Method::PUT].contains(&request.method) {
            return Err(missing());
        }
        let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || b"._-".contains(&byte);
        if !name.bytes().all(is_plain) {
            return Err(missing());
        }
        let sent = self.sent(kind, name, request).and_then(|sent| self.destination.send(sent));
        let received = match sent {
            Ok(received) => received,
            Err(error) => {
                let Destination { host, port, .. } = &self.destination;
                let words = format!("the CA at {host}:{port} gives no answer: {error}");
                // Agents wait for so long, and ask again.
                return Ok(
                    Answer::text(StatusCode::SERVICE_UNAVAILABLE, words).with(RETRY_AFTER, RETRY)
                );
            }
        };
        let mut answer = Answer::empty(received.status());
        for field in RETURNED {
            if let Some(value) = received.headers().get(&field) {
                answer.headers.insert(field, value.clone());
            }
        }
        Ok(Answer { body: AnswerBody::Bytes(received.into_body()), ..answer })
    }

    /// Fetches the revocation lists.
    pub(super) fn revocations(&self) -> Result<hyper::Response<Bytes>, OutgoingError> {
        let path = "/puppet-ca/v1/certificate_revocation_list/ca";
        let request = Request::builder().uri(path).header(ACCEPT, "text/plain");
        self.destination.send_within(request.body(Full::default())?, LISTS)
    }

    fn sent(
        &self,
        kind: &str,
        name: &str,
        request: &AgentRequest,
    ) -> Result<Request<Full<Bytes>>, OutgoingError> {
        let path = format!("/puppet-ca/v1/{kind}/{name}");
        let mut sent = Request::builder().method(request.method.clone()).uri(path);
        for field in SENT {
            if let Some(value) = request.headers.get(&field) {
                sent = sent.header(field, value);
            }
        }
        Ok(sent.body(Full::new(request.body.clone()))?)
    }
}
