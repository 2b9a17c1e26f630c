//! Counters in Prometheus' text format.

use std::fmt::Write as _;
use std::net::{IpAddr, SocketAddr};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use http_body_util::Full;
use hyper::body::{Bytes, Incoming};
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper::{Request, Response};
use hyper_util::rt::{TokioIo, TokioTimer};
use tokio::net::TcpListener;

use crate::Log;

/// Upper bounds of the buckets, in microseconds.
const BOUNDS: [u64; 8] = [5, 10, 25, 50, 100, 250, 1_000, 10_000];
/// Maximum number of failures and refusals logged per second: a client that can cause them must not be able to fill
/// the log.
const REPORTS: u64 = 10;
/// Number of groups of threads that count decisions beside each other.
const SHARDS: usize = 16;
/// Number of bits of the word behind [`Metrics::may_report`] that count reports.
const REPORT_BITS: u32 = 8;

/// Counters of the endpoint.
#[derive(Debug, Default)]
pub struct Metrics {
    /// Counters of decisions, by thread.
    decisions: [Decisions; SHARDS],
    refused: AtomicU64,
    unreported: AtomicU64,
    /// The second of the last report, and the number of reports in it.
    reports: AtomicU64,
    reloads: AtomicU64,
    reload_errors: AtomicU64,
    shadow_same: AtomicU64,
    shadow_different: AtomicU64,
    shadow_unknown: AtomicU64,
}

/// Counters of decisions of some threads; no other thread writes into their cache lines.
#[derive(Debug, Default)]
#[repr(align(128))]
struct Decisions {
    allowed: AtomicU64,
    denied: AtomicU64,
    challenged: AtomicU64,
    responded: AtomicU64,
    failed: AtomicU64,
    buckets: [AtomicU64; 9],
    microseconds: AtomicU64,
}

thread_local! {
    /// The number of this thread's counters.
    static SHARD: usize = {
        static NEXT: AtomicUsize = AtomicUsize::new(0);
        NEXT.fetch_add(1, Ordering::Relaxed) % SHARDS
    };
}

/// Kind of decision.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Decision {
    /// The request may pass.
    Allowed,
    /// The request may not pass.
    Denied,
    /// The client must authenticate.
    Challenged,
    /// The client gets a response at once.
    Responded,
    /// The program failed, so the request may not pass.
    Failed,
}

impl Metrics {
    /// Counts a decision and its duration.
    pub fn decided(&self, decision: Decision, took: Duration) {
        let own = &self.decisions[SHARD.with(|shard| *shard)];
        add(match decision {
            Decision::Allowed => &own.allowed,
            Decision::Denied => &own.denied,
            Decision::Challenged => &own.challenged,
            Decision::Responded => &own.responded,
            Decision::Failed => &own.failed,
        });
        let took = u64::try_from(took.as_micros()).unwrap_or(u64::MAX);
        let bucket = BOUNDS.iter().position(|bound| took <= *bound).unwrap_or(BOUNDS.len());
        add(&own.buckets[bucket]);
        own.microseconds.fetch_add(took, Ordering::Relaxed);
    }

    /// Returns a counter of decisions of all threads.
    fn sum(&self, counter: impl Fn(&Decisions) -> &AtomicU64) -> u64 {
        self.decisions.iter().map(|own| get(counter(own))).sum()
    }

    /// Counts and logs a message that is refused without running the program; clients that cause many can't fill the log.
    pub fn refuse(&self, log: &Log, client: IpAddr, reason: &str) {
        self.refused();
        let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        if self.may_report(now.as_secs()) {
            let client = client.to_canonical().to_string();
            let event =
                serde_json::json!({ "event": "refused", "client": client, "reason": reason });
            log(&event.to_string());
        }
    }

    /// Counts a query that is refused without running the program.
    pub fn refused(&self) {
        add(&self.refused);
    }

    /// Whether a failure or refusal may be logged in this second; otherwise it is counted.
    pub fn may_report(&self, second: u64) -> bool {
        let next = |last: u64| {
            let n_before = if last >> REPORT_BITS == second { last } else { second << REPORT_BITS };
            let is_limit_reached = n_before & ((1 << REPORT_BITS) - 1) >= REPORTS;
            (!is_limit_reached).then_some(n_before + 1)
        };
        let may = self.reports.fetch_update(Ordering::Relaxed, Ordering::Relaxed, next).is_ok();
        if !may {
            add(&self.unreported);
        }
        may
    }

    /// Counts a reload.
    pub fn reloaded(&self, is_live: bool) {
        add(if is_live { &self.reloads } else { &self.reload_errors });
    }

    /// Counts a verdict of the shadow program; returns the previous count of that kind.
    pub fn shadowed(&self, is_same: bool) -> u64 {
        let counter = if is_same { &self.shadow_same } else { &self.shadow_different };
        counter.fetch_add(1, Ordering::Relaxed)
    }

    /// Counts a message for which the shadow program has no verdict.
    pub fn not_shadowed(&self) {
        add(&self.shadow_unknown);
    }

    /// Returns all counters as text.
    pub fn text(&self) -> String {
        let mut out = String::new();
        let decisions = [
            ("allow", self.sum(|own| &own.allowed)),
            ("deny", self.sum(|own| &own.denied)),
            ("challenge", self.sum(|own| &own.challenged)),
            ("respond", self.sum(|own| &own.responded)),
            ("fail", self.sum(|own| &own.failed)),
        ];
        out.push_str("# TYPE kukla_p_decisions_total counter\n");
        for (decision, n) in decisions {
            let _ = writeln!(out, "kukla_p_decisions_total{{decision=\"{decision}\"}} {n}");
        }
        let others = [
            ("kukla_p_refused_total", &self.refused),
            ("kukla_p_unreported_failures_total", &self.unreported),
            ("kukla_p_reloads_total", &self.reloads),
            ("kukla_p_reload_errors_total", &self.reload_errors),
            ("kukla_p_shadow_same_total", &self.shadow_same),
            ("kukla_p_shadow_different_total", &self.shadow_different),
            ("kukla_p_shadow_unknown_total", &self.shadow_unknown),
        ];
        for (name, counter) in others {
            let _ = write!(out, "# TYPE {name} counter\n{name} {}\n", get(counter));
        }
        self.histogram(&mut out);
        out
    }

    fn histogram(&self, out: &mut String) {
        let name = "kukla_p_decision_seconds";
        let _ = writeln!(out, "# TYPE {name} histogram");
        let mut sum = 0;
        for (index, bound) in BOUNDS.into_iter().enumerate() {
            sum += self.sum(|own| &own.buckets[index]);
            let (whole, rest) = (bound / 1_000_000, bound % 1_000_000);
            let _ = writeln!(out, "{name}_bucket{{le=\"{whole}.{rest:06}\"}} {sum}");
        }
        sum += self.sum(|own| &own.buckets[BOUNDS.len()]);
        let took = self.sum(|own| &own.microseconds);
        let (whole, rest) = (took / 1_000_000, took % 1_000_000);
        let _ = write!(
            out,
            "{name}_bucket{{le=\"+Inf\"}} {sum}\n{name}_sum {whole}.{rest:06}\n{name}_count {sum}\n"
        );
    }
}

/// Serves `/metrics` and `/health` from now on, beside everything else.
pub async fn serve(metrics: Arc<Metrics>, address: SocketAddr) -> std::io::Result<()> {
    let listener = TcpListener::bind(address).await?;
    tokio::spawn(async move {
        loop {
            let Ok((stream, _)) = listener.accept().await else {
                // Most likely out of file descriptors: wait for connections to close.
                tokio::time::sleep(Duration::from_millis(50)).await;
                continue;
            };
            let metrics = Arc::clone(&metrics);
            tokio::spawn(async move {
                let service = service_fn(move |request: Request<Incoming>| {
                    let (status, text) = match request.uri().path() {
                        "/metrics" => (200, metrics.text()),
                        "/health" => (200, "ok\n".to_owned()),
                        _ => (404, "there are /metrics and /health\n".to_owned()),
                    };
                    let response =
                        Response::builder().status(status).body(Full::new(Bytes::from(text)));
                    async move { response }
                });
                let mut builder = http1::Builder::new();
                builder.timer(TokioTimer::new()).header_read_timeout(Duration::from_secs(10));
                // An error of one connection must not affect others.
                let _ = builder.serve_connection(TokioIo::new(stream), service).await;
            });
        }
    });
    Ok(())
}

fn add(counter: &AtomicU64) {
    counter.fetch_add(1, Ordering::Relaxed);
}

fn get(counter: &AtomicU64) -> u64 {
    counter.load(Ordering::Relaxed)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ten_failures_are_reported_a_second() {
        let metrics = Metrics::default();
        let n_reported = |second| (0..15).filter(|_| metrics.may_report(second)).count();
        assert_eq!([n_reported(0), n_reported(0), n_reported(1_700_000_000)], [10, 0, 10]);
        assert!(metrics.text().contains("kukla_p_unreported_failures_total 25\n"));
    }
}
