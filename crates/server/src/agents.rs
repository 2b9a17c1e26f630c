//! The server for agents: catalogs, files and certificates by Puppet's own protocol.
//!
//! [`exchange`] has the types that handlers of routes share.

pub mod bucket;
pub mod code;
pub mod durable;
pub mod exchange;
pub mod files;
pub mod query;
pub mod reports;
