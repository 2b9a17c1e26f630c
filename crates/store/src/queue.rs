//! Commands that were accepted and wait for the store.
//!
//! [`Queue::accept`] checks a command and writes it to a journal, so that it survives the end of the process;
//! [`Queue::drain`] stores what waits in its order, a group in one transaction. What fails alone is
//! reported and dropped: it would fail again.

use std::collections::HashMap;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use kukla_world::clock::Stopwatch;
use kukla_world::files;
use kukla_world::journal::{Journal, Waiting};

use crate::{Command, CommandError, Outcome, Receipt, Store, StoreError};

/// The number of commands in one transaction, and of their bytes: those who write exports wait for it.
const MOST_COMMANDS: u64 = 64;
const MOST_BYTES: usize = 4 << 20;
/// The number of bytes of commands that are kept in memory until they are stored; others are read from the journal.
const MOST_KEPT: usize = 64 << 20;
/// The number of bytes that may wait.
const MOST_WAITING: u64 = 4 << 30;

/// The number of processes that may use the directory at once.
const MOST_LANES: usize = 8;

/// A command as it came.
#[derive(Clone, Copy, Debug)]
pub struct Submission<'a> {
    /// Its name: `replace facts` or `replace_facts`.
    pub name: &'a str,
    /// Its version.
    pub version: i64,
    /// Its payload, JSON.
    pub payload: &'a [u8],
    /// Whether its exported resources are stored already.
    pub keeps_exports: bool,
}

/// A command that was not accepted.
#[derive(Debug, thiserror::Error)]
pub enum SubmitError {
    /// There is something wrong with it.
    #[error(transparent)]
    Command(#[from] CommandError),
    /// It can't be written down.
    #[error("the command can't be kept in `{place}`: {error}")]
    Journal {
        /// The directory of the journal.
        place: String,
        /// The error of the system.
        error: io::Error,
    },
    /// Too much waits.
    #[error("too many commands wait for the store")]
    Full,
}

/// The result of one call of [`Queue::drain`].
#[derive(Debug, Default)]
pub struct Drained {
    /// The number of commands that are stored now.
    pub stored: usize,
    /// The number of commands that said nothing new.
    pub ignored: usize,
    /// Commands that could not be stored, with the names of command and node, and the reasons.
    pub discarded: Vec<(String, StoreError)>,
}

/// Commands that wait.
#[derive(Debug)]
pub struct Queue {
    directory: PathBuf,
    journal: Journal,
    kept: Mutex<Kept>,
    changed: Condvar,
}

#[derive(Debug, Default)]
struct Kept {
    commands: HashMap<u64, (Command, Receipt, usize)>,
    n_bytes: usize,
    is_closed: bool,
}

impl Queue {
    /// Opens the queue in a directory, with the commands that waited when the process ended. While a server hands over to
    /// the next one, each has a lane of its own; what another one left is moved into the own lane.
    pub fn open(directory: &Path) -> Result<Self, StoreError> {
        let failed = |error| StoreError::new(directory.display(), "opened", error);
        let mut own: Option<Journal> = None;
        let mut last = None;
        for lane in 0..MOST_LANES {
            let path = directory.join(lane.to_string());
            if own.is_some() && !files::exists(&path) {
                break;
            }
            match (Journal::open(&path), &own) {
                (Ok(journal), None) => own = Some(journal),
                (Ok(left), Some(own)) => adopt(&left, own).map_err(failed)?,
                (Err(error), _) => last = Some(error),
            }
        }
        let journal = match (own, last) {
            (Some(journal), _) => journal,
            (None, Some(error)) => return Err(failed(error)),
            (None, None) => return Err(failed(io::ErrorKind::NotFound.into())),
        };
        let directory = directory.to_owned();
        Ok(Self { directory, journal, kept: Mutex::default(), changed: Condvar::new() })
    }

    /// Returns the number of bytes of commands in a directory, which another process may use.
    pub fn waiting_in(directory: &Path) -> Result<u64, StoreError> {
        let mut n_bytes = 0;
        for lane in 0..MOST_LANES {
            let waiting = kukla_world::journal::bytes_in(&directory.join(lane.to_string()));
            let failed = |error| StoreError::new(directory.display(), "read", error);
            n_bytes += waiting.map_err(failed)?;
        }
        Ok(n_bytes)
    }

    /// Accepts a command that came just now, and returns its number. With `is_durable` it survives the end of the
    /// machine, else that of the process.
    pub fn accept(&self, submission: Submission<'_>, is_durable: bool) -> Result<u64, SubmitError> {
        let Submission { name, version, payload, .. } = submission;
        let command = Command::read(name, version, payload)?;
        self.append(submission, Some(command), is_durable)
    }

    /// Like [`accept`](Self::accept), for a command of this program: it is read when it is stored, which takes longer than
    /// to write it down.
    pub fn accept_own(
        &self,
        submission: Submission<'_>,
        is_durable: bool,
    ) -> Result<u64, SubmitError> {
        self.append(submission, None, is_durable)
    }

    fn append(
        &self,
        submission: Submission<'_>,
        command: Option<Command>,
        is_durable: bool,
    ) -> Result<u64, SubmitError> {
        if self.journal.waiting().bytes > MOST_WAITING {
            return Err(SubmitError::Full);
        }
        let Submission { name, version, payload, keeps_exports } = submission;
        let receipt = Receipt { received: crate::time::now(), keeps_exports };
        let failed = |error| {
            let place = self.directory.display().to_string();
            SubmitError::Journal { place, error }
        };
        let record = record(name, version, receipt, payload);
        let number = {
            // The command is known before anyone drains its number.
            let mut kept = self.lock();
            let number = self.journal.append(&record).map_err(failed)?;
            if let Some(command) = command
                && kept.n_bytes + record.len() <= MOST_KEPT
            {
                kept.n_bytes += record.len();
                kept.commands.insert(number, (command, receipt, record.len()));
            }
            number
        };
        if is_durable {
            self.journal.flush(number).map_err(failed)?;
        }
        self.changed.notify_all();
        Ok(number)
    }

    /// Stores a group of commands. An error of the store leaves all of them waiting.
    pub fn drain(&self, store: &Store) -> Result<Drained, StoreError> {
        let mut drained = Drained::default();
        let (first, end) = self.journal.range();
        let (commands, next) = self.group(first, end, &mut drained)?;
        let group: Vec<(&Command, Receipt)> =
            commands.iter().map(|(command, receipt)| (command, *receipt)).collect();
        if !group.is_empty() {
            for (applied, (command, _)) in store.apply(&group)?.into_iter().zip(&group) {
                match applied {
                    Ok(Outcome::Stored) => drained.stored += 1,
                    Ok(Outcome::Stale | Outcome::Duplicate) => drained.ignored += 1,
                    Err(error) => {
                        let words = format!("{} of {}", command.name(), command.certname);
                        drained.discarded.push((words, error));
                    }
                }
            }
        }
        self.journal
            .done(next)
            .map_err(|error| StoreError::new(self.directory.display(), "changed", error))?;
        drop(self.lock());
        self.changed.notify_all();
        Ok(drained)
    }

    /// Returns the commands that are stored next, and the number behind them.
    fn group(
        &self,
        first: u64,
        end: u64,
        drained: &mut Drained,
    ) -> Result<(Vec<(Command, Receipt)>, u64), StoreError> {
        let (mut commands, mut n_bytes, mut next) = (Vec::new(), 0, first);
        while next < end && next - first < MOST_COMMANDS && n_bytes < MOST_BYTES {
            let kept = {
                let mut kept = self.lock();
                let found = kept.commands.remove(&next);
                kept.n_bytes -= found.as_ref().map_or(0, |(.., n_bytes)| *n_bytes);
                found
            };
            match kept {
                Some((command, receipt, length)) => {
                    n_bytes += length;
                    commands.push((command, receipt));
                }
                None => match self.reread(next)? {
                    Ok((command, receipt, length)) => {
                        n_bytes += length;
                        commands.push((command, receipt));
                    }
                    Err(error) => {
                        let error = StoreError::new(self.directory.display(), "read", error);
                        drained.discarded.push((format!("command {next}"), error));
                    }
                },
            }
            next += 1;
        }
        Ok((commands, next))
    }

    /// Reads a command from the journal; the inner error is one of this command alone.
    fn reread(
        &self,
        number: u64,
    ) -> Result<Result<(Command, Receipt, usize), CommandError>, StoreError> {
        let failed = |error| StoreError::new(self.directory.display(), "read", error);
        let Some(record) = self.journal.read(number).map_err(failed)? else {
            return Ok(Err(CommandError::Json("it is damaged".to_owned())));
        };
        Ok(parsed(&record).map(|(command, receipt)| (command, receipt, record.len())))
    }

    /// Waits until a command is stored; returns whether it is.
    pub fn wait_for(&self, number: u64, limit: Duration) -> bool {
        let watch = Stopwatch::start();
        let mut kept = self.lock();
        loop {
            let is_stored = self.journal.range().0 > number;
            let elapsed = watch.elapsed();
            if is_stored || elapsed >= limit {
                return is_stored;
            }
            let waited = self.changed.wait_timeout(kept, limit - elapsed);
            kept = waited.unwrap_or_else(PoisonError::into_inner).0;
        }
    }

    /// Waits until something waits; returns false if the queue was closed and nothing waits.
    pub fn wait(&self, limit: Duration) -> bool {
        let kept = self.lock();
        let is_idle = |kept: &mut Kept| {
            let (first, end) = self.journal.range();
            first == end && !kept.is_closed
        };
        let waited = self.changed.wait_timeout_while(kept, limit, is_idle);
        let kept = waited.unwrap_or_else(PoisonError::into_inner).0;
        let (first, end) = self.journal.range();
        !kept.is_closed || first < end
    }

    /// Tells those who wait that no more commands come.
    pub fn close(&self) {
        self.lock().is_closed = true;
        self.changed.notify_all();
    }

    /// Ends in order: if nothing waits, the next start sees no command twice.
    pub fn clear(&self) -> Result<(), StoreError> {
        let cleared = self.journal.clear();
        cleared.map_err(|error| StoreError::new(self.directory.display(), "changed", error))
    }

    /// Returns what waits.
    pub fn waiting(&self) -> Waiting {
        self.journal.waiting()
    }

    fn lock(&self) -> MutexGuard<'_, Kept> {
        self.kept.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Moves what a process left in its lane.
fn adopt(left: &Journal, own: &Journal) -> io::Result<()> {
    let (first, end) = left.range();
    let mut last = None;
    for number in first..end {
        if let Some(record) = left.read(number)? {
            last = Some(own.append(&record)?);
        }
    }
    if let Some(last) = last {
        own.flush(last)?;
    }
    left.done(end)?;
    left.clear()
}

/// Writes a record: a line that describes the command, and its payload.
fn record(name: &str, version: i64, receipt: Receipt, payload: &[u8]) -> Vec<u8> {
    let Receipt { received, keeps_exports } = receipt;
    let head = serde_json::json!([name, version, received, keeps_exports]).to_string();
    [head.as_bytes(), b"\n", payload].concat()
}

fn parsed(record: &[u8]) -> Result<(Command, Receipt), CommandError> {
    let damaged = || CommandError::Json("its record is damaged".to_owned());
    let end = record.iter().position(|&byte| byte == b'\n').ok_or_else(damaged)?;
    let (head, payload) = record.split_at(end);
    let head: (String, i64, i64, bool) = serde_json::from_slice(head).map_err(|_| damaged())?;
    let (name, version, received, keeps_exports) = head;
    let command = Command::read(&name, version, &payload[1..])?;
    Ok((command, Receipt { received, keeps_exports }))
}
