//! The endpoint that proxies query about every request.

use std::cell::RefCell;
use std::convert::Infallible;
use std::net::{IpAddr, SocketAddr};
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use bumpalo::Bump;
use http_body_util::Full;
use hyper::body::{Bytes, Incoming};
use hyper::header::{HeaderName, HeaderValue, WWW_AUTHENTICATE};
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper::{Request, Response, StatusCode};
use hyper_util::rt::{TokioIo, TokioTimer};
use kukla_plang::compiled;
use kukla_plang::message::{Clock, Message};
use kukla_plang::services::NoServices;
use kukla_plang::transaction::Transaction;
use kukla_plang::verdict::{Outcome, Verdict};
use tokio::net::TcpListener;
use tokio::sync::Semaphore;

use crate::Log;
use crate::forwarded::{Blame, OriginalRequest, Refusal, Trust, is_endpoint};
use crate::metrics::{Decision, Metrics};
use crate::record::Recorder;
use crate::rules::{Live, Rules, RulesError};

/// Maximum number of concurrent connections; further ones wait.
const CONNECTIONS: usize = 4096;
/// Maximum size of a request head.
const HEAD_SIZE: usize = 64 << 10;
/// Sampling of the shadow program: one in so many differences is logged in full.
const SAMPLE: u64 = 100;

/// Configuration and state of the endpoint.
pub struct Endpoint {
    /// The program that decides, and its shadow.
    pub rules: Rules,
    /// Trust in the header fields of a question.
    pub trust: Trust,
    /// Addresses of proxies that may ask; empty: this machine only.
    pub proxies: Vec<IpAddr>,
    /// Recorder of messages.
    pub recorder: Option<Recorder>,
    /// Counters.
    pub metrics: Metrics,
    /// Receiver of log lines.
    pub log: Log,
    /// Whether decisions to allow are logged too.
    pub logs_all: bool,
    /// Offset of local time in seconds east of UTC.
    pub utc_offset: i64,
    /// Time limit for the head of a request, and for an idle connection.
    pub head_time: Duration,
}

impl std::fmt::Debug for Endpoint {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(out, "Endpoint({:?})", self.rules)
    }
}

thread_local! {
    /// Arena for texts; reset, not freed, after each message.
    static ARENA: RefCell<Bump> = RefCell::new(Bump::new());
}

/// Serves requests until the process ends.
pub async fn serve(endpoint: Arc<Endpoint>, listener: TcpListener) -> std::io::Result<()> {
    let watched = Arc::clone(&endpoint);
    tokio::spawn(async move { watched.watch().await });
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
    async fn watch(&self) {
        let changed = |path: &Path, result: Result<u64, RulesError>| {
            self.metrics.reloaded(result.is_ok());
            let path = serde_json::Value::from(path.to_string_lossy());
            (self.log)(&match result {
                Ok(version) => {
                    format!("{{\"event\":\"reload\",\"rules\":{path},\"version\":{version}}}")
                }
                Err(error) => {
                    let error = serde_json::Value::from(error.to_string());
                    format!("{{\"event\":\"reload-failed\",\"rules\":{path},\"error\":{error}}}")
                }
            });
        };
        match &self.rules.shadow {
            Some(shadow) => drop(tokio::join!(self.rules.watch(changed), shadow.watch(changed))),
            None => self.rules.watch(changed).await,
        }
    }

    /// Answers one request.
    pub fn answer(&self, request: &Request<Incoming>, peer: SocketAddr) -> Response<Full<Bytes>> {
        if !self.may_ask(peer.ip()) {
            self.metrics.refused();
            return plain(
                StatusCode::FORBIDDEN,
                "this address is not an allowed proxy; add it with `--proxy`\n",
            );
        }
        match request.uri().path() {
            "/metrics" => plain(StatusCode::OK, &self.metrics.text()),
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
        let live = self.rules.live();
        ARENA.with_borrow_mut(|arena| {
            arena.reset();
            let arena = &*arena;
            let original = match OriginalRequest::read(request, self.trust) {
                Ok(original) => original,
                Err(refusal) => return self.refuse(&refusal),
            };
            let message = original.message(self.clock(), arena);
            let limits = &live.compiled.program.limits;
            let transaction = Transaction::new(&message, arena, limits);
            let outcome = compiled::run(&live.compiled, transaction, &mut NoServices);
            let verdict = outcome.verdict(&live.compiled.program);
            self.metrics.decided(decision(verdict), start.elapsed());
            self.log_decision(&live, &message, &outcome, verdict);
            self.compare(&message, verdict);
            if let Some(recorder) = &self.recorder {
                // A full disk must not change decisions.
                let _ = recorder.record(&message, word(verdict));
            }
            response(&outcome, verdict)
        })
    }

    /// Answers a request that no program sees, and logs the reason.
    fn refuse(&self, refusal: &Refusal) -> Response<Full<Bytes>> {
        self.metrics.refused();
        if self.metrics.may_report(self.clock().epoch.unsigned_abs()) {
            let event = serde_json::json!({ "event": "refused", "reason": refusal.reason });
            (self.log)(&event.to_string());
        }
        match refusal.blame {
            Blame::Proxy => plain(StatusCode::BAD_REQUEST, &format!("{refusal}\n")),
            // nginx turns any other status into an error of its own.
            Blame::Client => plain(StatusCode::FORBIDDEN, "denied\n"),
        }
    }

    fn clock(&self) -> Clock {
        let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        Clock::at(i64::try_from(now.as_secs()).unwrap_or(0), self.utc_offset)
    }

    fn log_decision(
        &self,
        live: &Live,
        message: &Message<'_>,
        outcome: &Outcome<'_>,
        verdict: Verdict<'_>,
    ) {
        if verdict.is_allowed() && !self.logs_all {
            return;
        }
        let second = message.clock.epoch.unsigned_abs();
        if matches!(verdict, Verdict::Fail(_)) && !self.metrics.may_report(second) {
            return;
        }
        let main = live.sources.main().name();
        let rules = outcome.place.map_or_else(
            || format!("{main}:end"),
            |node| {
                let (source, span) = live.sources.at(live.compiled.program.span(node));
                format!("{}:{}", source.name(), source.line_column(span.start).line)
            },
        );
        let lossy = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        let request = &message.request;
        let event = serde_json::json!({
            "event": "decision",
            "decision": word(verdict),
            "rules": rules,
            "version": live.version,
            "reason": reason(verdict),
            "method": lossy(request.method),
            "path": lossy(request.raw_path),
            "client": request.client.map(|client| client.to_string()),
        });
        (self.log)(&event.to_string());
    }

    /// Runs the shadow program; counts differences, and logs some of them.
    fn compare(&self, message: &Message<'_>, verdict: Verdict<'_>) {
        let Some(shadow) = &self.rules.shadow else { return };
        let shadow_verdict = shadow_word(&shadow.live(), message);
        let is_same = shadow_verdict == word(verdict);
        let n_different = self.metrics.shadowed(is_same);
        if !is_same && n_different.is_multiple_of(SAMPLE) {
            let event = serde_json::json!({
                "event": "shadow", "decision": word(verdict), "shadow": shadow_verdict,
                "method": String::from_utf8_lossy(message.request.method),
                "path": String::from_utf8_lossy(message.request.raw_path),
            });
            (self.log)(&event.to_string());
        }
    }
}

/// Returns the verdict of the shadow program as a word. It is never enforced.
fn shadow_word(live: &Live, message: &Message<'_>) -> &'static str {
    let arena = Bump::new();
    let message = message.clone();
    let transaction = Transaction::new(&message, &arena, &live.compiled.program.limits);
    let outcome = compiled::run(&live.compiled, transaction, &mut NoServices);
    word(outcome.verdict(&live.compiled.program))
}

fn decision(verdict: Verdict<'_>) -> Decision {
    match verdict {
        Verdict::Allow | Verdict::Pass => Decision::Allowed,
        Verdict::Deny(_) | Verdict::NoDecision => Decision::Denied,
        Verdict::Challenge(_) => Decision::Challenged,
        Verdict::Respond(..) => Decision::Responded,
        Verdict::Fail(_) => Decision::Failed,
    }
}

/// Returns the word for a verdict in recorded messages and logs.
fn word(verdict: Verdict<'_>) -> &'static str {
    match verdict {
        Verdict::Allow => "allow",
        Verdict::Pass => "pass",
        Verdict::Deny(_) | Verdict::NoDecision => "deny",
        Verdict::Challenge(_) => "challenge",
        Verdict::Respond(..) => "respond",
        Verdict::Fail(_) => "fail",
    }
}

fn reason(verdict: Verdict<'_>) -> String {
    match verdict {
        Verdict::Deny(text) | Verdict::Challenge(text) | Verdict::Respond(_, text) => {
            String::from_utf8_lossy(text).into_owned()
        }
        Verdict::Fail(fail) => fail.code().words().to_owned(),
        Verdict::NoDecision => "no decision".to_owned(),
        Verdict::Allow | Verdict::Pass => String::new(),
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
