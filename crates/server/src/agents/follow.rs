//! Revocation lists of a CA on another machine: a server that only compiles fetches them, so that a certificate that was
//! revoked there is refused here a minute later.
//!
//! Invariant: the file `hostcrl` never becomes older, and has only lists that the CA of `localcacert` signed.

use std::sync::{Arc, Weak};
use std::time::{Duration, Instant};

use kukla_world::durable;

use super::server::AgentServer;
use super::tls::TlsFiles;

/// How often the thread looks whether the server stops.
const TICK: Duration = Duration::from_millis(200);

/// Lists that can't be fetched or used.
#[derive(Debug, thiserror::Error)]
enum FollowError {
    #[error("cannot read or write `{place}`: {error}")]
    File { place: String, error: std::io::Error },
    #[error(transparent)]
    Authority(#[from] super::outgoing::OutgoingError),
    #[error("the CA answers with status {0}")]
    Status(hyper::StatusCode),
    #[error(transparent)]
    Lists(#[from] kukla_ca::CaError),
}

/// Starts the thread, if the CA is another server; it ends when the server is gone or stops.
pub(super) fn start(server: &Arc<AgentServer>) -> std::io::Result<()> {
    let files = server.tls.as_ref().map(|tls| tls.files().clone());
    let (Some(_), Some(files)) = (&server.other_authority, files) else { return Ok(()) };
    if files.revocations.is_none() {
        let words =
            "there is no file `hostcrl`: revoked certificates count until a restart with it";
        server.say("crl-failed", &[("error", words)]);
        return Ok(());
    }
    let own = Arc::downgrade(server);
    let builder = std::thread::Builder::new().name("revocations".to_owned());
    builder.spawn(move || follow(&own, &files)).map(drop)
}

fn follow(server: &Weak<AgentServer>, files: &TlsFiles) {
    let mut due = Instant::now();
    // An outage of the CA is one line, not one in a minute.
    let mut last_error = String::new();
    loop {
        {
            let Some(server) = server.upgrade().filter(|server| !server.is_stopping()) else {
                return;
            };
            if Instant::now() >= due {
                due = Instant::now() + server.revocations_every;
                match refresh(&server, files) {
                    Ok(is_new) => {
                        last_error.clear();
                        if is_new {
                            let words = "the CA has a newer revocation list";
                            server.say("crl", &[("message", words)]);
                        }
                    }
                    Err(error) => {
                        let error = error.to_string();
                        if error != last_error {
                            server.say("crl-failed", &[("error", &error)]);
                        }
                        last_error = error;
                    }
                }
            }
        }
        std::thread::sleep(TICK);
    }
}

/// Fetches the lists once; returns whether they are newer than those on disk.
fn refresh(server: &AgentServer, files: &TlsFiles) -> Result<bool, FollowError> {
    let (Some(authority), Some(path)) = (&server.other_authority, &files.revocations) else {
        return Ok(false);
    };
    let received = authority.revocations()?;
    if received.status() != hyper::StatusCode::OK {
        return Err(FollowError::Status(received.status()));
    }
    let read = |path: &std::path::Path| {
        let place = path.display().to_string();
        std::fs::read(path).map_err(|error| FollowError::File { place, error })
    };
    let (authorities, present) = (read(&files.authorities)?, read(path)?);
    let Some(lists) = kukla_ca::newer_lists(&authorities, &present, received.body())? else {
        return Ok(false);
    };
    let place = path.display().to_string();
    let written = durable::replace(path, lists.as_bytes(), 0o644);
    written.map_err(|error| FollowError::File { place, error })?;
    // Connections that are open are checked again by their next request.
    server.refresh();
    Ok(true)
}
