//! Environments that are reopened when their files change.
//!
//! Opening blocks only the threads that need the environment: one of them opens, the others wait for its result, an
//! environment or an error. No thread gets a stale environment: a catalog that is requested after a deploy has ended is
//! compiled from the deployed files. Opening reads only the lists of modules, and files that were
//! parsed before are shared, so the wait is short.

use std::fmt::{self, Debug};
use std::path::PathBuf;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use kukla_world::clock::{self, Stopwatch};
use kukla_world::{Disk, World};

use super::Snapshot;
use super::watch::Watch;
use crate::SiteError;
use crate::open::OpenEnvironment;

/// The time for which an environment is used without a check of its files: Puppet's `environment_timeout`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Timeout {
    /// Until it has been unused for this long; zero, Puppet's default, checks the files on every use.
    Unused(Duration),
    /// Forever.
    Unlimited,
}

impl Default for Timeout {
    fn default() -> Self {
        Self::Unused(Duration::ZERO)
    }
}

/// Opens an environment.
type Open = Box<dyn Fn() -> Result<OpenEnvironment, SiteError> + Send + Sync>;

/// The outcome of opening, shared by all threads that wait for it.
type Opened = Result<Arc<OpenEnvironment>, Arc<SiteError>>;

/// An environment that is reopened when its files change.
///
/// A compilation continues with the environment that it started with.
pub(crate) struct Live {
    open: Open,
    timeout: Timeout,
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    current: Option<Current>,
    /// The slot at which threads wait while one of them opens the environment.
    opening: Option<Arc<Opening>>,
}

#[derive(Debug)]
struct Current {
    environment: Arc<OpenEnvironment>,
    watch: Watch,
    used: Stopwatch,
}

/// One round of opening.
#[derive(Default)]
struct Opening {
    outcome: Mutex<Outcome>,
    changed: Condvar,
}

#[derive(Default)]
enum Outcome {
    #[default]
    Pending,
    Done(Opened),
    /// The thread that was opening it panicked.
    Abandoned,
}

impl Live {
    /// Creates an environment that `open` opens, now and whenever it has changed.
    pub(crate) fn new(
        timeout: Timeout,
        open: impl Fn() -> Result<OpenEnvironment, SiteError> + Send + Sync + 'static,
    ) -> Self {
        Self { open: Box::new(open), timeout, state: Mutex::default() }
    }

    /// Returns the current environment.
    pub(crate) fn current(&self) -> Result<Arc<OpenEnvironment>, SiteError> {
        loop {
            let mut state = self.lock();
            if let Some(opening) = state.opening.clone() {
                drop(state);
                match opening.wait() {
                    Some(opened) => return opened.map_err(SiteError::Shared),
                    // This thread opens it itself.
                    None => continue,
                }
            }
            if let Some(current) = state.current.as_mut()
                && is_current(current, self.timeout)
            {
                current.used = Stopwatch::start();
                return Ok(Arc::clone(&current.environment));
            }
            let opening = Arc::<Opening>::default();
            state.opening = Some(Arc::clone(&opening));
            let outdated = state.current.take();
            drop(state);
            drop(outdated);
            return self.open(&opening).map_err(SiteError::Shared);
        }
    }

    /// Opens the environment for this thread and all threads that wait.
    fn open(&self, opening: &Opening) -> Opened {
        let round = Round { live: self, opening };
        let start = clock::time_of_day();
        let opened = (self.open)().map(Arc::new).map_err(Arc::new);
        if let Ok(environment) = &opened {
            let watch = Watch::new(roots(&environment.snapshot), start);
            let (environment, used) = (Arc::clone(environment), Stopwatch::start());
            self.lock().current = Some(Current { environment, watch, used });
        }
        round.opening.set(Outcome::Done(opened.clone()));
        opened
    }

    /// Returns whether the directory of the environment existed once and has been removed.
    pub(crate) fn is_gone(&self) -> bool {
        // An environment whose lock is held is in use.
        let Ok(state) = self.state.try_lock() else { return false };
        let environment = state.current.as_ref().map(|current| Arc::clone(&current.environment));
        drop(state);
        let exists = |open: &OpenEnvironment| {
            Disk.is_directory(&open.snapshot.environment().directory.to_string_lossy())
        };
        environment.is_some_and(|open| !exists(&open))
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Ends a round of opening, even on a panic: no thread waits forever.
struct Round<'a> {
    live: &'a Live,
    opening: &'a Opening,
}

impl Drop for Round<'_> {
    fn drop(&mut self) {
        self.live.lock().opening = None;
        self.opening.set(Outcome::Abandoned);
    }
}

impl Opening {
    /// Sets the outcome, unless it is set, and wakes all threads that wait for it.
    fn set(&self, new: Outcome) {
        let mut outcome = self.outcome.lock().unwrap_or_else(PoisonError::into_inner);
        if matches!(*outcome, Outcome::Pending) {
            *outcome = new;
        }
        drop(outcome);
        self.changed.notify_all();
    }

    /// Waits for the outcome; returns `None` if the thread that was opening the environment panicked.
    fn wait(&self) -> Option<Opened> {
        let outcome = self.outcome.lock().unwrap_or_else(PoisonError::into_inner);
        let is_pending = |outcome: &mut Outcome| matches!(outcome, Outcome::Pending);
        let outcome = self.changed.wait_while(outcome, is_pending);
        match &*outcome.unwrap_or_else(PoisonError::into_inner) {
            Outcome::Done(opened) => Some(opened.clone()),
            Outcome::Pending | Outcome::Abandoned => None,
        }
    }
}

fn is_current(current: &mut Current, timeout: Timeout) -> bool {
    match timeout {
        Timeout::Unlimited => true,
        Timeout::Unused(time) => current.used.elapsed() < time || current.watch.is_fresh(),
    }
}

/// Returns the files and directories that are watched.
///
/// Data elsewhere (an absolute `datadir`, keys of eyaml) is not watched: changes there are seen once a watched file
/// changes.
fn roots(snapshot: &Snapshot) -> Vec<PathBuf> {
    let environment = snapshot.environment();
    let mut roots = vec![environment.directory.clone(), environment.manifest.clone()];
    roots.extend(environment.modulepath.iter().cloned());
    let options = &snapshot.options;
    let files = [&options.hiera_config, &options.datalocation, &options.datalibrary];
    roots.extend(files.into_iter().flatten().cloned());
    roots
}

impl Debug for Live {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Live").field("timeout", &self.timeout).finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests;
