//! Bodies that one thread makes while others send them.
//!
//! A client that keeps up takes pieces out of a small queue. Those of one that does not go to a file without a name, so
//! that the thread, and the part of the store that it reads, are free as soon as the body is made. All such files
//! together are bounded; beyond that the thread waits for the client, but not for long.

mod spools;

use std::collections::VecDeque;
use std::fs::File;
use std::io::{self, Write};
use std::os::unix::fs::FileExt as _;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use hyper::body::Bytes;
use tokio::sync::Notify;

use super::work::Waiter;

pub(super) use spools::Spools;

/// The bytes that wait in memory for one client.
const MOST_QUEUED: usize = 1 << 20;
/// The bytes that are read from a file at once.
const PIECE: u64 = 256 << 10;
/// How long a thread waits for a client if the files are full.
const PATIENCE: Duration = Duration::from_secs(5);

/// The end at which a body is made. A body whose inlet is dropped before its end breaks off.
pub(super) struct Inlet {
    pipe: Arc<Pipe>,
    waiter: Waiter,
}

/// The end at which a body is sent.
pub(super) struct Outlet(Arc<Pipe>);

/// Makes a body.
pub(super) fn pipe(spools: &Arc<Spools>, waiter: Waiter) -> (Inlet, Outlet) {
    let (state, room, ready) = Default::default();
    let pipe = Arc::new(Pipe { state, room, ready, spools: Arc::clone(spools) });
    (Inlet { pipe: Arc::clone(&pipe), waiter }, Outlet(pipe))
}

struct Pipe {
    state: Mutex<State>,
    /// Something was taken.
    room: Condvar,
    /// Something has come.
    ready: Notify,
    spools: Arc<Spools>,
}

#[derive(Default)]
struct State {
    queue: VecDeque<Bytes>,
    n_queued: usize,
    /// The pieces behind the queue.
    spool: Option<Spool>,
    end: Option<End>,
    is_gone: bool,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum End {
    Whole,
    Broken,
}

/// A part of a body in a file.
struct Spool {
    file: Arc<File>,
    n_written: u64,
    n_read: u64,
}

impl Pipe {
    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl State {
    /// Returns whether something lies in the file.
    fn is_spooling(&self) -> bool {
        self.spool.as_ref().is_some_and(|spool| spool.n_read < spool.n_written)
    }

    fn has_room(&self, n_bytes: usize) -> bool {
        !self.is_spooling() && (self.queue.is_empty() || self.n_queued + n_bytes <= MOST_QUEUED)
    }
}

impl Inlet {
    /// Appends a piece. An error says that the client is gone or too slow.
    pub(super) fn push(&self, piece: Bytes) -> io::Result<()> {
        if piece.is_empty() {
            return Ok(());
        }
        let gone = || io::Error::from(io::ErrorKind::BrokenPipe);
        let mut state = self.pipe.lock();
        if state.is_gone {
            return Err(gone());
        }
        let n_bytes = piece.len() as u64;
        if !state.has_room(piece.len()) {
            if self.pipe.spools.take(n_bytes) {
                drop(state);
                return self.spool(&piece).inspect_err(|_| self.pipe.spools.give_back(n_bytes));
            }
            drop(state);
            state = self.waiter.waiting(|| self.wait(piece.len()));
            if state.is_gone {
                return Err(gone());
            }
            if !state.has_room(piece.len()) {
                return Err(io::ErrorKind::TimedOut.into());
            }
        }
        state.n_queued += piece.len();
        state.queue.push_back(piece);
        drop(state);
        self.pipe.ready.notify_one();
        Ok(())
    }

    /// Waits until the queue has room.
    fn wait(&self, n_bytes: usize) -> MutexGuard<'_, State> {
        let end = Instant::now() + PATIENCE;
        let mut state = self.pipe.lock();
        while !state.is_gone && !state.has_room(n_bytes) {
            let left = end.saturating_duration_since(Instant::now());
            if left.is_zero() {
                break;
            }
            let waited = self.pipe.room.wait_timeout(state, left);
            state = waited.unwrap_or_else(PoisonError::into_inner).0;
        }
        state
    }

    /// Appends a piece to the file, for which there is room.
    fn spool(&self, piece: &[u8]) -> io::Result<()> {
        let mut state = self.pipe.lock();
        if !state.is_spooling() {
            // All of it was read: it begins anew.
            if let Some(spool) = &mut state.spool {
                self.pipe.spools.give_back(spool.n_written);
                (spool.n_written, spool.n_read) = (0, 0);
            }
        }
        let (file, place) = match &state.spool {
            Some(spool) => (Arc::clone(&spool.file), spool.n_written),
            None => {
                let file = Arc::new(self.pipe.spools.file()?);
                state.spool = Some(Spool { file: Arc::clone(&file), n_written: 0, n_read: 0 });
                (file, 0)
            }
        };
        drop(state);
        file.write_all_at(piece, place)?;
        if let Some(spool) = &mut self.pipe.lock().spool {
            spool.n_written += piece.len() as u64;
        }
        self.pipe.ready.notify_one();
        Ok(())
    }

    /// Ends the body: all of it was made.
    pub(super) fn finish(self) {
        self.pipe.lock().end = Some(End::Whole);
    }
}

impl Write for Inlet {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.push(Bytes::copy_from_slice(bytes))?;
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl Drop for Inlet {
    fn drop(&mut self) {
        self.pipe.lock().end.get_or_insert(End::Broken);
        self.pipe.ready.notify_one();
    }
}

/// The next step for a client.
enum Next {
    Piece(Bytes),
    Read(Arc<File>, u64, u64),
    End(End),
    Wait,
}

impl Outlet {
    /// Returns the next piece; nothing at the end.
    pub(super) async fn next(&self) -> Option<io::Result<Bytes>> {
        loop {
            match self.look() {
                Next::Piece(piece) => {
                    self.0.room.notify_all();
                    return Some(Ok(piece));
                }
                Next::Read(file, place, n_bytes) => {
                    let read = tokio::task::spawn_blocking(move || part(&file, place, n_bytes));
                    let read = read.await.unwrap_or_else(|error| Err(io::Error::other(error)));
                    if let (Ok(piece), Some(spool)) = (&read, &mut self.0.lock().spool) {
                        spool.n_read += piece.len() as u64;
                    }
                    self.0.room.notify_all();
                    return Some(read);
                }
                Next::End(End::Whole) => return None,
                Next::End(End::Broken) => {
                    return Some(Err(io::Error::other("the answer breaks off")));
                }
                Next::Wait => self.0.ready.notified().await,
            }
        }
    }

    fn look(&self) -> Next {
        let mut state = self.0.lock();
        if let Some(piece) = state.queue.pop_front() {
            state.n_queued -= piece.len();
            return Next::Piece(piece);
        }
        match (&state.spool, state.end) {
            (Some(spool), _) if spool.n_read < spool.n_written => {
                let n_bytes = (spool.n_written - spool.n_read).min(PIECE);
                Next::Read(Arc::clone(&spool.file), spool.n_read, n_bytes)
            }
            (_, Some(end)) => Next::End(end),
            (_, None) => Next::Wait,
        }
    }
}

fn part(file: &File, place: u64, n_bytes: u64) -> io::Result<Bytes> {
    let mut piece = vec![0; usize::try_from(n_bytes).unwrap_or_default()];
    file.read_exact_at(&mut piece, place)?;
    Ok(piece.into())
}

impl Drop for Outlet {
    fn drop(&mut self) {
        let mut state = self.0.lock();
        state.is_gone = true;
        state.queue.clear();
        drop(state);
        self.0.room.notify_all();
    }
}

impl Drop for Pipe {
    fn drop(&mut self) {
        let state = self.state.get_mut().unwrap_or_else(PoisonError::into_inner);
        if let Some(spool) = &state.spool {
            self.spools.give_back(spool.n_written);
        }
    }
}

impl std::fmt::Debug for Outlet {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Outlet")
    }
}

#[cfg(test)]
mod tests;
