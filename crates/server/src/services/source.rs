//! The registry of a door, which is read again when its file changes.
//!
//! Programs refer to services by their place in the registry, so program and services are replaced together: a program
//! in use keeps the services that it was checked with.

use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use kukla_plang::Registry;
use kukla_plang::registry::RegistryError;
use kukla_plang::services::ServiceAnswer;

use super::directory::{Directory, DirectoryError};
use crate::body::Keep;
use crate::files::read_regular;
use crate::rules::{Stamp, stamp};

/// The registry of a door; all its programs share it, and the connections to its services.
#[derive(Debug)]
pub struct RegistrySource {
    path: PathBuf,
    overrides: Overrides,
    keep: Keep,
    live: Mutex<Option<Arc<LiveRegistry>>>,
}

/// Parts of a registry that are not in its file.
#[derive(Clone, Debug, Default)]
pub struct Overrides {
    /// Pools of servers, unless the file names some.
    pub pools: Option<Vec<String>>,
    /// Services with one answer, which they give from now on.
    pub canned: Vec<(String, ServiceAnswer)>,
}

/// A registry in use.
#[derive(Debug)]
pub struct LiveRegistry {
    /// The registry.
    pub registry: Registry,
    /// Its services.
    pub directory: Arc<Directory>,
    pub(crate) text: String,
    pub(crate) stamp: Stamp,
}

/// Reason why a registry can't be used.
#[derive(Debug, thiserror::Error)]
pub enum SourceError {
    /// The file can't be read.
    #[error("cannot read `{0}`: {1}")]
    Unreadable(String, std::io::Error),
    /// The file is not in UTF-8.
    #[error("`{0}` is not in UTF-8")]
    Encoding(String),
    /// The file is malformed.
    #[error("cannot use `{0}`: {1}")]
    Malformed(String, RegistryError),
    /// A service can't be used.
    #[error("cannot use `{0}`: {1}")]
    Service(String, DirectoryError),
}

impl Overrides {
    /// Puts these parts into a registry.
    pub fn apply(&self, registry: &mut Registry) {
        if registry.pools.is_none() {
            registry.pools.clone_from(&self.pools);
        }
        for (uri, answer) in &self.canned {
            registry.set_canned_answer(uri, answer.clone());
        }
    }
}

impl RegistrySource {
    /// Reads a registry.
    pub fn open(path: PathBuf, overrides: Overrides, keep: Keep) -> Result<Self, SourceError> {
        let this = Self { path, overrides, keep, live: Mutex::default() };
        this.current()?;
        Ok(this)
    }

    /// Returns the path of the file.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Returns the registry as it is in the file now. Its services are those of the last call if the file is the same.
    pub fn current(&self) -> Result<Arc<LiveRegistry>, SourceError> {
        let mut live = self.live.lock().unwrap_or_else(PoisonError::into_inner);
        // Taken before the file is read: a change in between causes another reload.
        let stamp = stamp(&self.path);
        if let Some(live) = &*live
            && live.stamp == stamp
        {
            return Ok(Arc::clone(live));
        }
        let new = Arc::new(self.read(stamp)?);
        *live = Some(Arc::clone(&new));
        Ok(new)
    }

    fn read(&self, stamp: Stamp) -> Result<LiveRegistry, SourceError> {
        let name = || self.path.display().to_string();
        let bytes = read_regular(&self.path);
        let bytes = bytes.map_err(|error| SourceError::Unreadable(name(), error))?;
        let text = String::from_utf8(bytes).map_err(|_| SourceError::Encoding(name()))?;
        let registry = Registry::parse(&text);
        let mut registry = registry.map_err(|error| SourceError::Malformed(name(), error))?;
        self.overrides.apply(&mut registry);
        let directory = Directory::new(&registry, &self.keep);
        let directory = directory.map_err(|error| SourceError::Service(name(), error))?;
        Ok(LiveRegistry { registry, directory: Arc::new(directory), text, stamp })
    }
}
