//! Services that adapt messages: a program of P says which, and this room calls them.
//!
//! [`Processor::process`] runs a program on a message. When the program applies a service, the run stops, the service is
//! called, and the program runs again from its start with the answers so far: a run takes microseconds, has no
//! effects of its own and depends on nothing but the message and the answers. So nothing of a run has to wait, and
//! the reference interpreter repeats an exchange exactly from a message and the list of answers.
//!
//! A service commits when its answer was read whole: until then the message and all bodies that a failed block may
//! return to are kept ([`crate::body::Held`]). No truncated answer can reach a client.

mod blocking;
mod builtin;
mod call;
mod callout;
mod directory;
mod exchange;
mod perform;
mod process;
mod source;
mod trace;

pub use blocking::BlockingServices;
pub use call::{CallError, OwnedCall};
pub use directory::{Directory, DirectoryError};
pub(crate) use exchange::Subject;
pub use exchange::{Bypass, Exchange};
pub(crate) use perform::reason;
pub use process::{Decided, Fate, FinalBody, Processor};
pub use source::{LiveRegistry, Overrides, RegistrySource, SourceError};
pub(crate) use trace::{mark, system};

/// Header fields that carry credentials. A service gets them only if the registry says so.
pub(crate) const CREDENTIALS: &[&str] =
    &["authorization", "cookie", "proxy-authorization", "set-cookie", "set-cookie2", "cookie2"];

/// Whether a field carries credentials.
pub(crate) fn is_credential(name: &[u8]) -> bool {
    CREDENTIALS.iter().any(|credential| name.eq_ignore_ascii_case(credential.as_bytes()))
}

/// Fields that concern one connection or the framing of one message. They never pass through.
pub(crate) const HOP_BY_HOP: &[&str] = &[
    "connection",
    "keep-alive",
    "proxy-connection",
    "proxy-authenticate",
    "proxy-authorization",
    "te",
    "trailer",
    "transfer-encoding",
    "content-length",
    "upgrade",
    "http2-settings",
    "expect",
];

/// Whether a field concerns one connection or the framing of one message.
pub(crate) fn is_hop_by_hop(name: &[u8]) -> bool {
    HOP_BY_HOP.iter().any(|own| name.eq_ignore_ascii_case(own.as_bytes()))
}
