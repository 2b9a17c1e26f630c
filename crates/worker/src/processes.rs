//! The processes of all environments: at most so many, wherever they come from.

use std::collections::HashMap;
use std::sync::{Arc, Condvar, LazyLock, Mutex, MutexGuard, PoisonError};
use std::thread::{self, ThreadId};
use std::time::Duration;

use kukla_world::clock::Stopwatch;

use crate::WorkerError;
use crate::process::{Process, SLICE, stopped};

/// The processes of this process.
static OF_PROCESS: LazyLock<Arc<Processes>> = LazyLock::new(|| {
    Arc::new(Processes::new(thread::available_parallelism().map_or(2, usize::from)))
});

/// The code that a process has loaded, and how it was started: processes of the same key are as good as each other.
pub(crate) type Key = Arc<str>;

/// Real Rubies of all environments, of which there are never more than a number.
///
/// An idle one is used again for the code that it has loaded. Where all are taken, an idle one with other code has to go.
#[derive(Debug)]
pub struct Processes {
    most: usize,
    state: Mutex<State>,
    freed: Condvar,
}

#[derive(Debug, Default)]
struct State {
    /// Those that were used last are at the end.
    idle: Vec<(Key, Process)>,
    /// Processes that wait for something that a thread does for them; meanwhile that thread may ask them more.
    waiting: HashMap<ThreadId, Vec<(Key, Process)>>,
    n_started: usize,
}

/// What a thread gets that needs a process.
pub(crate) enum Taken {
    /// One that has the code.
    Idle(Process),
    /// The right to start one.
    Permit,
}

impl Processes {
    /// Room for so many processes.
    pub fn new(most: usize) -> Self {
        Self { most: most.max(1), state: Mutex::default(), freed: Condvar::new() }
    }

    /// Returns the processes that all pools share unless they say otherwise.
    pub fn of_process() -> &'static Arc<Self> {
        &OF_PROCESS
    }

    /// Returns how many processes run now.
    pub fn count(&self) -> usize {
        self.state().n_started
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Takes an idle process with that code, or room for a new one; waits for `timeout` until there is either.
    pub(crate) fn take(&self, key: &Key, timeout: Duration) -> Result<Taken, WorkerError> {
        let waited = Stopwatch::start();
        let mut state = self.state();
        loop {
            if let Some(at) = state.idle.iter().rposition(|(known, _)| known == key) {
                return Ok(Taken::Idle(state.idle.remove(at).1));
            }
            if state.n_started < self.most {
                state.n_started += 1;
                return Ok(Taken::Permit);
            }
            if !state.idle.is_empty() {
                // The one that was not used for the longest time makes room.
                let (_, evicted) = state.idle.remove(0);
                drop(state);
                drop(evicted);
                return Ok(Taken::Permit);
            }
            let left = timeout.saturating_sub(waited.elapsed());
            if left.is_zero() {
                return Err(WorkerError::Busy(timeout.as_secs()));
            }
            let woken = self.freed.wait_timeout(state, left.min(SLICE));
            state = woken.unwrap_or_else(PoisonError::into_inner).0;
            stopped()?;
        }
    }

    /// Takes the process with that code that waits for this thread.
    pub(crate) fn take_waiting(&self, key: &Key) -> Option<Process> {
        let thread = thread::current().id();
        let mut state = self.state();
        let own = state.waiting.get_mut(&thread)?;
        let at = own.iter().rposition(|(known, _)| known == key)?;
        let (_, process) = own.remove(at);
        if own.is_empty() {
            state.waiting.remove(&thread);
        }
        Some(process)
    }

    /// This thread does something for a process, and may ask it more meanwhile.
    pub(crate) fn let_wait(&self, key: &Key, process: Process) {
        let mut state = self.state();
        let own = state.waiting.entry(thread::current().id()).or_default();
        own.push((Arc::clone(key), process));
    }

    /// A process whose call is done.
    pub(crate) fn put_back(&self, key: &Key, process: Process) {
        self.state().idle.push((Arc::clone(key), process));
        self.freed.notify_one();
    }

    /// A process has gone; another may be started.
    pub(crate) fn lost(&self) {
        let mut state = self.state();
        state.n_started = state.n_started.saturating_sub(1);
        drop(state);
        self.freed.notify_one();
    }
}
