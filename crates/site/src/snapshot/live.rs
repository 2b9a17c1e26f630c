//! Environments that are reopened when their files change.
//!
//! A server says how long files must be quiet before a deploy counts as done ([`Settle`]). Then the environment is opened
//! with an index of its files ([`Deploy`]), requests get it without a look at the disk, and [`Live::tend`], which a thread
//! of its own calls, replaces it once a deploy has settled. Until then requests get the environment as it was before.
//!
//! Without such a rule each question looks for changes. Opening it blocks only the threads that ask for it: one of them opens, all others wait for its result, be that an
//! environment or an error. None of them gets the environment as it was before a change: a catalog that is asked for
//! after a deploy has ended is made of what was deployed. Opening reads lists of modules and nothing else, and what was
//! parsed before is shared, so the wait is short.

use std::fmt::{self, Debug};
use std::path::PathBuf;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, SystemTime};

use kukla_world::clock::{self, Stopwatch};

use super::deploy::{Deploy, quiet_time};
use super::watch::Watch;
use super::{Options, Snapshot, deploy};
use crate::open::OpenEnvironment;
use crate::{Environment, SiteError};

/// The time for which an environment is used without a check of its files: Puppet's `environment_timeout`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Timeout {
    /// Until it has been unused for this long; zero, Puppet's default, checks the files on every use.
    Unused(Duration),
    /// Until so long after it was opened.
    Created(Duration),
    /// Forever.
    Unlimited,
}

impl Default for Timeout {
    fn default() -> Self {
        Self::Unused(Duration::ZERO)
    }
}

/// The time without a change after which new files of an environment count as deployed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Settle(pub Duration);

/// The time for files that an administrator says are deployed: longer than a tick of the clock of files.
const FLUSHED: Duration = Duration::from_millis(40);
/// The most time without a change that the pauses of a deploy ask for.
const MOST_PATIENCE: Duration = Duration::from_secs(10);
/// The time that a request waits for the end of a deploy when there is nothing that it could be answered from.
const MOST_WAIT: Duration = Duration::from_secs(5);

/// The outcome of looking after an environment.
#[derive(Debug)]
pub enum Tended {
    /// A request has opened it.
    Opened(Arc<OpenEnvironment>),
    /// It was opened anew, because its files have changed.
    Replaced(Arc<OpenEnvironment>),
    /// It can't be opened.
    Failed(SiteError),
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
    settle: Option<Settle>,
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    /// The number of flushes.
    n_flushes: u64,
    /// Whether an administrator has said since the last opening that the files are deployed.
    is_flushed: bool,
    current: Option<Current>,
    /// The slot at which threads wait while one of them opens the environment.
    opening: Option<Arc<Opening>>,
}

#[derive(Debug)]
struct Current {
    environment: Arc<OpenEnvironment>,
    watch: Watch,
    created: Stopwatch,
    used: Stopwatch,
    /// Whether [`Live::tend`] has seen it.
    is_seen: bool,
    /// The last change that was seen.
    change: Option<LastChange>,
    /// The files of the last try to open it anew, which had not settled.
    candidate: Option<(u64, Stopwatch)>,
}

/// The time of the last change of a deploy.
#[derive(Clone, Copy, Debug)]
struct LastChange {
    since: Stopwatch,
    at: SystemTime,
    /// The longest time between two changes of the deploy.
    longest_pause: Duration,
}

impl LastChange {
    /// Returns a change that is seen now, after another one of the same deploy.
    fn after(last: Option<Self>) -> Self {
        let pause = last.map_or(Duration::ZERO, |last| last.since.elapsed());
        let longest_pause = pause.max(last.map_or(Duration::ZERO, |last| last.longest_pause));
        Self { since: Stopwatch::start(), at: clock::time_of_day(), longest_pause }
    }

    /// Returns whether nothing has changed for so long, and for twice the longest pause: a tool that is slow, or on a
    /// busy machine, pauses again.
    fn is_over(&self, quiet: Duration) -> bool {
        self.since.elapsed() >= quiet.max((self.longest_pause * 2).min(MOST_PATIENCE))
    }
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
        settle: Option<Settle>,
        open: impl Fn() -> Result<OpenEnvironment, SiteError> + Send + Sync + 'static,
    ) -> Self {
        Self { open: Box::new(open), timeout, settle, state: Mutex::default() }
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
        let opened = loop {
            let (n_flushes, is_flushed) = {
                let state = self.lock();
                (state.n_flushes, state.is_flushed)
            };
            let opened = self.open_settled(is_flushed).map(Arc::new).map_err(Arc::new);
            let mut state = self.lock();
            if state.n_flushes != n_flushes {
                continue;
            }
            if let Ok(environment) = &opened {
                state.current = Some(Current::new(Arc::clone(environment), start));
                state.is_flushed = false;
            }
            break opened;
        };
        round.opening.set(Outcome::Done(opened.clone()));
        opened
    }

    /// Opens the environment, and waits for the end of a deploy that is under way.
    fn open_settled(&self, is_flushed: bool) -> Result<OpenEnvironment, SiteError> {
        let Some(Settle(quiet)) = self.settle else { return (self.open)() };
        let quiet = if is_flushed { quiet.min(FLUSHED) } else { quiet };
        let start = Stopwatch::start();
        let mut candidate = None;
        loop {
            let environment = (self.open)()?;
            let Some(deploy) = &environment.revision.deploy else { return Ok(environment) };
            if is_settled(deploy, &mut candidate, quiet) {
                return Ok(environment);
            }
            if start.elapsed() + quiet > MOST_WAIT.max(quiet * 3) {
                return Err(SiteError::Unsettled(environment.name));
            }
            clock::pause(quiet);
        }
    }

    /// Looks for changes, and replaces the environment once they have settled.
    pub(crate) fn tend(&self) -> Option<Tended> {
        let Settle(quiet) = self.settle?;
        let (environment, n_flushes) = {
            let mut state = self.lock();
            let n_flushes = state.n_flushes;
            let current = state.current.as_mut()?;
            if !std::mem::replace(&mut current.is_seen, true) {
                return Some(Tended::Opened(Arc::clone(&current.environment)));
            }
            (Arc::clone(&current.environment), n_flushes)
        };
        let deploy = environment.revision.deploy.as_ref()?;
        deploy.read_ahead();
        let is_new = deploy.look();
        if !deploy.has_changed() || !self.is_due(&environment, is_new, quiet)? {
            return None;
        }
        let start = clock::time_of_day();
        let opened = (self.open)();
        let mut state = self.lock();
        if state.n_flushes != n_flushes {
            return None;
        }
        match opened {
            Ok(new) if state.current.as_mut()?.is_settled(&new, quiet) => {
                let new = Arc::new(new);
                let current = Current { is_seen: true, ..Current::new(Arc::clone(&new), start) };
                state.current = Some(current);
                Some(Tended::Replaced(new))
            }
            Ok(_) => None,
            Err(error) => {
                state.current = None;
                Some(Tended::Failed(error))
            }
        }
    }

    /// Returns whether an environment that has changed is to be opened anew.
    fn is_due(&self, environment: &OpenEnvironment, is_new: bool, quiet: Duration) -> Option<bool> {
        let mut state = self.lock();
        let current = state.current.as_mut()?;
        let change = match current.change {
            Some(change) if !is_new => change,
            last => *current.change.insert(LastChange::after(last)),
        };
        let directory = &environment.snapshot.environment().directory;
        let is_written = environment.revision.deploy.as_ref().is_some_and(Deploy::is_being_written);
        let is_quiet = !is_written
            && change.is_over(quiet)
            && change.is_over(quiet_time(directory, quiet, change.at));
        Some(is_quiet && !current.is_kept(environment.revision.timeout.unwrap_or(self.timeout)))
    }

    /// Forgets the environment: its files are deployed, so the next request gets what is there.
    pub(crate) fn flush(&self) {
        let mut state = self.lock();
        state.n_flushes += 1;
        state.is_flushed = true;
        let outdated = state.current.take();
        drop(state);
        drop(outdated);
    }

    /// Returns whether the directory of the environment was there once and is no more.
    pub(crate) fn is_gone(&self) -> bool {
        // An environment whose lock is held is in use.
        let Ok(state) = self.state.try_lock() else { return false };
        let environment = state.current.as_ref().map(|current| Arc::clone(&current.environment));
        drop(state);
        environment.is_some_and(|open| !deploy::is_there(&open.snapshot.environment().directory))
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

impl Current {
    fn new(environment: Arc<OpenEnvironment>, start: SystemTime) -> Self {
        let watch = Watch::new(roots(&environment.snapshot), start);
        let (created, used) = (Stopwatch::start(), Stopwatch::start());
        let is_seen = false;
        Self { environment, watch, created, used, is_seen, change: None, candidate: None }
    }

    /// Returns whether nothing has changed in a new revision for so long; if not, it is a candidate for the next try.
    fn is_settled(&mut self, new: &OpenEnvironment, quiet: Duration) -> bool {
        let Some(deploy) = &new.revision.deploy else { return true };
        is_settled(deploy, &mut self.candidate, quiet)
    }

    /// Returns whether the environment is used without a look at its files.
    fn is_kept(&self, timeout: Timeout) -> bool {
        match timeout {
            Timeout::Unlimited => true,
            Timeout::Unused(time) => self.used.elapsed() < time,
            Timeout::Created(time) => self.created.elapsed() < time,
        }
    }
}

/// Returns whether a revision has not changed for so long. Times of files may lie in the future: then it counts that all
/// files are those of a candidate that is as old.
fn is_settled(deploy: &Deploy, candidate: &mut Option<(u64, Stopwatch)>, quiet: Duration) -> bool {
    let fingerprint = deploy.fingerprint();
    let known = candidate.filter(|(known, _)| *known == fingerprint);
    let stays = known.is_some_and(|(_, since)| since.elapsed() >= quiet && !deploy.look());
    if known.is_none() {
        *candidate = Some((fingerprint, Stopwatch::start()));
    }
    stays || deploy.is_settled(quiet)
}

fn is_current(current: &mut Current, timeout: Timeout) -> bool {
    match &current.environment.revision.deploy {
        Some(deploy) => !deploy.is_torn(),
        None => current.is_kept(timeout) || current.watch.is_fresh(),
    }
}

/// Returns the files and directories that are watched.
///
/// Data elsewhere (an absolute `datadir`, keys of eyaml) is not watched: changes there are seen once a watched file
/// changes.
fn roots(snapshot: &Snapshot) -> Vec<PathBuf> {
    roots_of(snapshot.environment(), &snapshot.options)
}

/// Returns the files and directories of an environment that is opened with these options.
pub(crate) fn roots_of(environment: &Environment, options: &Options) -> Vec<PathBuf> {
    let mut roots = vec![environment.directory.clone(), environment.manifest.clone()];
    roots.extend(environment.modulepath.iter().cloned());
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
