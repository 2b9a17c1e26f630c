//! Network services: the endpoint that proxies ask to authorize requests.
//!
//! nginx (`auth_request`), Traefik, Caddy and Envoy query [`forward_auth`] about every request that they receive;
//! [`forwarded`] reads the request and the client's identity from the query, and a program of P ([`rules`]) decides.
//! A changed program replaces the running one if it passes the check. A shadow program can run without effect
//! ([`rules::Rules::shadow`]), and messages can be recorded for `kukla p test` and `kukla p diff` ([`record`]).
//! [`auth_conf`] translates Puppet Server's own rules into such a program.
//!
//! Invariant: the only room with an async runtime. It prints nothing; messages go to a [`Log`].

#![expect(
    clippy::disallowed_methods,
    clippy::disallowed_types,
    reason = "the server is a door: it reads its files and measures its answers"
)]

pub mod agents;
pub mod auth_conf;
pub mod body;
mod deadline;
pub mod engine;
pub mod files;
pub mod forward_auth;
pub mod forwarded;
pub mod icap;
mod idle;
pub mod metrics;
pub mod net;
pub mod proxy;
pub mod record;
pub mod rules;
pub mod services;
mod slow;
mod threads;
pub mod wire;

use std::sync::Arc;

/// Receiver of log lines.
pub type Log = Arc<dyn Fn(&str) + Send + Sync>;
