//! Sends what waits, in the order of each node.

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use super::error::PeerError;
use super::outbox::{Item, Outbox, Place};
use super::refused::{RefusedCommand, RefusedFiles};
use super::submit::{Submitted, submit};
use super::{PuppetDb, peer};
use crate::queue::record::Unread;
use crate::{CommandError, StoreError};

/// The number of nodes whose commands are sent at the same time.
const LANES: usize = 4;

/// A command that is sent next.
#[derive(Clone, Debug)]
pub(super) struct Outgoing {
    pub(super) place: Place,
    pub(super) record: Arc<Unread>,
}

/// The result of one round.
#[derive(Debug, Default)]
pub struct Round {
    /// The number of commands that PuppetDB took.
    pub n_sent: usize,
    /// Commands that PuppetDB refused, which are set aside.
    pub refused: Vec<RefusedCommand>,
    /// Commands that can't be sent, and why.
    pub unusable: Vec<CommandError>,
    /// Servers that took nothing, and why, each once.
    pub failures: Vec<(String, PeerError)>,
    /// Whether a command could not be sent anywhere, so that a pause makes sense.
    pub is_stuck: bool,
}

/// The thread's part of sending.
#[derive(Debug)]
pub struct Sender {
    puppetdb: Arc<PuppetDb>,
    outbox: Arc<Outbox>,
    files: RefusedFiles,
    /// Servers that have a command already, while others of a broadcast do not.
    partial: Mutex<Partial>,
    n_stuck: u32,
}

pub(super) type Partial = BTreeMap<Place, BTreeSet<usize>>;

impl Outgoing {
    pub(super) fn new(place: Place, record: Unread) -> Self {
        Self { place, record: Arc::new(record) }
    }
}

impl Sender {
    /// Makes a sender; refused commands are set aside in a directory.
    pub fn new(puppetdb: Arc<PuppetDb>, outbox: Arc<Outbox>, files: RefusedFiles) -> Self {
        Self { puppetdb, outbox, files, partial: Mutex::default(), n_stuck: 0 }
    }

    /// Sends a group of commands. After a failure the rest waits; how long, is up to the caller ([`Sender::pause`]).
    pub fn round(&mut self) -> Result<Round, StoreError> {
        let mut round = Round::default();
        let mut settled = Vec::new();
        let mut lanes: BTreeMap<String, VecDeque<Outgoing>> = BTreeMap::new();
        for item in self.outbox.next()? {
            match item {
                Item::Outgoing(it) => {
                    lanes.entry(it.record.node.clone()).or_default().push_back(it);
                }
                Item::Unusable { place, reason } => {
                    settled.push(place);
                    round.unusable.push(reason);
                }
            }
        }
        // Nodes whose commands came first are served first.
        let mut lanes: Vec<VecDeque<Outgoing>> = lanes.into_values().collect();
        lanes.sort_by_key(|lane| lane.front().map(|it| it.record.received));
        let mut unkept = None;
        for (outgoing, submitted) in self.send(lanes) {
            match submitted {
                Submitted::Sent => round.n_sent += 1,
                Submitted::Refused { server, status, words } => {
                    let refused = RefusedCommand::new(&outgoing.record, server, status, words);
                    // What can't be set aside stays in the queue, and is refused again.
                    if let Err(error) = self.files.keep(&refused, &outgoing.record) {
                        unkept = Some(error);
                        continue;
                    }
                    round.refused.push(refused);
                }
                Submitted::Failed(failures) => {
                    round.is_stuck = true;
                    for (server, error) in failures {
                        if !round.failures.iter().any(|(known, _)| *known == server) {
                            round.failures.push((server, error));
                        }
                    }
                    continue;
                }
            }
            lock(&self.partial).remove(&outgoing.place);
            settled.push(outgoing.place);
        }
        self.outbox.settle(&settled)?;
        self.n_stuck = match (round.is_stuck, round.n_sent) {
            (false, _) => 0,
            (true, 0) => self.n_stuck.saturating_add(1),
            (true, _) => 1,
        };
        match unkept {
            Some(error) => Err(error),
            None => Ok(round),
        }
    }

    /// Returns how long to wait before the next round, after rounds that failed.
    pub fn pause(&self) -> std::time::Duration {
        peer::pause(self.n_stuck)
    }

    /// Sends the commands of some nodes at the same time, those of one node after each other.
    fn send(&self, lanes: Vec<VecDeque<Outgoing>>) -> Vec<(Outgoing, Submitted)> {
        let n_workers = LANES.min(lanes.len());
        let work = Mutex::new(VecDeque::from(lanes));
        let results = Mutex::new(Vec::new());
        let (n_sent, n_failed) = (AtomicUsize::new(0), AtomicUsize::new(0));
        let worker = async || {
            loop {
                let Some(lane) = lock(&work).pop_front() else { return };
                for outgoing in lane {
                    let submitted = submit(&self.puppetdb, &outgoing, &self.partial).await;
                    let is_failure = matches!(submitted, Submitted::Failed(_));
                    lock(&results).push((outgoing, submitted));
                    if !is_failure {
                        n_sent.fetch_add(1, Ordering::Relaxed);
                        continue;
                    }
                    n_failed.fetch_add(1, Ordering::Relaxed);
                    // The rest of this node waits. One command may be the reason, or all would fail.
                    let has_sent = n_sent.load(Ordering::Relaxed) > 0;
                    if !has_sent && n_failed.load(Ordering::Relaxed) >= n_workers {
                        lock(&work).clear();
                    }
                    break;
                }
            }
        };
        let workers: Vec<_> = (0..n_workers).map(|_| worker()).collect();
        self.puppetdb.wait(futures_util::future::join_all(workers));
        results.into_inner().unwrap_or_else(PoisonError::into_inner)
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
