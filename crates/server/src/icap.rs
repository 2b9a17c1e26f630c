//! ICAP (RFC 3507), the protocol of adaptation services.
//!
//! [`client`] sends messages to a service; [`options`] is what a service says about itself. Both read with
//! [`crate::wire`]. A call is never repeated silently, so that a program's own retries are all there are.

pub mod client;
pub mod encapsulated;
pub mod options;
mod pool;
pub mod server;
mod server_body;

pub use client::{IcapAnswer, IcapClient, IcapError, IcapMethod, IcapRequest, IcapSettings};
pub use encapsulated::Encapsulated;
pub use options::IcapOptions;
