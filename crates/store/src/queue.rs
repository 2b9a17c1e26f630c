//! Commands that were accepted and wait for the store.
//!
//! [`Queue::accept`] checks a command and writes it to a journal, so that it survives the end of the process;
//! [`Queue::drain`] stores what waits in its order, a group in one transaction. What fails alone is
//! reported and dropped: it would fail again.

mod kept;
mod known;
pub(crate) mod record;
mod say;

use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use kukla_world::clock::Stopwatch;
use kukla_world::files;
use kukla_world::journal::{Journal, Waiting};

use crate::command::Body;
use crate::store::Applied;
use crate::{Command, CommandError, Outcome, Receipt, Store, StoreError};
use kept::{Kept, Own, Waits};
pub use known::{Said, Subject, digest as said};
pub use say::{Again, Saying};

/// The number of commands in one transaction, and of their bytes: those who write exports wait for it.
const MOST_COMMANDS: u64 = 64;
const MOST_BYTES: usize = 4 << 20;
/// The number of bytes that may wait.
pub(crate) const MOST_WAITING: u64 = 4 << 30;

/// How long the first command of a group waits for others: a transaction costs more than a command.
const GATHERING: Duration = Duration::from_millis(100);

/// The number of processes that may use the directory at once.
pub(crate) const MOST_LANES: usize = 8;

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
    /// Something has come.
    arrived: Condvar,
    /// Something is stored.
    stored: Condvar,
}

/// A command that is stored next, and its number.
struct Next {
    number: u64,
    command: Command,
    receipt: Receipt,
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
        let (kept, arrived, stored) = Default::default();
        Ok(Self { directory, journal, kept, arrived, stored })
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
        let command = Box::new(Command::read(name, version, payload)?);
        let number = self.append(submission, Own::Foreign(command), is_durable)?;
        number.ok_or(SubmitError::Full)
    }

    /// Accepts a report that this program has put into words: it is read when it is stored, which takes longer than to
    /// write it down. The disk has it afterwards.
    pub fn accept_report(&self, payload: &[u8]) -> Result<u64, SubmitError> {
        let submission =
            Submission { name: "store report", version: 8, payload, keeps_exports: false };
        self.append(submission, Own::Report, true)?.ok_or(SubmitError::Full)
    }

    /// Writes a command down; nothing if it says that something is as before which is not known any more.
    fn append(
        &self,
        submission: Submission<'_>,
        own: Own<'_>,
        is_durable: bool,
    ) -> Result<Option<u64>, SubmitError> {
        if self.journal.waiting().bytes > MOST_WAITING {
            return Err(SubmitError::Full);
        }
        let receipt =
            Receipt { received: crate::time::now(), keeps_exports: submission.keeps_exports };
        let failed = |error| {
            let place = self.directory.display().to_string();
            SubmitError::Journal { place, error }
        };
        let record = record::written(&submission, receipt);
        let number = {
            // The command is known before anyone drains its number.
            let mut kept = self.lock();
            if let Own::Same { subject, node, said, time, since } = &own
                && kept.known.before(*subject, node, said, *time).map(|it| it.time) != Some(*since)
            {
                return Ok(None);
            }
            let number = self.journal.append(&record).map_err(failed)?;
            kept.arrived(number, own, receipt, record);
            if kept.is_idle || self.is_full() {
                kept.is_idle = false;
                self.arrived.notify_all();
            }
            number
        };
        if is_durable {
            self.journal.flush(number).map_err(failed)?;
        }
        Ok(Some(number))
    }

    /// Stores a group of commands. An error of the store leaves all of them waiting.
    pub fn drain(&self, store: &Store) -> Result<Drained, StoreError> {
        let mut drained = Drained::default();
        let (first, end) = self.journal.range();
        let (commands, next) = self.group(first, end, &mut drained)?;
        let group: Vec<(&Command, Receipt)> =
            commands.iter().map(|next| (&next.command, next.receipt)).collect();
        if !group.is_empty() {
            for (applied, next) in store.apply(&group)?.into_iter().zip(&commands) {
                self.applied(next, applied, &mut drained);
            }
        }
        self.journal
            .done(next)
            .map_err(|error| StoreError::new(self.directory.display(), "changed", error))?;
        drop(self.lock());
        self.stored.notify_all();
        Ok(drained)
    }

    /// Counts a command that was applied, and remembers what the store has now.
    fn applied(&self, next: &Next, applied: Applied, drained: &mut Drained) {
        let Next { number, command, .. } = next;
        let words = || format!("{} of {}", command.name(), command.certname);
        let is_stored = matches!(applied, Ok(Outcome::Stored));
        match applied {
            Ok(Outcome::Stored) => drained.stored += 1,
            Ok(Outcome::Stale | Outcome::Duplicate) => drained.ignored += 1,
            Ok(Outcome::Changed) => {
                let reason = "the store has heard something else meanwhile; the next one will be stored whole";
                let error = StoreError::new(self.directory.display(), "used", reason);
                drained.discarded.push((words(), error));
            }
            Err(error) => drained.discarded.push((words(), error)),
        }
        let subject = match command.body {
            Body::Facts(_) | Body::SameFacts(_) => Subject::Facts,
            Body::Catalog(_) | Body::SameCatalog(_) => Subject::Catalog,
            _ => return,
        };
        let mut kept = self.lock();
        match is_stored {
            true => kept.known.stored(subject, &command.certname, *number),
            false => kept.known.forget(subject, &command.certname),
        }
    }

    /// Returns whether a whole group waits.
    fn is_full(&self) -> bool {
        let (first, end) = self.journal.range();
        end - first >= MOST_COMMANDS
    }

    /// Returns the commands that are stored next, and the number behind them.
    fn group(
        &self,
        first: u64,
        end: u64,
        drained: &mut Drained,
    ) -> Result<(Vec<Next>, u64), StoreError> {
        let (mut commands, mut n_bytes, mut number) = (Vec::new(), 0, first);
        while number < end && number - first < MOST_COMMANDS && n_bytes < MOST_BYTES {
            let kept = self.lock().take(number);
            let (read, length) = match kept {
                Some(Waits::Read(command, receipt, length)) => (Ok((*command, receipt)), length),
                Some(Waits::Written(record)) => (record::read(&record), record.len()),
                None => self.reread(number)?,
            };
            n_bytes += length;
            match read {
                Ok((command, receipt)) => commands.push(Next { number, command, receipt }),
                Err(error) => {
                    let error = StoreError::new(self.directory.display(), "read", error);
                    drained.discarded.push((format!("command {number}"), error));
                }
            }
            number += 1;
        }
        Ok((commands, number))
    }

    /// Reads a command and its length from the journal; the inner error is one of this command alone.
    fn reread(&self, number: u64) -> Result<(Reread, usize), StoreError> {
        let failed = |error| StoreError::new(self.directory.display(), "read", error);
        let Some(record) = self.journal.read(number).map_err(failed)? else {
            return Ok((Err(CommandError::Json("it is damaged".to_owned())), 0));
        };
        Ok((record::read(&record), record.len()))
    }

    /// Waits until a command is stored; returns whether it is.
    pub fn wait_for(&self, number: u64, limit: Duration) -> bool {
        let watch = Stopwatch::start();
        let mut kept = self.lock();
        kept.n_waiting += 1;
        self.arrived.notify_all();
        loop {
            let is_stored = self.journal.range().0 > number;
            let elapsed = watch.elapsed();
            if is_stored || elapsed >= limit {
                kept.n_waiting -= 1;
                return is_stored;
            }
            let waited = self.stored.wait_timeout(kept, limit - elapsed);
            kept = waited.unwrap_or_else(PoisonError::into_inner).0;
        }
    }

    /// Waits until something waits, and then a moment for more; returns false if the queue was closed and nothing waits.
    pub fn wait(&self, limit: Duration) -> bool {
        let mut kept = self.lock();
        let n_waiting = || {
            let (first, end) = self.journal.range();
            end - first
        };
        kept.is_idle = true;
        let is_idle = |kept: &mut Kept| n_waiting() == 0 && !kept.is_closed;
        let waited = self.arrived.wait_timeout_while(kept, limit, is_idle);
        kept = waited.unwrap_or_else(PoisonError::into_inner).0;
        kept.is_idle = false;
        let is_gathering = |kept: &mut Kept| {
            (1..MOST_COMMANDS).contains(&n_waiting()) && kept.n_waiting == 0 && !kept.is_closed
        };
        let waited = self.arrived.wait_timeout_while(kept, GATHERING, is_gathering);
        kept = waited.unwrap_or_else(PoisonError::into_inner).0;
        !kept.is_closed || n_waiting() > 0
    }

    /// Tells those who wait that no more commands come.
    pub fn close(&self) {
        self.lock().is_closed = true;
        self.arrived.notify_all();
        self.stored.notify_all();
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

/// A command of the journal.
type Reread = Result<(Command, Receipt), CommandError>;

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
