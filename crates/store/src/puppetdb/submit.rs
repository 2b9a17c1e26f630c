//! The submission of one command: to the first server that works, or to all of them.

use std::io::Write as _;
use std::sync::{Mutex, PoisonError};

use bytes::Bytes;
use flate2::Compression;
use flate2::write::GzEncoder;
use hyper::header::{ACCEPT, CONTENT_ENCODING, CONTENT_TYPE, HeaderName};
use hyper::{Method, StatusCode};
use kukla_world::clock::Stopwatch;

use super::PuppetDb;
use super::ask::encoded;
use super::counters::Direction;
use super::error::PeerError;
use super::peer::{Asked, Reply};
use super::sender::{Outgoing, Partial};

/// The largest answer to a command.
const MOST_ANSWER: usize = 1 << 20;
/// The most of an answer that is kept.
const MOST_WORDS: usize = 2000;

/// The fate of a command.
pub(super) enum Submitted {
    /// As many servers have it as must.
    Sent,
    /// A server says that there is something wrong with it.
    Refused { server: String, status: u16, words: String },
    /// Servers gave no answer.
    Failed(Vec<(String, PeerError)>),
}

/// Sends a command. Servers that have it already are left out.
pub(super) async fn submit(
    puppetdb: &PuppetDb,
    outgoing: &Outgoing,
    partial: &Mutex<Partial>,
) -> Submitted {
    let asked = asked(puppetdb, outgoing);
    let conf = &puppetdb.conf;
    let has = |n: usize| {
        let partial = partial.lock().unwrap_or_else(PoisonError::into_inner);
        partial.get(&outgoing.place).is_some_and(|servers| servers.contains(&n))
    };
    let mut order: Vec<usize> = (0..puppetdb.peers.len()).filter(|&n| !has(n)).collect();
    order.sort_by_key(|&n| puppetdb.peers[n].is_paused());
    let mut n_taken = puppetdb.peers.len() - order.len();
    let is_enough = |n_taken: usize| n_taken >= conf.min_successful_submissions;
    let (mut failures, mut refused) = (Vec::new(), None);
    for n in order {
        let peer = &puppetdb.peers[n];
        // A server that failed just now gets what it can only if it is needed.
        if conf.command_broadcast && is_enough(n_taken) && peer.is_paused() {
            continue;
        }
        let server = peer.url.to_string();
        let watch = Stopwatch::start();
        let reply = peer.exchange(&asked, None).await;
        let count = |outcome| {
            puppetdb.counters.add(Direction::Command, &server, outcome, watch.elapsed());
        };
        match reply.and_then(|reply| judged(&reply)) {
            Ok(Verdict::Taken) => {
                count("ok");
                peer.has_worked();
                n_taken += 1;
                if !conf.command_broadcast {
                    return Submitted::Sent;
                }
                let mut partial = partial.lock().unwrap_or_else(PoisonError::into_inner);
                partial.entry(outgoing.place).or_default().insert(n);
            }
            Ok(Verdict::Refused(status, words)) => {
                count("refused");
                peer.has_worked();
                refused = Some((server, status, words));
                if !conf.command_broadcast {
                    break;
                }
            }
            Err(error) => {
                count("failed");
                peer.has_failed();
                failures.push((server, error));
            }
        }
    }
    match refused {
        _ if is_enough(n_taken) => Submitted::Sent,
        // With a broadcast another server may still take it.
        Some((server, status, words)) if !conf.command_broadcast || failures.is_empty() => {
            Submitted::Refused { server, status, words }
        }
        _ => Submitted::Failed(failures),
    }
}

fn asked(puppetdb: &PuppetDb, outgoing: &Outgoing) -> Asked {
    let record = &outgoing.record;
    let target = format!(
        "/pdb/cmd/v1?version={}&certname={}&command={}&producer-timestamp={}",
        record.version,
        encoded(&record.node),
        encoded(&record.name.replace(' ', "_")),
        encoded(&crate::time::written(record.time)),
    );
    let length = HeaderName::from_static("x-uncompressed-length");
    let headers = vec![
        (ACCEPT, "application/json".to_owned()),
        (CONTENT_TYPE, "application/json; charset=utf-8".to_owned()),
        (CONTENT_ENCODING, "gzip".to_owned()),
        (length, record.payload.len().to_string()),
    ];
    Asked {
        method: Method::POST,
        target,
        headers,
        body: compressed(&record.payload),
        time: puppetdb.conf.server_url_timeout,
        patience: std::time::Duration::ZERO,
        size: MOST_ANSWER,
    }
}

fn compressed(payload: &[u8]) -> Bytes {
    let mut encoder = GzEncoder::new(Vec::with_capacity(payload.len() / 4), Compression::fast());
    // A vector takes everything.
    let _ = encoder.write_all(payload);
    encoder.finish().unwrap_or_default().into()
}

enum Verdict {
    Taken,
    Refused(u16, String),
}

/// Returns what an answer means. What is not about this command alone is an error: it is sent again.
fn judged(reply: &Reply) -> Result<Verdict, PeerError> {
    let status = reply.status;
    if status.is_success() {
        let body: Option<serde_json::Value> = serde_json::from_slice(&reply.body).ok();
        let has_uuid = body.is_some_and(|body| body.get("uuid").is_some_and(|it| it.is_string()));
        return if has_uuid { Ok(Verdict::Taken) } else { Err(PeerError::Foreign) };
    }
    let is_passing = matches!(
        status,
        StatusCode::UNAUTHORIZED
            | StatusCode::FORBIDDEN
            | StatusCode::NOT_FOUND
            | StatusCode::METHOD_NOT_ALLOWED
            | StatusCode::PROXY_AUTHENTICATION_REQUIRED
            | StatusCode::REQUEST_TIMEOUT
            | StatusCode::MISDIRECTED_REQUEST
            | StatusCode::TOO_EARLY
            | StatusCode::TOO_MANY_REQUESTS
    );
    if !status.is_client_error() || is_passing {
        return Err(PeerError::Status(status));
    }
    let words = String::from_utf8_lossy(&reply.body).replace(['\r', '\n'], " ");
    Ok(Verdict::Refused(status.as_u16(), words.chars().take(MOST_WORDS).collect()))
}
