//! An environment that is looked at again when its files change.

use std::fmt::{self, Debug};
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant, SystemTime};

use super::Snapshot;
use super::watch::Watch;

/// How long an environment is taken as it was, without a look at its files: Puppet's `environment_timeout`.
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
type Open<E> = Box<dyn Fn() -> Result<Snapshot, E> + Send + Sync>;

/// An environment; its [`Snapshot`] is exchanged for a new one when files change.
///
/// A compilation goes on with the snapshot that it began with.
pub struct Live<E> {
    open: Open<E>,
    timeout: Timeout,
    current: Mutex<Option<Current>>,
}

#[derive(Debug)]
struct Current {
    snapshot: Arc<Snapshot>,
    watch: Watch,
    used: Instant,
}

impl<E> Live<E> {
    /// An environment that `open` opens, now and whenever it has changed.
    pub fn new(
        timeout: Timeout,
        open: impl Fn() -> Result<Snapshot, E> + Send + Sync + 'static,
    ) -> Self {
        Self { open: Box::new(open), timeout, current: Mutex::new(None) }
    }

    /// The environment as it is now.
    pub fn snapshot(&self) -> Result<Arc<Snapshot>, E> {
        let mut current = self.current.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(current) = current.as_mut()
            && is_current(current, self.timeout)
        {
            current.used = Instant::now();
            return Ok(Arc::clone(&current.snapshot));
        }
        *current = None;
        let start = SystemTime::now();
        let snapshot = Arc::new((self.open)()?);
        let watch = Watch::new(roots(&snapshot), start);
        *current = Some(Current { snapshot: Arc::clone(&snapshot), watch, used: Instant::now() });
        Ok(snapshot)
    }
}

fn is_current(current: &mut Current, timeout: Timeout) -> bool {
    match timeout {
        Timeout::Unlimited => true,
        Timeout::Unused(time) => current.used.elapsed() < time || current.watch.is_fresh(),
    }
}

/// Everything that a snapshot reads is below these.
fn roots(snapshot: &Snapshot) -> Vec<PathBuf> {
    let environment = snapshot.environment();
    let mut roots = vec![environment.directory.clone(), environment.manifest.clone()];
    roots.extend(environment.modulepath.iter().cloned());
    roots.extend(snapshot.options.hiera_config.clone());
    roots
}

impl<E> Debug for Live<E> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Live").field("timeout", &self.timeout).finish_non_exhaustive()
    }
}
