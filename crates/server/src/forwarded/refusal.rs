//! Requests that are refused before a program sees them.

use std::fmt;

/// The reason for which a request is refused without running the program.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Refusal {
    /// The party that has to change something.
    pub blame: Blame,
    /// The header field or path that is wrong, and what to change.
    pub reason: String,
}

/// The party that caused a refusal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Blame {
    /// The proxy's configuration: status 400, and the answer has the reason.
    Proxy,
    /// The client's certificate or path: status 403, and only the log has the reason.
    Client,
}

impl Refusal {
    /// Creates a refusal caused by the proxy's configuration.
    pub fn proxy(reason: impl Into<String>) -> Self {
        Self { blame: Blame::Proxy, reason: reason.into() }
    }

    /// Creates a refusal caused by the client's request.
    pub fn client(reason: impl Into<String>) -> Self {
        Self { blame: Blame::Client, reason: reason.into() }
    }
}

impl fmt::Display for Refusal {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(&self.reason)
    }
}

impl std::error::Error for Refusal {}
