//! An environment that is looked at again when its files change.
//!
//! Opening it blocks only the threads that ask for it: one of them opens, all others wait for its result, be that an
//! environment or an error. None of them gets the environment as it was before a change: a catalog that is asked for
//! after a deploy has ended is made of what was deployed. Opening reads lists of modules and nothing else, and what was
//! parsed before is shared, so the wait is short.

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

/// How long an environment is used without a look at its files: Puppet's `environment_timeout`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Timeout {
    /// Until it has not been used for so long; always looked at if that is nothing, which is Puppet's default.
    Unused(Duration),
    /// For ever.
    Unlimited,
}

impl Default for Timeout {
    fn default() -> Self {
        Self::Unused(Duration::ZERO)
    }
}

/// Opens an environment.
type Open = Box<dyn Fn() -> Result<OpenEnvironment, SiteError> + Send + Sync>;

/// The outcome of opening, for all that wait for it.
type Opened = Result<Arc<OpenEnvironment>, Arc<SiteError>>;

/// An environment that is opened anew when its files change.
///
/// A compilation goes on with the environment that it began with.
pub(crate) struct Live {
    open: Open,
    timeout: Timeout,
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    current: Option<Current>,
    /// Where the threads wait while one of them opens the environment.
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
    /// The thread that was to open it panicked.
    Abandoned,
}

impl Live {
    /// Makes an environment that `open` opens, now and whenever it has changed.
    pub(crate) fn new(
        timeout: Timeout,
        open: impl Fn() -> Result<OpenEnvironment, SiteError> + Send + Sync + 'static,
    ) -> Self {
        Self { open: Box::new(open), timeout, state: Mutex::default() }
    }

    /// Returns the environment as it is now.
    pub(crate) fn current(&self) -> Result<Arc<OpenEnvironment>, SiteError> {
        loop {
            let mut state = self.lock();
            if let Some(opening) = state.opening.clone() {
                drop(state);
                match opening.wait() {
                    Some(opened) => return opened.map_err(SiteError::Shared),
                    // This thread tries itself.
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

    /// Opens the environment for this thread and all that wait.
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

    /// Returns whether the directory of the environment was there once and is no more.
    pub(crate) fn is_gone(&self) -> bool {
        // One that is being looked at is in use.
        let Ok(state) = self.state.try_lock() else { return false };
        let environment = state.current.as_ref().map(|current| Arc::clone(&current.environment));
        drop(state);
        let is_there = |open: &OpenEnvironment| {
            Disk.is_directory(&open.snapshot.environment().directory.to_string_lossy())
        };
        environment.is_some_and(|open| !is_there(&open))
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Ends a round of opening, also when it panics: no thread waits for ever.
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
    /// Sets the outcome, unless there is one, and wakes all that wait for it.
    fn set(&self, new: Outcome) {
        let mut outcome = self.outcome.lock().unwrap_or_else(PoisonError::into_inner);
        if matches!(*outcome, Outcome::Pending) {
            *outcome = new;
        }
        drop(outcome);
        self.changed.notify_all();
    }

    /// Waits for the outcome; there is none if the thread that was to open the environment panicked.
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
/// Data that lies elsewhere (an absolute `datadir`, keys of eyaml) is not: it is seen when anything here changes.
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
