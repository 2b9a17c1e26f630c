//! Processes of all environments, limited in number.

use std::collections::HashMap;
use std::sync::{Arc, Condvar, LazyLock, Mutex, MutexGuard, PoisonError};
use std::thread::{self, ThreadId};
use std::time::Duration;

use kukla_world::clock::Stopwatch;

use crate::WorkerError;
use crate::process::{Process, SLICE, stopped};

/// The processes that all pools share by default.
static OF_PROCESS: LazyLock<Arc<Processes>> = LazyLock::new(|| {
    Arc::new(Processes::new(thread::available_parallelism().map_or(2, usize::from)))
});

/// The key of a process: its code and how it was started. Processes with equal keys are interchangeable.
pub(crate) type Key = Arc<str>;

/// Real Ruby processes of all environments, limited in number.
///
/// An idle process is reused for the code that it has loaded. At the limit, an idle one with other code is ended.
#[derive(Debug)]
pub struct Processes {
    most: usize,
    state: Mutex<State>,
    freed: Condvar,
}

#[derive(Debug, Default)]
struct State {
    /// Idle processes, the most recently used last.
    idle: Vec<(Key, Process)>,
    /// Processes that wait for a callback that a thread serves; meanwhile that thread may send them more requests.
    waiting: HashMap<ThreadId, Vec<(Key, Process)>>,
    n_started: usize,
}

/// The result of waiting for a process.
pub(crate) enum Taken {
    /// An idle process that has the code.
    Idle(Process),
    /// The right to start a new one.
    Permit,
}

impl Processes {
    /// Creates a set of at most this many processes.
    pub fn new(most: usize) -> Self {
        Self { most: most.max(1), state: Mutex::default(), freed: Condvar::new() }
    }

    /// Returns the processes that pools share by default.
    pub fn of_process() -> &'static Arc<Self> {
        &OF_PROCESS
    }

    /// Returns the number of running processes.
    pub fn count(&self) -> usize {
        self.state().n_started
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Takes an idle process with that code, or a slot for a new one; waits up to `timeout` for either.
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
                // The least recently used one is ended.
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

    /// Marks a process as waiting for a callback that this thread serves; the thread may send it more requests
    /// meanwhile.
    pub(crate) fn let_wait(&self, key: &Key, process: Process) {
        let mut state = self.state();
        let own = state.waiting.entry(thread::current().id()).or_default();
        own.push((Arc::clone(key), process));
    }

    /// Makes a process idle after its call.
    pub(crate) fn put_back(&self, key: &Key, process: Process) {
        self.state().idle.push((Arc::clone(key), process));
        self.freed.notify_one();
    }

    /// Frees the slot of a process that is gone.
    pub(crate) fn lost(&self) {
        let mut state = self.state();
        state.n_started = state.n_started.saturating_sub(1);
        drop(state);
        self.freed.notify_one();
    }
}
