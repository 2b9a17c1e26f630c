//! The endpoint that proxies query about every request.

use std::cell::RefCell;
use std::convert::Infallible;
use std::net::{IpAddr, SocketAddr};
use std::sync::Arc;
use std::time::{Duration, Instant};

use bumpalo::Bump;
use http_body_util::Full;
use hyper::body::{Bytes, Incoming};
use hyper::header::{HeaderName, HeaderValue, WWW_AUTHENTICATE};
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper::{Request, Response, StatusCode};
use hyper_util::rt::{TokioIo, TokioTimer};
use kukla_plang::compiled;
use kukla_plang::services::NoServices;
use kukla_plang::transaction::Transaction;
use kukla_plang::verdict::{Outcome, Verdict};
use tokio::net::TcpListener;
use tokio::sync::Semaphore;

use crate::engine::{Answers, Engine};
use crate::forwarded::{Blame, OriginalRequest, Refusal, Trust, is_endpoint};

/// Maximum number of concurrent connections; further ones wait.
const CONNECTIONS: usize = 4096;
/// Maximum size of a request head.
const HEAD_SIZE: usize = 64 << 10;

/// Configuration and state of the endpoint.
pub struct Endpoint {
    /// The program that decides, and everything beside it.
    pub engine: Engine,
    /// Trust in the header fields of a question.
    pub trust: Trust,
    /// Addresses of proxies that may ask; empty: this machine only.
    pub proxies: Vec<IpAddr>,
    /// Time limit for the head of a request, and for an idle connection.
    pub head_time: Duration,
}

impl std::fmt::Debug for Endpoint {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(out, "Endpoint({:?})", self.engine.rules)
    }
}

thread_local! {
    /// Arena for texts; reset, not freed, after each message.
    static ARENA: RefCell<Bump> = RefCell::new(Bump::new());
}

/// Serves requests until the process ends.
pub async fn serve(endpoint: Arc<Endpoint>, listener: TcpListener) -> std::io::Result<()> {
    let watched = Arc::clone(&endpoint);
    tokio::spawn(async move { watched.engine.watch().await });
    let places = Arc::new(Semaphore::new(CONNECTIONS));
    loop {
        let place = Arc::clone(&places).acquire_owned().await;
        let (stream, peer) = match listener.accept().await {
            Ok(accepted) => accepted,
            Err(_) => {
                // Most likely out of file descriptors: wait for connections to close.
                tokio::time::sleep(Duration::from_millis(50)).await;
                continue;
            }
        };
        let _ = stream.set_nodelay(true);
        let endpoint = Arc::clone(&endpoint);
        tokio::spawn(async move {
            let service = service_fn(|request| {
                let response = endpoint.answer(&request, peer);
                async move { Ok::<_, Infallible>(response) }
            });
            let mut builder = http1::Builder::new();
            builder
                .timer(TokioTimer::new())
                .header_read_timeout(endpoint.head_time)
                .max_buf_size(HEAD_SIZE);
            // An error of one connection must not affect others.
            let _ = builder.serve_connection(TokioIo::new(stream), service).await;
            drop(place);
        });
    }
}

impl Endpoint {
    /// Answers one request.
    pub fn answer(&self, request: &Request<Incoming>, peer: SocketAddr) -> Response<Full<Bytes>> {
        if !self.may_ask(peer.ip()) {
            self.engine.metrics.refused();
            return plain(
                StatusCode::FORBIDDEN,
                "this address is not an allowed proxy; add it with `--proxy`\n",
            );
        }
        match request.uri().path() {
            "/metrics" => plain(StatusCode::OK, &self.engine.metrics.text()),
            "/health" => plain(StatusCode::OK, "ok\n"),
            path if is_endpoint(path) => self.decide(request),
            _ => plain(StatusCode::NOT_FOUND, "the endpoint is /p/authz\n"),
        }
    }

    fn may_ask(&self, peer: IpAddr) -> bool {
        let peer = peer.to_canonical();
        if self.proxies.is_empty() { peer.is_loopback() } else { self.proxies.contains(&peer) }
    }

    fn decide<B>(&self, request: &Request<B>) -> Response<Full<Bytes>> {
        let start = Instant::now();
        let live = self.engine.rules.live();
        ARENA.with_borrow_mut(|arena| {
            arena.reset();
            let arena = &*arena;
            let original = match OriginalRequest::read(request, self.trust) {
                Ok(original) => original,
                Err(refusal) => return self.refuse(&refusal),
            };
            let message = original.message(self.engine.clock(), arena);
            let limits = &live.compiled.program.limits;
            let transaction = Transaction::new(&message, arena, limits);
            let outcome = compiled::run(&live.compiled, transaction, &mut NoServices);
            let verdict = outcome.verdict(&live.compiled.program);
            let answers = Answers::default();
            self.engine.finish(&live, &message, &outcome, start.elapsed(), answers);
            response(&outcome, verdict)
        })
    }

    /// Answers a request that no program sees, and logs the reason.
    fn refuse(&self, refusal: &Refusal) -> Response<Full<Bytes>> {
        self.engine.metrics.refused();
        if self.engine.may_report() {
            let event = serde_json::json!({ "event": "refused", "reason": refusal.reason });
            (self.engine.log)(&event.to_string());
        }
        match refusal.blame {
            Blame::Proxy => plain(StatusCode::BAD_REQUEST, &format!("{refusal}\n")),
            // nginx turns any other status into an error of its own.
            Blame::Client => plain(StatusCode::FORBIDDEN, "denied\n"),
        }
    }
}

/// Returns the response that expresses the verdict to proxies.
fn response(outcome: &Outcome<'_>, verdict: Verdict<'_>) -> Response<Full<Bytes>> {
    let mut response = match verdict {
        Verdict::Allow | Verdict::Pass => plain(StatusCode::OK, ""),
        Verdict::Deny(_) | Verdict::NoDecision => plain(StatusCode::FORBIDDEN, "denied\n"),
        // The log has the reason of a failure; the client, who may have caused it, does not learn it.
        Verdict::Fail(_) => plain(StatusCode::FORBIDDEN, "denied\n"),
        Verdict::Challenge(scheme) => {
            let mut response = plain(StatusCode::UNAUTHORIZED, "authentication is needed\n");
            if let Ok(scheme) = HeaderValue::from_bytes(scheme) {
                response.headers_mut().insert(WWW_AUTHENTICATE, scheme);
            }
            response
        }
        Verdict::Answered => answered(outcome),
        Verdict::Respond(status, text) => {
            let status = u16::try_from(status).ok().and_then(|s| StatusCode::from_u16(s).ok());
            let text = String::from_utf8_lossy(text);
            plain(status.unwrap_or(StatusCode::FORBIDDEN), &text)
        }
    };
    if verdict.is_allowed() {
        add_changes(&mut response, outcome);
    }
    response
}

/// Returns the response that a service made, such as a redirection.
fn answered(outcome: &Outcome<'_>) -> Response<Full<Bytes>> {
    let state = outcome.transaction.state();
    let status = StatusCode::from_u16(state.status).unwrap_or(StatusCode::FORBIDDEN);
    let text = String::from_utf8_lossy(state.body.preview.unwrap_or_default());
    let mut response = plain(status, &text);
    for field in state.response {
        let name = HeaderName::from_bytes(field.name);
        if let (Ok(name), Ok(value)) = (name, HeaderValue::from_bytes(field.value)) {
            response.headers_mut().append(name, value);
        }
    }
    response
}

/// Adds header fields that the program changed, and the route: proxies can be configured to copy them.
fn add_changes(response: &mut Response<Full<Bytes>>, outcome: &Outcome<'_>) {
    let transaction = &outcome.transaction;
    let headers = response.headers_mut();
    let old = transaction.message.request.headers;
    let state = transaction.state();
    for field in state.request.iter().filter(|field| !old.contains(field)) {
        let name = HeaderName::from_bytes(field.name);
        if let (Ok(name), Ok(value)) = (name, HeaderValue::from_bytes(field.value)) {
            headers.append(name, value);
        }
    }
    let route = state.route;
    for (name, value) in [("x-p-pool", route.pool), ("x-p-path", route.path)] {
        if let Some(Ok(value)) = value.map(HeaderValue::from_bytes) {
            headers.insert(name, value);
        }
    }
}

fn plain(status: StatusCode, text: &str) -> Response<Full<Bytes>> {
    let mut response = Response::new(Full::new(Bytes::copy_from_slice(text.as_bytes())));
    *response.status_mut() = status;
    response
}
