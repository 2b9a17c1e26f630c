//! A world whose first answer holds for its whole life.

use std::hash::Hash;
use std::io;
use std::sync::{Arc, PoisonError, RwLock};

use rustc_hash::FxHashMap;

use crate::content::ContentCache;
use crate::program::{Program, RunError};
use crate::{NameQuery, NameReply, Opened, SharedWorld, Stamp, World};

/// The files of another world as they were when each was first asked for.
///
/// A snapshot of an environment reads through one, so that a compilation never sees two revisions of a file. Errors are
/// answers too. Clock, randomness and programs are passed on: they have no state to freeze.
#[derive(Debug)]
pub struct Frozen {
    inner: SharedWorld,
    stamps: Answers<Option<Stamp>>,
    files: Answers<Result<Opened, Failed>>,
    names: Answers<Result<Arc<[String]>, Failed>>,
    lists: Answers<Arc<[String]>>,
    resolved: Answers<Result<Arc<str>, Failed>>,
    entries: Answers<Result<bool, Failed>>,
}

/// An error of the system that can be given again and again.
#[derive(Clone, Debug)]
struct Failed {
    os: Option<i32>,
    kind: io::ErrorKind,
    text: Arc<str>,
}

impl From<io::Error> for Failed {
    fn from(error: io::Error) -> Self {
        Self { os: error.raw_os_error(), kind: error.kind(), text: error.to_string().into() }
    }
}

impl From<Failed> for io::Error {
    fn from(failed: Failed) -> Self {
        match failed.os {
            Some(code) => Self::from_raw_os_error(code),
            None => Self::new(failed.kind, &*failed.text),
        }
    }
}

/// First answers by path.
#[derive(Debug)]
struct Answers<T>(RwLock<FxHashMap<Box<str>, T>>);

impl<T> Default for Answers<T> {
    fn default() -> Self {
        Self(RwLock::default())
    }
}

impl<T: Clone> Answers<T> {
    /// Returns the first answer for a path; `ask` is called if there is none yet. The answer of the fastest thread holds.
    fn first(&self, path: &str, ask: impl FnOnce() -> T) -> T {
        let read = || self.0.read().unwrap_or_else(PoisonError::into_inner);
        if let Some(answer) = read().get(path).cloned() {
            return answer;
        }
        let answer = ask();
        let mut all = self.0.write().unwrap_or_else(PoisonError::into_inner);
        all.entry(path.into()).or_insert(answer).clone()
    }

    fn known<Q: Hash + Eq + ?Sized>(&self, path: &Q) -> Option<T>
    where
        Box<str>: std::borrow::Borrow<Q>,
    {
        self.0.read().unwrap_or_else(PoisonError::into_inner).get(path).cloned()
    }
}

impl Frozen {
    /// Freezes a world from now on.
    pub fn new(inner: SharedWorld) -> Self {
        Self {
            inner,
            stamps: Answers::default(),
            files: Answers::default(),
            names: Answers::default(),
            lists: Answers::default(),
            resolved: Answers::default(),
            entries: Answers::default(),
        }
    }
}

impl World for Frozen {
    fn stamp(&self, path: &str) -> Option<Stamp> {
        // A file that was read has the stamp of what was read.
        if let Some(Ok(opened)) = self.files.known(path) {
            return Some(opened.stamp);
        }
        self.stamps.first(path, || self.inner.stamp(path))
    }

    fn read(&self, path: &str, limit: u64) -> io::Result<Opened> {
        if self.stamps.known(path) == Some(None) {
            return Err(io::ErrorKind::NotFound.into());
        }
        let ask = || {
            let opened = self.inner.read(path, limit).map_err(Failed::from)?;
            let bytes = ContentCache::of_process().share_bytes(opened.bytes);
            Ok(Opened { bytes, ..opened })
        };
        let opened = self.files.first(path, ask)?;
        match opened.bytes.len() as u64 > limit {
            true => Err(io::ErrorKind::FileTooLarge.into()),
            false => Ok(opened),
        }
    }

    fn names(&self, path: &str) -> io::Result<Vec<String>> {
        let ask = || self.inner.names(path).map(Arc::from).map_err(Failed::from);
        Ok(self.names.first(path, ask)?.to_vec())
    }

    fn list(&self, path: &str) -> Vec<String> {
        // A directory has one list, whichever way it was asked for first.
        self.names(path)
            .unwrap_or_else(|_| self.lists.first(path, || self.inner.list(path).into()).to_vec())
    }

    fn resolve(&self, path: &str) -> io::Result<String> {
        let ask = || self.inner.resolve(path).map(Arc::from).map_err(Failed::from);
        Ok((*self.resolved.first(path, ask)?).to_owned())
    }

    fn has_entry(&self, path: &str) -> io::Result<bool> {
        let ask = || self.inner.has_entry(path).map_err(Failed::from);
        Ok(self.entries.first(path, ask)?)
    }

    fn live(&self) -> Option<&dyn World> {
        self.inner.live().or(Some(&*self.inner))
    }

    fn now(&self) -> i128 {
        self.inner.now()
    }

    fn random(&self, n: usize) -> io::Result<Vec<u8>> {
        self.inner.random(n)
    }

    fn ask_name_server(&self, query: &NameQuery) -> io::Result<NameReply> {
        self.inner.ask_name_server(query)
    }

    fn run(&self, program: &Program) -> Result<Vec<u8>, RunError> {
        self.inner.run(program)
    }
}
