//! Errors of PuppetDB as a store.

use std::error::Error;
use std::io;
use std::time::Duration;

use hyper::StatusCode;

use super::conf::ConfError;
use super::tls::PuppetDbTlsError;
use crate::query::Gone;

/// PuppetDB that can't be used, whatever it answers.
#[derive(Debug, thiserror::Error)]
pub enum PuppetDbError {
    /// Its settings are wrong.
    #[error(transparent)]
    Conf(#[from] ConfError),
    /// Certificates can't be used.
    #[error("PuppetDB: {0}")]
    Tls(#[from] PuppetDbTlsError),
    /// The threads for connections can't be started.
    #[error("cannot start threads for PuppetDB: {0}")]
    Threads(io::Error),
}

/// The reasons why a server gave no answer that counts.
#[derive(Debug, thiserror::Error)]
pub enum PeerError {
    /// The host is no valid name for TLS.
    #[error("the host has no name that a certificate could have")]
    Name,
    /// Connecting, or TLS, failed.
    #[error("{0}")]
    Connection(io::Error),
    /// The exchange failed.
    #[error("{}", innermost(.0))]
    Http(#[from] hyper::Error),
    /// The request can't be made.
    #[error("{0}")]
    Request(#[from] hyper::http::Error),
    /// The answer can't be read, or is too large.
    #[error("the answer can't be read: {0}")]
    Answer(Box<dyn Error + Send + Sync>),
    /// The answer is not PuppetDB's.
    #[error("the answer is not one of PuppetDB")]
    Foreign,
    /// The server answers with an error of its own.
    #[error("it answers {}", .0.as_u16())]
    Status(StatusCode),
    /// There is no answer in time.
    #[error("no answer after {} seconds", .0.as_secs())]
    TimedOut(Duration),
    /// The client of the answer is gone, or has a part of another answer already.
    #[error("the rest of the answer is not wanted")]
    Unwanted,
}

impl PeerError {
    /// Returns whether one side does not accept the other's certificate: waiting does not help.
    pub fn is_of_certificates(&self) -> bool {
        let refused = |error: &(dyn Error + 'static)| match error.downcast_ref::<rustls::Error>() {
            Some(rustls::Error::InvalidCertificate(_)) => true,
            Some(rustls::Error::AlertReceived(alert)) => is_of_certificates(*alert),
            _ => false,
        };
        match self {
            Self::Name => true,
            Self::Status(status) => matches!(status.as_u16(), 401 | 403),
            Self::Connection(error) => chain(error).any(refused),
            Self::Http(error) => chain(error).any(refused),
            Self::Answer(error) => chain(&**error).any(refused),
            Self::Request(_) | Self::Foreign | Self::TimedOut(_) | Self::Unwanted => false,
        }
    }
}

fn is_of_certificates(alert: rustls::AlertDescription) -> bool {
    use rustls::AlertDescription as Alert;
    matches!(
        alert,
        Alert::BadCertificate
            | Alert::UnsupportedCertificate
            | Alert::CertificateRevoked
            | Alert::CertificateExpired
            | Alert::CertificateUnknown
            | Alert::UnknownCA
            | Alert::AccessDenied
            | Alert::CertificateRequired
            | Alert::NoCertificate
    )
}

/// Returns an error and the errors that it has inside.
fn chain<'a>(
    error: &'a (dyn Error + 'static),
) -> impl Iterator<Item = &'a (dyn Error + 'static)> + use<'a> {
    std::iter::successors(Some(error), |&error| {
        // The source of an error of the system is that of the error within.
        let inner = error.downcast_ref::<io::Error>().and_then(io::Error::get_ref);
        inner.map(|inner| inner as &(dyn Error + 'static)).or_else(|| error.source())
    })
}

fn innermost(error: &hyper::Error) -> String {
    chain(error).last().map_or_else(|| error.to_string(), ToString::to_string)
}

impl From<Gone> for PeerError {
    fn from(_: Gone) -> Self {
        Self::Unwanted
    }
}

/// A question without an answer, in the words of PuppetDB's terminus.
#[derive(Debug, thiserror::Error)]
pub enum AskError {
    /// No server answered.
    #[error(
        "Failed to execute '{target}' on at least {least} of the following 'server_urls': {servers}"
    )]
    Failed {
        /// The path with its query.
        target: String,
        /// How many servers must take commands.
        least: usize,
        /// The servers.
        servers: String,
        /// The reasons, each with its server.
        reasons: Vec<(String, PeerError)>,
    },
    /// All servers that answered say that there is no such thing.
    #[error("Failed to find '{target}' on any of the following 'server_urls': {servers}")]
    NotFound {
        /// The path with its query.
        target: String,
        /// The servers.
        servers: String,
    },
    /// A server refuses the question.
    #[error("[{} {}] {words}", .status.as_u16(), .status.canonical_reason().unwrap_or_default())]
    Refused {
        /// The status.
        status: StatusCode,
        /// The body, in one line.
        words: String,
    },
    /// The compilation that asks was stopped.
    #[error("the question was given up: {0}")]
    Stopped(kukla_base::cancel::Reason),
}

impl AskError {
    /// Returns the reasons why servers gave no answer, each with its server.
    pub fn reasons(&self) -> &[(String, PeerError)] {
        match self {
            Self::Failed { reasons, .. } => reasons,
            _ => &[],
        }
    }
}
