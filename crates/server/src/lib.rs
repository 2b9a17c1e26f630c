//! Doors to the network: the endpoint that proxies ask who may pass.
//!
//! nginx (`auth_request`), Traefik, Caddy and Envoy ask [`forward_auth`] about every request that they get;
//! [`forwarded`] reads the request and the client's identity from the question, and a program of P ([`rules`]) decides. Programs are exchanged while requests are answered, and only for one that
//! checks. A second program can decide too without any effect ([`rules::Rules::shadow`]), and messages can be
//! recorded for `kukla p test` and `kukla p diff` ([`record`]).
//!
//! Invariant: the only room with an async runtime. What it has to say goes to a [`Log`]; it prints nothing.

#![expect(
    clippy::disallowed_methods,
    clippy::disallowed_types,
    reason = "the server is a door: it reads its files and measures its answers"
)]

pub mod files;
pub mod forward_auth;
pub mod forwarded;
pub mod metrics;
pub mod record;
pub mod rules;

use std::sync::Arc;

/// Where lines of the log go.
pub type Log = Arc<dyn Fn(&str) + Send + Sync>;
