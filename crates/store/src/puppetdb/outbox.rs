//! Commands that wait for PuppetDB, in the journal that the queue of other engines has too.
//!
//! A process that takes over from another one has a lane of its own. It sends nothing while the other one still writes,
//! and then merges what that one left into its own by the times at which commands came: their order stays.

mod item;
mod left;

use std::collections::BTreeSet;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use kukla_world::clock::Stopwatch;
use kukla_world::journal::{Journal, Waiting};

pub(super) use self::item::{Item, Place};
use self::left::Left;
use crate::queue::record;
use crate::queue::{MOST_LANES, MOST_WAITING};
use crate::{Command, Receipt, Saying, StoreError, Subject, Submission, SubmitError};

/// The commands of one round, and of their bytes.
const MOST_COMMANDS: usize = 128;
const MOST_BYTES: usize = 32 << 20;

/// Commands that wait.
#[derive(Debug)]
pub struct Outbox {
    directory: PathBuf,
    journal: Journal,
    own_lane: usize,
    left: Mutex<Left>,
    state: Mutex<State>,
    arrived: Condvar,
    done: Condvar,
}

#[derive(Debug, Default)]
struct State {
    is_closed: bool,
    sent: [BTreeSet<u64>; 2],
}

impl Outbox {
    /// Opens a directory, with the commands that waited when the process ended.
    pub fn open(directory: &Path) -> Result<Self, StoreError> {
        let mut last = io::Error::from(io::ErrorKind::NotFound);
        for lane in 0..MOST_LANES {
            match Journal::open(&directory.join(lane.to_string())) {
                Ok(journal) => {
                    let (arrived, done, state) = Default::default();
                    let directory = directory.to_owned();
                    let left = Mutex::new(Left::Unknown);
                    return Ok(Self {
                        directory,
                        journal,
                        own_lane: lane,
                        left,
                        state,
                        arrived,
                        done,
                    });
                }
                Err(error) => last = error,
            }
        }
        Err(StoreError::new(directory.display(), "opened", last))
    }

    /// Accepts a command of another program; returns its number. The disk has it afterwards.
    pub fn accept(&self, submission: Submission<'_>) -> Result<u64, SubmitError> {
        let Submission { name, version, payload, .. } = submission;
        let command = Command::read(name, version, payload)?;
        let number = self.append(submission, &command.certname, command.producer_timestamp)?;
        self.flushed(number)
    }

    /// Accepts a report that this program has put into words; the disk has it afterwards.
    pub fn accept_report(&self, node: &str, time: i64, payload: &[u8]) -> Result<u64, SubmitError> {
        let name = "store report";
        let submission = Submission { name, version: 8, payload, keeps_exports: false };
        let number = self.append(submission, node, time)?;
        self.flushed(number)
    }

    /// Accepts everything that a node says of itself: PuppetDB compares it with what it has. It survives the end of this
    /// process.
    pub fn say(&self, saying: &Saying<'_>) -> Result<u64, SubmitError> {
        let (name, version) = match saying.subject {
            Subject::Facts => ("replace facts", 5),
            Subject::Catalog => ("replace catalog", 9),
        };
        let payload = (saying.whole)();
        let payload = payload.as_bytes();
        let submission = Submission { name, version, payload, keeps_exports: false };
        self.append(submission, saying.node, saying.time)
    }

    fn flushed(&self, number: u64) -> Result<u64, SubmitError> {
        self.journal.flush(number).map_err(|error| self.unwritten(error))?;
        Ok(number)
    }

    fn append(
        &self,
        submission: Submission<'_>,
        node: &str,
        time: i64,
    ) -> Result<u64, SubmitError> {
        if self.journal.waiting().bytes > MOST_WAITING {
            return Err(SubmitError::Full);
        }
        let receipt = Receipt { received: crate::time::now(), keeps_exports: false };
        let record = record::addressed(&submission, receipt, node, time);
        let number = self.journal.append(&record).map_err(|error| self.unwritten(error))?;
        drop(lock(&self.state));
        self.arrived.notify_all();
        Ok(number)
    }

    fn unwritten(&self, error: io::Error) -> SubmitError {
        SubmitError::Journal { place: self.directory.display().to_string(), error }
    }

    /// Returns what is sent next, in the order in which it came; nothing while another process writes beside this one.
    pub(super) fn next(&self) -> Result<Vec<Item>, StoreError> {
        let failed = |error| StoreError::new(self.directory.display(), "read", error);
        let mut left = lock(&self.left);
        if matches!(*left, Left::Unknown) {
            match Left::look(&self.directory, self.own_lane).map_err(failed)? {
                Some(found) => *left = found,
                None => return Ok(Vec::new()),
            }
        }
        let mut sources = vec![(&self.journal, self.journal.range())];
        if let Left::Some(journal) = &*left {
            sources.push((journal, journal.range()));
        }
        let (mut items, mut n_bytes) = (Vec::new(), 0);
        let mut heads: Vec<Option<Item>> = sources.iter().map(|_| None).collect();
        while items.len() < MOST_COMMANDS && n_bytes < MOST_BYTES {
            for (n, (journal, (first, end))) in sources.iter_mut().enumerate() {
                while heads[n].is_none() && first < end {
                    let place = (n, *first);
                    *first += 1;
                    if !lock(&self.state).sent[n].contains(&place.1) {
                        let record = journal.read(place.1).map_err(failed)?;
                        heads[n] = Some(Item::read(place, record.as_deref()));
                    }
                }
            }
            let heads_in_order = (0..heads.len()).filter(|&n| heads[n].is_some());
            let Some(n) = heads_in_order.min_by_key(|&n| heads[n].as_ref().map(Item::received))
            else {
                break;
            };
            if let Some(item) = heads[n].take() {
                n_bytes += item.n_bytes();
                items.push(item);
            }
        }
        drop(left);
        if items.is_empty() {
            // So the next start sees nothing twice, and the size of the journal says what waits.
            self.clear()?;
        }
        Ok(items)
    }

    /// Marks commands as sent or set aside.
    pub(super) fn settle(&self, places: &[Place]) -> Result<(), StoreError> {
        let failed = |error| StoreError::new(self.directory.display(), "changed", error);
        let mut left = lock(&self.left);
        let mut is_left_done = false;
        {
            let mut state = lock(&self.state);
            for (source, number) in places {
                state.sent[*source].insert(*number);
            }
            let mut settle = |source: usize, journal: &Journal| -> io::Result<bool> {
                let (mut first, end) = journal.range();
                while first < end && state.sent[source].remove(&first) {
                    first += 1;
                }
                journal.done(first)?;
                Ok(first == end)
            };
            settle(0, &self.journal).map_err(failed)?;
            if let Left::Some(journal) = &*left
                && settle(1, journal).map_err(failed)?
            {
                journal.clear().map_err(failed)?;
                is_left_done = true;
            }
            if is_left_done {
                state.sent[1].clear();
            }
        }
        if is_left_done {
            // There may be another lane.
            *left = Left::Unknown;
        }
        drop(lock(&self.state));
        self.done.notify_all();
        Ok(())
    }

    /// Waits until something waits; returns false if the outbox was closed.
    pub fn wait(&self, limit: Duration) -> bool {
        let has_left = matches!(*lock(&self.left), Left::Some(_));
        let state = lock(&self.state);
        let is_idle = |state: &mut State| {
            self.journal.waiting().records == 0 && !has_left && !state.is_closed
        };
        let waited = self.arrived.wait_timeout_while(state, limit, is_idle);
        !waited.unwrap_or_else(PoisonError::into_inner).0.is_closed
    }

    /// Waits, whatever comes; returns false if the outbox was closed.
    pub fn pause(&self, limit: Duration) -> bool {
        let waited = self.arrived.wait_timeout_while(lock(&self.state), limit, |it| !it.is_closed);
        !waited.unwrap_or_else(PoisonError::into_inner).0.is_closed
    }

    /// Waits until a command was sent; returns whether it was.
    pub fn wait_for(&self, number: u64, limit: Duration) -> bool {
        let watch = Stopwatch::start();
        let mut state = lock(&self.state);
        loop {
            let is_sent = self.journal.range().0 > number || state.sent[0].contains(&number);
            let elapsed = watch.elapsed();
            if is_sent || elapsed >= limit {
                return is_sent;
            }
            let waited = self.done.wait_timeout(state, limit - elapsed);
            state = waited.unwrap_or_else(PoisonError::into_inner).0;
        }
    }

    /// Tells those who wait that no more commands come.
    pub fn close(&self) {
        lock(&self.state).is_closed = true;
        self.arrived.notify_all();
        self.done.notify_all();
    }

    /// Ends in order: if nothing waits, the next start sees no command twice.
    pub fn clear(&self) -> Result<(), StoreError> {
        let cleared = self.journal.clear();
        cleared.map_err(|error| StoreError::new(self.directory.display(), "changed", error))
    }

    /// Returns what waits.
    pub fn waiting(&self) -> Waiting {
        let own = self.journal.waiting();
        let left = match &*lock(&self.left) {
            Left::Some(journal) => journal.waiting(),
            Left::Unknown | Left::Nothing => Waiting::default(),
        };
        Waiting { records: own.records + left.records, bytes: own.bytes + left.bytes }
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
