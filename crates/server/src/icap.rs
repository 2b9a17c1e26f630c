//! ICAP (RFC 3507), the protocol of adaptation services.
//!
//! [`client`] sends messages to a service; [`options`] is what a service says about itself. Both read with
//! [`crate::wire`]. A call is never repeated silently, so that a program's own retries are all there are.

mod answer;
pub mod call;
pub mod client;
pub mod encapsulated;
pub mod options;
mod pool;
mod send;
pub mod server;
mod server_answer;
mod server_body;
mod server_heads;
mod server_read;

pub use call::{IcapAnswer, IcapError, IcapMethod, IcapRequest, IcapSettings};
pub use client::IcapClient;
pub use encapsulated::Encapsulated;
pub use options::IcapOptions;
