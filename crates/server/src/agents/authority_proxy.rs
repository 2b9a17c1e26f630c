//! Another CA: requests for certificates that a server without a CA of its own hands on.
//!
//! Only requests that need no certificate are handed on. The server shows no certificate of its own to the other CA, so
//! no client can borrow its rights there.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use http_body_util::Full;
use hyper::body::Bytes;
use hyper::header::{ACCEPT, CONTENT_TYPE, HeaderName, IF_MODIFIED_SINCE, LAST_MODIFIED};
use hyper::{Method, Request, StatusCode};

use super::exchange::{AgentRequest, Answer, AnswerBody, RouteError};
use super::outgoing::{Bound, Destination, OutgoingError};

/// Fields of a request that are handed on.
const SENT: [HeaderName; 3] = [ACCEPT, CONTENT_TYPE, IF_MODIFIED_SINCE];
/// Bounds of the answer with revocation lists; one of a million entries has 60 MB.
const LISTS: Bound = Bound { time: Duration::from_secs(30), size: 128 << 20 };
/// Bounds of one attempt.
const ATTEMPT: Bound = Bound { time: Duration::from_secs(10), size: 16 << 20 };
/// The time for which requests of new agents are sent again, and the pause between two attempts.
const PATIENCE: Duration = Duration::from_secs(20);
const PAUSE: Duration = Duration::from_millis(500);
/// The number of requests that may wait for the CA at a time; others are answered at once.
const MOST_WAITING: usize = 2;
/// Fields of an answer that are handed on.
const RETURNED: [HeaderName; 2] = [CONTENT_TYPE, LAST_MODIFIED];

/// A CA on another machine.
#[derive(Clone, Debug)]
pub(super) struct AuthorityProxy {
    destination: Destination,
    /// The number of requests that may be sent again.
    n_waiting: Arc<AtomicUsize>,
}

/// A place among the requests that wait for the CA.
struct Place(Arc<AtomicUsize>);

impl Place {
    fn take(places: &Arc<AtomicUsize>) -> Option<Self> {
        let place = Self(Arc::clone(places));
        let n_before = places.fetch_add(1, Ordering::Relaxed);
        (n_before < MOST_WAITING).then_some(place)
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::Relaxed);
    }
}

impl AuthorityProxy {
    /// Makes a proxy to a server that TLS identifies.
    pub(super) fn new(destination: Destination) -> Self {
        Self { destination, n_waiting: Arc::default() }
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
        let received = match self.deliver(kind, name, request) {
            Ok(received) => received,
            Err(error) => {
                let Destination { host, port, .. } = &self.destination;
                let words = format!("the CA at {host}:{port} gives no answer: {error}");
                // Without `Retry-After`, by which agents of version 7 fail: they ask again by themselves (`waitforcert`).
                return Ok(Answer::text(StatusCode::SERVICE_UNAVAILABLE, words));
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

    /// Sends a request, and again for a while if the CA can't be reached: it may just be started anew.
    fn deliver(
        &self,
        kind: &str,
        name: &str,
        request: &AgentRequest,
    ) -> Result<hyper::Response<Bytes>, OutgoingError> {
        let start = Instant::now();
        let send = || {
            let sent = self.sent(kind, name, request);
            sent.and_then(|sent| self.destination.send_within(sent, ATTEMPT))
        };
        let has_copy = name == "ca";
        // Threads that wait are missing elsewhere.
        let place = Place::take(&self.n_waiting).filter(|_| !has_copy);
        loop {
            match send() {
                Err(_) if place.is_some() && start.elapsed() < PATIENCE => {
                    std::thread::sleep(PAUSE);
                }
                other => return other,
            }
        }
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
