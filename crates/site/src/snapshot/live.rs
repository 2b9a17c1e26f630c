//! An environment that is looked at again when its files change.

use std::fmt::{self, Debug};
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use kukla_world::clock::{self, Stopwatch};

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

/// An environment that is opened anew when its files change.
///
/// A compilation goes on with the environment that it began with.
pub(crate) struct Live {
    open: Open,
    timeout: Timeout,
    current: Mutex<Option<Current>>,
}

#[derive(Debug)]
struct Current {
    environment: Arc<OpenEnvironment>,
    watch: Watch,
    used: Stopwatch,
}

impl Live {
    /// Makes an environment that `open` opens, now and whenever it has changed.
    pub(crate) fn new(
        timeout: Timeout,
        open: impl Fn() -> Result<OpenEnvironment, SiteError> + Send + Sync + 'static,
    ) -> Self {
        Self { open: Box::new(open), timeout, current: Mutex::new(None) }
    }

    /// Returns the environment as it is now.
    pub(crate) fn current(&self) -> Result<Arc<OpenEnvironment>, SiteError> {
        let mut current = self.current.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(current) = current.as_mut()
            && is_current(current, self.timeout)
        {
            current.used = Stopwatch::start();
            return Ok(Arc::clone(&current.environment));
        }
        *current = None;
        let start = clock::time_of_day();
        let environment = Arc::new((self.open)()?);
        let watch = Watch::new(roots(&environment.snapshot), start);
        let used = Stopwatch::start();
        *current = Some(Current { environment: Arc::clone(&environment), watch, used });
        Ok(environment)
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

impl Debug for Live {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Live").field("timeout", &self.timeout).finish_non_exhaustive()
    }
}
