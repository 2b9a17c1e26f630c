//! The server for agents: catalogs, files and certificates by Puppet's own protocol.
//!
//! ```text
//! listener (TLS, HTTP) ──> connection: identity ──> policy (P) ──> routes ──> handler on a thread ──> respond (gzip)
//! ```
//! Start reading at [`connection`](self), and at [`exchange`], which has the types that handlers share. A handler is
//! synchronous and runs outside of the async runtime, on threads with a bounded queue in which clients take turns.

mod access_log;
mod activity;
mod again;
mod authority_proxy;
mod authority_routes;
mod bodies;
mod brought;
pub mod bucket;
mod catalog;
mod catalog_v4;
mod client;
pub mod code;
mod code_routes;
mod conf_d;
mod connection;
pub mod exchange;
mod file_routes;
pub mod files;
mod follow;
mod groups;
mod guard;
mod identity;
mod keep_alive;
mod keeper;
mod listener;
mod metrics;
mod negotiation;
mod node_routes;
mod nodes;
mod outgoing;
mod packed;
mod page;
pub(crate) mod patience;
mod pdb;
mod piped;
mod policy;
pub mod query;
mod records;
mod remote;
pub mod reports;
mod respond;
mod reuse;
mod routes;
mod server;
mod site_rules;
mod stamps;
mod static_catalog;
mod status;
mod target;
pub(crate) mod tls;
mod trees;
mod upkeep;
pub mod versioned_code;
mod work;

pub use access_log::AccessLogError;
pub use client::{AdminClient, ClientError};
pub use conf_d::{ConfD, ConfDError};
pub use file_routes::FileOptions;
pub use files::mounts_problem;
pub use groups::GroupError;
pub use listener::{Door, Listener, converse, serve};
pub use patience::Patience;
pub use policy::{Policy, PolicyError};
pub use server::{AgentServer, ServerError, ServerOptions};
pub use site_rules::SiteRules;
pub use tls::{TlsError, TlsFiles, TlsKeeper, expirations};
