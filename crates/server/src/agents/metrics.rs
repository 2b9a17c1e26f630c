//! Counters in Prometheus' text format.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

/// The number of environments that are counted by name; names come from the outside.
const MOST_ENVIRONMENTS: usize = 200;

/// Counters of a server.
#[derive(Debug, Default)]
pub(super) struct ServerMetrics(Mutex<Counters>);

#[derive(Debug, Default)]
struct Counters {
    /// By route and status.
    requests: BTreeMap<(&'static str, u16), (u64, Duration)>,
    /// By environment and success.
    compilations: BTreeMap<(String, bool), (u64, Duration)>,
    connections: u64,
    handshake_errors: u64,
}

impl ServerMetrics {
    /// Counts a request.
    pub(super) fn answered(&self, route: &'static str, status: u16, took: Duration) {
        let mut counters = self.lock();
        let (n, sum) = counters.requests.entry((route, status)).or_default();
        *n += 1;
        *sum += took;
    }

    /// Counts a compilation.
    pub(super) fn compiled(&self, environment: &str, is_good: bool, took: Duration) {
        let mut counters = self.lock();
        let is_full = counters.compilations.len() >= MOST_ENVIRONMENTS;
        let key = (environment.to_owned(), is_good);
        let key = match is_full && !counters.compilations.contains_key(&key) {
            true => ("other environments".to_owned(), is_good),
            false => key,
        };
        let (n, sum) = counters.compilations.entry(key).or_default();
        *n += 1;
        *sum += took;
    }

    /// Counts a connection.
    pub(super) fn connected(&self) {
        self.lock().connections += 1;
    }

    /// Counts a handshake that failed.
    pub(super) fn refused(&self) {
        self.lock().handshake_errors += 1;
    }

    /// Returns all counters as text; `n_queued` requests wait.
    pub(super) fn text(&self, n_queued: usize) -> String {
        let counters = self.lock();
        let mut out = String::from("# TYPE kukla_requests_total counter\n");
        for ((route, status), (n, _)) in &counters.requests {
            let labels = format!("route=\"{route}\",status=\"{status}\"");
            let _ = writeln!(out, "kukla_requests_total{{{labels}}} {n}");
        }
        out.push_str("# TYPE kukla_request_seconds_total counter\n");
        for ((route, status), (_, sum)) in &counters.requests {
            let labels = format!("route=\"{route}\",status=\"{status}\"");
            let seconds = sum.as_secs_f64();
            let _ = writeln!(out, "kukla_request_seconds_total{{{labels}}} {seconds:.6}");
        }
        out.push_str("# TYPE kukla_compilations_total counter\n");
        for ((environment, is_good), (n, _)) in &counters.compilations {
            let labels = format!("environment=\"{environment}\",success=\"{is_good}\"");
            let _ = writeln!(out, "kukla_compilations_total{{{labels}}} {n}");
        }
        out.push_str("# TYPE kukla_compilation_seconds_total counter\n");
        for ((environment, is_good), (_, sum)) in &counters.compilations {
            let labels = format!("environment=\"{environment}\",success=\"{is_good}\"");
            let seconds = sum.as_secs_f64();
            let _ = writeln!(out, "kukla_compilation_seconds_total{{{labels}}} {seconds:.6}");
        }
        let _ = write!(
            out,
            "# TYPE kukla_connections_total counter\nkukla_connections_total {}\n\
             # TYPE kukla_handshake_errors_total counter\nkukla_handshake_errors_total {}\n\
             # TYPE kukla_queued_requests gauge\nkukla_queued_requests {n_queued}\n",
            counters.connections, counters.handshake_errors
        );
        out
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, Counters> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
