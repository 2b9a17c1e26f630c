//! A journal: records that are written to the disk before they count, and read back in their order.
//!
//! Records lie in segments, files that are named by the number of their first record. [`Journal::append`] writes a
//! record by one call of the system, so that a killed process leaves all of it or a torn end, which the next start cuts
//! off; damage elsewhere costs the records that it hits and no others. [`Journal::flush`] waits until the disk has it; threads that wait at the same time share one flush. A segment is
//! removed when all its records are done, so after a crash some records are seen twice: readers must not mind.

mod progress;
mod segment;

use std::collections::VecDeque;
use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};

use crate::write;
use progress::Progress;
use segment::Segment;

/// The name of the file that a process locks.
const LOCK: &str = "lock";
/// The size at which a segment is full.
const FULL: u64 = 8 << 20;
/// The largest record.
pub const MOST_RECORD: usize = 256 << 20;

/// A journal in a directory, of which one process at a time has the use.
#[derive(Debug)]
pub struct Journal {
    directory: PathBuf,
    /// Holds the lock of the directory, and tells other processes the [`Progress`].
    lock: File,
    state: Mutex<State>,
    flushing: Mutex<u64>,
}

#[derive(Debug)]
struct State {
    segments: VecDeque<Segment>,
    /// The number of the next record.
    next: u64,
    /// Records with smaller numbers are done.
    done: u64,
    n_bytes: u64,
}

/// The records of a journal that wait.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Waiting {
    /// The number of records that are not done.
    pub records: u64,
    /// The number of bytes of all segments.
    pub bytes: u64,
}

/// Returns the number of bytes of records that are not done in a directory, of which another process may have the use.
pub fn bytes_in(directory: &Path) -> io::Result<u64> {
    if !directory.is_dir() {
        return Ok(0);
    }
    let progress = Progress::read(&directory.join(LOCK));
    let waiting = |path: &PathBuf| {
        let n_done = progress.as_ref().map_or(0, |progress| progress.in_segment(path));
        Ok(fs::metadata(path)?.len().saturating_sub(n_done))
    };
    segment::paths(directory)?.iter().map(waiting).sum()
}

impl Journal {
    /// Opens the journal of a directory; makes it if need be. Another process that has it open is an error.
    pub fn open(directory: &Path) -> io::Result<Self> {
        write::directories(directory)?;
        crate::durable::restrict(directory, 0o700)?;
        let lock = progress::open(&directory.join(LOCK))?;
        lock.try_lock().map_err(|error| match error {
            fs::TryLockError::WouldBlock => {
                io::Error::new(io::ErrorKind::ResourceBusy, "another process uses it")
            }
            fs::TryLockError::Error(error) => error,
        })?;
        // Whatever was done, its records are seen again.
        lock.set_len(0)?;
        let mut segments = VecDeque::new();
        for path in segment::paths(directory)? {
            segments.push_back(Segment::read(&path)?);
        }
        let next = segments.back().map_or(0, Segment::end);
        let done = segments.front().map_or(next, |first| first.first);
        let n_bytes = segments.iter().map(|segment| segment.n_bytes).sum();
        let state = State { segments, next, done, n_bytes };
        let directory = directory.to_owned();
        Ok(Self { directory, lock, state: Mutex::new(state), flushing: Mutex::new(0) })
    }

    /// Writes a record and returns its number. It survives the end of this process, but not yet that of the machine.
    pub fn append(&self, record: &[u8]) -> io::Result<u64> {
        if record.len() > MOST_RECORD {
            return Err(io::ErrorKind::FileTooLarge.into());
        }
        let mut state = self.lock();
        let number = state.next;
        if state.segments.back().is_none_or(|last| last.n_bytes >= FULL || last.is_torn) {
            if let Some(full) = state.segments.back() {
                full.file.sync_data()?;
            }
            let segment = Segment::create(&self.directory, number)?;
            state.segments.push_back(segment);
        }
        let Some(last) = state.segments.back_mut() else {
            return Err(io::ErrorKind::NotFound.into());
        };
        let n_written = last.append(record)?;
        state.n_bytes += n_written;
        state.next += 1;
        Ok(number)
    }

    /// Waits until the disk has a record.
    pub fn flush(&self, number: u64) -> io::Result<()> {
        let mut flushed = self.flushing.lock().unwrap_or_else(PoisonError::into_inner);
        if *flushed > number {
            // Another thread has flushed it meanwhile.
            return Ok(());
        }
        let (file, next) = {
            let state = self.lock();
            let last = state.segments.back().map(|last| last.file.try_clone()).transpose()?;
            (last, state.next)
        };
        if let Some(file) = file {
            file.sync_data()?;
        }
        *flushed = next;
        Ok(())
    }

    /// Returns the number of the first record that is not done, and the number behind the last one.
    pub fn range(&self) -> (u64, u64) {
        let state = self.lock();
        (state.done, state.next)
    }

    /// Reads a record; nothing if it is damaged.
    pub fn read(&self, number: u64) -> io::Result<Option<Vec<u8>>> {
        let (file, place) = {
            let state = self.lock();
            let holds = |segment: &&Segment| (segment.first..segment.end()).contains(&number);
            let Some(segment) = state.segments.iter().find(holds) else { return Ok(None) };
            let Some(place) = segment.place(number) else { return Ok(None) };
            (segment.file.try_clone()?, place)
        };
        segment::record(&file, place)
    }

    /// Marks all records before a number as done.
    pub fn done(&self, number: u64) -> io::Result<()> {
        let mut state = self.lock();
        state.done = state.done.max(number.min(state.next));
        let State { done, next, .. } = *state;
        while let Some(first) = state.segments.front() {
            // The last segment stays while it is small: making a file takes longer than appending to one.
            let is_spent = first.end() <= done && (first.end() < next || first.n_bytes >= FULL);
            if !is_spent {
                break;
            }
            fs::remove_file(&first.path)?;
            state.n_bytes -= first.n_bytes;
            state.segments.pop_front();
        }
        if let Some(first) = state.segments.front() {
            // It is for people only: without it they see more waiting than there is.
            let _ = Progress::of(first, done).write(&self.lock);
        }
        Ok(())
    }

    /// Removes the segments if all records are done: for an orderly end, after which nothing is seen twice.
    pub fn clear(&self) -> io::Result<()> {
        let mut state = self.lock();
        if state.done < state.next {
            return Ok(());
        }
        // Numbers may begin anew.
        self.lock.set_len(0)?;
        while let Some(first) = state.segments.pop_front() {
            fs::remove_file(&first.path)?;
            state.n_bytes -= first.n_bytes;
        }
        Ok(())
    }

    /// Returns what is waiting.
    pub fn waiting(&self) -> Waiting {
        let state = self.lock();
        Waiting { records: state.next - state.done, bytes: state.n_bytes }
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
