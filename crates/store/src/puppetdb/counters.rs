//! Counts of exchanges with servers, for metrics.

use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

/// The kind of an exchange.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Direction {
    /// A command was sent.
    Command,
    /// A query was asked.
    Query,
}

/// Exchanges of one kind with one server.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PuppetDbCount {
    /// The kind.
    pub direction: Direction,
    /// The server.
    pub server: String,
    /// `ok`, `refused` or `failed`.
    pub outcome: &'static str,
    /// How many there were.
    pub n_exchanges: u64,
    /// How long all of them took.
    pub time: Duration,
}

/// Kind, server and outcome.
type Key = (Direction, String, &'static str);

/// Counts by kind, server and outcome; servers are those of `puppetdb.conf`, so there are few.
#[derive(Debug, Default)]
pub(super) struct Counters(Mutex<BTreeMap<Key, (u64, Duration)>>);

impl Counters {
    pub(super) fn add(
        &self,
        direction: Direction,
        server: &str,
        outcome: &'static str,
        took: Duration,
    ) {
        let mut counts = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let (n, time) = counts.entry((direction, server.to_owned(), outcome)).or_default();
        *n += 1;
        *time += took;
    }

    pub(super) fn list(&self) -> Vec<PuppetDbCount> {
        let counts = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let count = |(key, value): (&Key, &(u64, Duration))| {
            let ((direction, server, outcome), (n_exchanges, time)) = (key.clone(), *value);
            PuppetDbCount { direction, server, outcome, n_exchanges, time }
        };
        counts.iter().map(count).collect()
    }
}
