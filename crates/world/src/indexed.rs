//! A world that answers from an index: what was there when it was made, and nothing that came later.

use std::io;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use rustc_hash::FxHashMap;

use crate::index::{Entry, Found, Index};
use crate::program::{Program, RunError};
use crate::{Change, ContentCache, Opened, SharedWorld, Stamp, World};

/// The most paths outside of the index that are noted.
const MOST_OUTSIDE: usize = 100_000;

/// Where files change all the time.
const VOLATILE: [&str; 4] = ["/dev/", "/proc/", "/run/", "/sys/"];

/// The files of another world as an [`Index`] has them.
///
/// Existence, stamps and lists come from the index alone. Content that was not read ahead ([`Indexed::read_ahead`]) is read
/// when it is asked for; if the file has changed since, the answer is not that of the index, and the world is torn
/// ([`Indexed::is_torn`]): whatever was made of it must be made anew.
#[derive(Debug)]
pub struct Indexed {
    inner: SharedWorld,
    index: Index,
    is_torn: AtomicBool,
    is_loose: AtomicBool,
    /// Paths outside of the index that were asked for, with their first stamps.
    outside: Mutex<FxHashMap<Box<str>, Option<Stamp>>>,
}

impl Indexed {
    /// Answers from an index.
    pub fn new(inner: SharedWorld, index: Index) -> Self {
        let (is_torn, is_loose) = (AtomicBool::new(false), AtomicBool::new(false));
        Self { inner, index, is_torn, is_loose, outside: Mutex::default() }
    }

    /// Returns the index.
    pub const fn index(&self) -> &Index {
        &self.index
    }

    /// Returns whether an answer was not that of the index.
    pub fn is_torn(&self) -> bool {
        self.is_torn.load(Ordering::Relaxed)
    }

    /// Returns whether something below the indexed directories was read that the index does not know.
    pub fn is_loose(&self) -> bool {
        self.is_loose.load(Ordering::Relaxed)
    }

    /// Returns whether anything outside of the index that was asked for has changed since.
    pub fn has_outside_changed(&self) -> bool {
        let noted = self.outside.lock().unwrap_or_else(PoisonError::into_inner).clone();
        noted.iter().any(|(path, stamp)| self.inner.stamp(path) != *stamp)
    }

    /// Reads the content of a file now; returns whether it is the file of the index.
    pub fn read_ahead(&self, path: &str, limit: u64) -> bool {
        let Found::Entry(Entry::File(stamp, content)) = self.index.find(path) else {
            return false;
        };
        if content.get().is_some() {
            return true;
        }
        match self.inner.read(path, limit) {
            Ok(opened) if opened.stamp == *stamp => {
                // Another thread has read the same.
                let _ = content.set(ContentCache::of_process().share_bytes(opened.bytes));
                true
            }
            Ok(_) | Err(_) => false,
        }
    }

    fn tear(&self) {
        self.is_torn.store(true, Ordering::Relaxed);
    }

    /// Notes a read of something that is not indexed.
    fn outside(&self, path: &str) -> &dyn World {
        if self.index.has_ancestor(path) {
            self.is_loose.store(true, Ordering::Relaxed);
        }
        if VOLATILE.iter().any(|prefix| path.starts_with(prefix)) {
            return &*self.inner;
        }
        let mut outside = self.outside.lock().unwrap_or_else(PoisonError::into_inner);
        if outside.len() < MOST_OUTSIDE && !outside.contains_key(path) {
            outside.insert(path.into(), self.inner.stamp(path));
        }
        drop(outside);
        &*self.inner
    }
}

impl World for Indexed {
    fn stamp(&self, path: &str) -> Option<Stamp> {
        match self.index.find(path) {
            Found::Entry(entry) => Some(entry.stamp()),
            Found::Absent => None,
            Found::Outside => self.outside(path).stamp(path),
        }
    }

    fn read(&self, path: &str, limit: u64) -> io::Result<Opened> {
        match self.index.find(path) {
            Found::Entry(Entry::File(stamp, content)) => match content.get() {
                Some(bytes) if bytes.len() as u64 > limit => {
                    Err(io::ErrorKind::FileTooLarge.into())
                }
                Some(bytes) => Ok(Opened { bytes: Arc::clone(bytes), stamp: *stamp }),
                None => {
                    let opened = self.inner.read(path, limit);
                    let is_same = match &opened {
                        Ok(opened) => opened.stamp == *stamp,
                        Err(_) => self.inner.stamp(path) == Some(*stamp),
                    };
                    if !is_same {
                        self.tear();
                    }
                    opened
                }
            },
            Found::Entry(_) => Err(io::ErrorKind::IsADirectory.into()),
            Found::Absent => Err(io::ErrorKind::NotFound.into()),
            Found::Outside => self.outside(path).read(path, limit),
        }
    }

    fn names(&self, path: &str) -> io::Result<Vec<String>> {
        match self.index.find(path) {
            Found::Entry(Entry::Directory(_, names, false)) => Ok(names.clone()),
            Found::Entry(Entry::Directory(..)) => {
                Err(io::Error::new(io::ErrorKind::InvalidData, "a name in it is not UTF-8"))
            }
            Found::Entry(Entry::File(..)) => Err(io::ErrorKind::NotADirectory.into()),
            Found::Absent => Err(io::ErrorKind::NotFound.into()),
            Found::Entry(_) | Found::Outside => self.outside(path).names(path),
        }
    }

    fn list(&self, path: &str) -> Vec<String> {
        match self.index.find(path) {
            Found::Entry(Entry::Directory(_, names, _)) => names.clone(),
            Found::Entry(Entry::File(..)) | Found::Absent => Vec::new(),
            Found::Entry(_) | Found::Outside => self.outside(path).list(path),
        }
    }

    fn resolve(&self, path: &str) -> io::Result<String> {
        let resolved = self.inner.resolve(path);
        match self.index.find(path) {
            Found::Entry(entry) if self.inner.stamp(path) != Some(entry.stamp()) => self.tear(),
            Found::Absent if resolved.is_ok() => self.tear(),
            Found::Outside => drop(self.outside(path)),
            Found::Entry(_) | Found::Absent => (),
        }
        resolved
    }

    fn has_entry(&self, path: &str) -> io::Result<bool> {
        let (parent, name) = path.rsplit_once('/').unwrap_or_default();
        match self.index.find(parent) {
            Found::Entry(Entry::Directory(_, names, _)) => {
                Ok(names.iter().any(|known| known == name))
            }
            Found::Entry(Entry::File(..)) | Found::Absent => Ok(false),
            Found::Entry(_) | Found::Outside => self.outside(path).has_entry(path),
        }
    }

    fn live(&self) -> Option<&dyn World> {
        Some(&*self.inner)
    }

    fn change(&self, root: &str, change: &Change<'_>) -> io::Result<()> {
        self.inner.change(root, change)
    }

    fn owner(&self, path: &str) -> Option<u32> {
        self.inner.owner(path)
    }

    fn now(&self) -> i128 {
        self.inner.now()
    }

    fn random(&self, n: usize) -> io::Result<Vec<u8>> {
        self.inner.random(n)
    }

    fn run(&self, program: &Program) -> Result<Vec<u8>, RunError> {
        self.inner.run(program)
    }
}
