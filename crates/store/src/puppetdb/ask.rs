//! Questions to PuppetDB: one server after the other, until one answers.

use std::sync::atomic::Ordering;
use std::time::Duration;

use bytes::Bytes;
use hyper::header::{ACCEPT, CONTENT_TYPE};
use hyper::{Method, StatusCode};
use kukla_base::cancel;
use kukla_catalog::exports::ExportsError;
use kukla_world::clock::Stopwatch;
use serde_json::{Value, json};

use super::counters::Direction;
use super::error::{AskError, PeerError};
use super::pass::PassReceiver;
use super::peer::{Asked, PROBE, Reply};
use super::{PuppetDb, ServerUrl};

/// The largest answer to a query.
const MOST_ANSWER: usize = 256 << 20;
/// The largest answer that has the facts of a node.
const MOST_FACTS: usize = 64 << 20;
/// How often a compilation that waits is asked whether it is to stop.
const LOOK: Duration = Duration::from_millis(5);

/// The addresses of queries.
const QUERY: &str = "/pdb/query/v4";

impl PuppetDb {
    /// Asks a query, PQL or an AST; returns its rows as JSON.
    pub(super) fn rows(&self, query: &str) -> Result<String, AskError> {
        let query = match serde_json::from_str(query) {
            Ok(list @ Value::Array(_)) => list,
            _ => Value::from(query),
        };
        let body = json!({ "query": query }).to_string();
        let (reply, _) = self.ask(&self.asked(Method::POST, QUERY.to_owned(), body.into()))?;
        checked(&reply)
    }

    /// Returns the facts of a node as the text of an object; nothing if PuppetDB knows none.
    pub fn facts_of(&self, node: &str) -> Result<Option<String>, AskError> {
        let target = format!("{QUERY}/nodes/{}/facts", encoded(node));
        let asked = Asked { size: MOST_FACTS, ..self.asked(Method::GET, target, Bytes::new()) };
        let reply = match self.ask(&asked) {
            Ok((reply, _)) => reply,
            Err(AskError::NotFound { .. }) => return Ok(None),
            Err(error) => return Err(error),
        };
        let rows = checked(&reply)?;
        let Ok(Value::Array(rows)) = serde_json::from_str(&rows) else { return Ok(None) };
        let fact = |row: Value| match row {
            Value::Object(mut row) => match (row.remove("name"), row.remove("value")) {
                (Some(Value::String(name)), Some(value)) => Some((name, value)),
                _ => None,
            },
            _ => None,
        };
        let facts: serde_json::Map<String, Value> = rows.into_iter().filter_map(fact).collect();
        Ok(Some(facts)
            .filter(|facts| !facts.is_empty())
            .map(|facts| Value::from(facts).to_string()))
    }

    /// Returns the version of each server of `server_urls`, or why it says none.
    pub fn versions(&self) -> Vec<(String, Result<String, PeerError>)> {
        let asked = self.asked(Method::GET, "/pdb/meta/v1/version".to_owned(), Bytes::new());
        let asked = Asked { patience: PROBE, ..asked };
        let ask = |peer: &std::sync::Arc<super::Peer>| {
            let reply = self.wait(peer.exchange(&asked, None)).unwrap_or(Err(PeerError::Foreign));
            let version = reply.and_then(|reply| match reply.status.is_success() {
                false => Err(PeerError::Status(reply.status)),
                true => serde_json::from_slice::<Value>(&reply.body)
                    .ok()
                    .and_then(|body| Some(body.get("version")?.as_str()?.to_owned()))
                    .ok_or(PeerError::Foreign),
            });
            (peer.url.to_string(), version)
        };
        self.peers.iter().map(ask).collect()
    }

    pub(super) fn asked(&self, method: Method, target: String, body: Bytes) -> Asked {
        let mut headers = vec![(ACCEPT, "application/json".to_owned())];
        if !body.is_empty() {
            headers.push((CONTENT_TYPE, "application/json; charset=UTF-8".to_owned()));
        }
        Asked {
            method,
            target,
            headers,
            body,
            time: self.conf.server_url_timeout,
            patience: Duration::ZERO,
            size: MOST_ANSWER,
        }
    }

    /// Asks servers in their order until one answers; returns which one.
    pub(super) fn ask(&self, asked: &Asked) -> Result<(Reply, ServerUrl), AskError> {
        self.ask_to(asked, None)
    }

    /// Like [`PuppetDb::ask`]; the body of a successful answer goes to a receiver while it comes.
    pub(super) fn ask_to(
        &self,
        asked: &Asked,
        receiver: Option<&mut dyn PassReceiver>,
    ) -> Result<(Reply, ServerUrl), AskError> {
        let stopped = async {
            loop {
                if let Some(reason) = cancel::requested() {
                    return AskError::Stopped(reason);
                }
                tokio::time::sleep(LOOK).await;
            }
        };
        let answer = self.wait(async {
            tokio::select! {
                answer = self.ask_in_order(asked, receiver) => answer,
                stopped = stopped => Err(stopped),
            }
        });
        answer.unwrap_or_else(|| Err(self.unanswered(asked, Vec::new())))
    }

    async fn ask_in_order(
        &self,
        asked: &Asked,
        mut receiver: Option<&mut dyn PassReceiver>,
    ) -> Result<(Reply, ServerUrl), AskError> {
        let mut reasons = Vec::new();
        let mut is_unknown = false;
        let order = self.order();
        for &n in &order {
            let peer = &self.peers[n];
            let watch = Stopwatch::start();
            let to: Option<&mut dyn PassReceiver> = match &mut receiver {
                Some(receiver) => Some(&mut **receiver),
                None => None,
            };
            let reply = peer.exchange(asked, to).await;
            let count = |outcome| {
                let server = peer.url.to_string();
                self.counters.add(Direction::Query, &server, outcome, watch.elapsed());
            };
            let error = match reply {
                Ok(reply) if reply.status.is_server_error() => PeerError::Status(reply.status),
                // Anything else is no answer of PuppetDB: it starts, or another program is there.
                Ok(reply) if reply.status == StatusCode::NOT_FOUND => {
                    is_unknown |= reply.body.first() == Some(&b'{');
                    PeerError::Status(reply.status)
                }
                Ok(reply) => {
                    count(if reply.status.is_success() { "ok" } else { "refused" });
                    peer.has_worked();
                    if order.first() != Some(&n) || self.conf.sticky_read_failover {
                        self.sticky.store(n, Ordering::Relaxed);
                    }
                    return Ok((reply, peer.url.clone()));
                }
                Err(PeerError::Unwanted) => {
                    count("ok");
                    reasons.push((peer.url.to_string(), PeerError::Unwanted));
                    return Err(self.unanswered(asked, reasons));
                }
                Err(error) => error,
            };
            count("failed");
            if !matches!(error, PeerError::Status(StatusCode::NOT_FOUND)) {
                peer.has_failed();
            }
            let server = peer.url.to_string();
            self.say_failure(&server, &asked.target, &error);
            reasons.push((server, error));
        }
        match is_unknown {
            true => Err(AskError::NotFound { target: asked.target.clone(), servers: self.named() }),
            false => Err(self.unanswered(asked, reasons)),
        }
    }

    /// Returns the indexes of servers in the order in which they are asked: those that failed just now come last.
    fn order(&self) -> Vec<usize> {
        let n_servers = self.conf.server_urls.len();
        let first = match self.conf.sticky_read_failover {
            true => self.sticky.load(Ordering::Relaxed),
            false => 0,
        };
        let mut order: Vec<usize> = (0..n_servers).map(|n| (n + first) % n_servers).collect();
        order.sort_by_key(|&n| self.peers[n].is_paused());
        order
    }

    /// Returns the error of a question that no server has answered.
    fn unanswered(&self, asked: &Asked, reasons: Vec<(String, PeerError)>) -> AskError {
        AskError::Failed {
            target: asked.target.clone(),
            least: self.conf.min_successful_submissions,
            servers: self.named(),
            reasons,
        }
    }
}

/// Returns the text of a successful answer.
pub(super) fn checked(reply: &Reply) -> Result<String, AskError> {
    let text = String::from_utf8_lossy(&reply.body);
    match reply.status.is_success() {
        true => Ok(text.into_owned()),
        false => {
            let words = text.replace(['\r', '\n'], "").chars().take(2000).collect();
            Err(AskError::Refused { status: reply.status, words })
        }
    }
}

/// Returns a text as a part of a URL.
pub(super) fn encoded(text: &str) -> String {
    let mut out = String::with_capacity(text.len() + 16);
    for byte in text.bytes() {
        match byte {
            b'A'..=b'Z' | b'a'..=b'z' | b'0'..=b'9' | b'-' | b'.' | b'_' | b'~' => {
                out.push(char::from(byte));
            }
            _ => {
                let digit = |n: u8| char::from(b"0123456789ABCDEF"[usize::from(n)]);
                out.extend(['%', digit(byte >> 4), digit(byte & 15)]);
            }
        }
    }
    out
}

impl From<AskError> for ExportsError {
    fn from(error: AskError) -> Self {
        Self::new(error.to_string())
    }
}
