//! The reverse proxy: programs of P stand in the path of HTTP messages.
//!
//! ```text
//! client ── h1, h2 ──> vet ──> points 1, 2 ──> upstream ──> points 3, 4 ──> client
//! ```
//!
//! [`serve`] accepts connections; [`h1`] and [`h2`] turn what arrives into an exchange, which [`vet`] has cleaned;
//! [`exchange`] runs the programs and forwards the message; [`upstream`] chooses servers and keeps connections, of
//! which exchanges share those of HTTP/2 ([`shared`]). HTTP/1 is read by [`crate::wire`] on both sides, HTTP/2 by hyper. Bodies stream with back-pressure unless a
//! program or a service looks at them.
//!
//! Invariant: what is sent on is what was decided on, and a message that peers read in different ways is refused.

mod answer;
mod exchange;
mod forward;
mod forward_h2;
mod h1;
mod h2;
mod listen;
mod shared;
mod tunnel;
pub mod upstream;
mod vet;

use std::sync::Arc;
use std::time::Duration;

pub use listen::serve;

use crate::Log;
use crate::agents::tls::TlsKeeper;
use crate::metrics::Metrics;
use crate::services::Processor;
use upstream::Upstreams;

/// Configuration and state of the proxy.
pub struct Proxy {
    /// The programs at points 1 to 4.
    pub points: [Option<Processor>; 4],
    /// The servers behind it.
    pub upstreams: Upstreams,
    /// TLS for clients.
    pub tls: Option<TlsKeeper>,
    /// Its name in `Via` and `OPES-System`.
    pub name: String,
    /// Whether clients may bypass services by `OPES-Bypass`.
    pub allows_bypass: bool,
    /// Whether clients may ask by `X-P-Trace` which rules and services touched a message.
    pub allows_trace: bool,
    /// Whether it is a forward proxy: clients name the servers, and rules must allow each.
    pub forwards: bool,
    /// Whether paths that servers read in different ways are passed to programs.
    pub lenient_paths: bool,
    /// Time limits.
    pub times: Times,
    /// The largest body of a request.
    pub max_body: u64,
    /// Counters.
    pub metrics: Arc<Metrics>,
    /// Receiver of log lines.
    pub log: Log,
}

/// Time limits of the proxy.
#[derive(Clone, Copy, Debug)]
pub struct Times {
    /// For the head of a request, and a handshake.
    pub head: Duration,
    /// Between two requests on a connection.
    pub idle: Duration,
    /// For the next part of a body to arrive, or to be taken.
    pub body: Duration,
    /// For the head of a response, after the request was sent.
    pub response: Duration,
    /// For the next byte of a tunnel, in either direction.
    pub tunnel: Duration,
}

impl Default for Times {
    fn default() -> Self {
        let seconds = Duration::from_secs;
        Self {
            head: seconds(10),
            idle: seconds(60),
            body: seconds(60),
            response: seconds(60),
            tunnel: seconds(600),
        }
    }
}

impl std::fmt::Debug for Proxy {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(out, "Proxy({}, {:?})", self.name, self.points)
    }
}

impl Proxy {
    /// Logs that a message was refused; clients that cause many can't fill the log.
    fn refused(&self, client: std::net::IpAddr, reason: &str) {
        self.metrics.refuse(&self.log, client, reason);
    }
}
