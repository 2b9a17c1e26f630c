//! All entries below some directories, as one walk has found them.
//!
//! An index tells what a directory had at one time, whatever becomes of it later: which files there were, with their
//! stamps, and which there were not.

use std::hash::{Hash as _, Hasher as _};
use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use rustc_hash::{FxHashMap, FxHasher};

use crate::files::{self, Status};
use crate::{FileKind, Identity, Stamp};

/// More entries than this are not indexed.
const MOST_ENTRIES: usize = 2_000_000;
/// The longest chain of links from one directory to another.
const MOST_LINKS: usize = 16;

/// The entries below some directories.
#[derive(Debug, Default)]
pub struct Index {
    entries: FxHashMap<Box<str>, Entry>,
    youngest: Duration,
    fingerprint: u64,
}

/// An entry of an index.
#[derive(Debug)]
pub(crate) enum Entry {
    /// Something that is no directory, and its content if it was read.
    File(Stamp, OnceLock<Arc<[u8]>>),
    /// A directory with its names, sorted, and whether there are more that are not UTF-8.
    Directory(Stamp, Vec<String>, bool),
    /// A directory whose entries are not indexed.
    Closed(Stamp),
    /// A directory that has another path, by which it is indexed.
    Alias(Stamp, Box<str>),
}

/// An answer of an index.
#[derive(Debug)]
pub(crate) enum Found<'a> {
    /// There is something.
    Entry(&'a Entry),
    /// There was nothing.
    Absent,
    /// The index does not say.
    Outside,
}

impl Entry {
    /// Returns the stamp.
    pub(crate) const fn stamp(&self) -> Stamp {
        match self {
            Self::File(stamp, _)
            | Self::Directory(stamp, ..)
            | Self::Closed(stamp)
            | Self::Alias(stamp, _) => *stamp,
        }
    }
}

impl Index {
    /// Walks through directories, links followed. Directories whose names are `skipped` are not entered; `visit` is told of
    /// each directory before its entries are read. None if it says no, or if there are too many entries.
    pub fn walk(
        roots: &[PathBuf],
        skipped: &[&str],
        visit: &mut dyn FnMut(&Path) -> bool,
    ) -> Option<Self> {
        let mut walk = Walk { index: Self::default(), seen: FxHashMap::default(), skipped, visit };
        let mut queue: Vec<PathBuf> = roots.to_vec();
        while let Some(path) = queue.pop() {
            walk.enter(&path, &mut queue)?;
        }
        let mut index = walk.index;
        index.fingerprint = index.digest();
        Some(index)
    }

    /// Returns when anything was changed last, since the beginning of 1970.
    pub const fn youngest(&self) -> Duration {
        self.youngest
    }

    /// Returns a number that another index has only if all its entries and stamps are the same.
    pub const fn fingerprint(&self) -> u64 {
        self.fingerprint
    }

    /// Returns the number of entries.
    pub fn len(&self) -> usize {
        self.entries.len()
    }

    /// Returns whether there is no entry at all.
    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    /// Returns the paths and sizes of all regular files.
    pub fn files(&self) -> impl Iterator<Item = (&str, u64)> {
        self.entries.iter().filter_map(|(path, entry)| match entry {
            Entry::File(stamp, _) if stamp.kind == FileKind::File => Some((&**path, stamp.size)),
            _ => None,
        })
    }

    pub(crate) fn find(&self, path: &str) -> Found<'_> {
        let mut path = std::borrow::Cow::Borrowed(path);
        for _ in 0..MOST_LINKS {
            if !is_clean(&path) {
                return Found::Outside;
            }
            if let Some(entry) = self.entries.get(&*path)
                && !matches!(entry, Entry::Alias(..))
            {
                return Found::Entry(entry);
            }
            let ancestors = std::iter::successors(Some(&*path), |path| parent(path));
            let mut known = ancestors.filter_map(|at| Some((at, self.entries.get(at)?)));
            let next = match known.next() {
                Some((at, Entry::Alias(_, target))) => format!("{target}{}", &path[at.len()..]),
                Some((_, Entry::Directory(..) | Entry::File(..))) => return Found::Absent,
                Some((_, Entry::Closed(_))) | None => return Found::Outside,
            };
            path = next.into();
        }
        Found::Outside
    }

    /// Returns whether a path lies below an entry, as far as its text says.
    pub(crate) fn has_ancestor(&self, path: &str) -> bool {
        let mut ancestors = std::iter::successors(Some(path), |path| parent(path));
        ancestors.any(|at| self.entries.contains_key(at))
    }

    /// Returns a digest of all paths and stamps, in any order.
    fn digest(&self) -> u64 {
        let digest = |(path, entry): (&str, &Entry)| {
            let Stamp { device, inode, modified, size, .. } = entry.stamp();
            let mut hasher = FxHasher::default();
            (path, device, inode, modified, size).hash(&mut hasher);
            hasher.finish()
        };
        let mut hasher = FxHasher::default();
        self.youngest.hash(&mut hasher);
        let entries = self.entries.iter().map(|(path, entry)| (&**path, entry));
        entries.map(digest).fold(hasher.finish(), u64::wrapping_add)
    }
}

struct Walk<'a> {
    index: Index,
    /// Directories by identity, with the paths by which they are indexed.
    seen: FxHashMap<Identity, Box<str>>,
    skipped: &'a [&'a str],
    visit: &'a mut dyn FnMut(&Path) -> bool,
}

impl Walk<'_> {
    /// Adds what a path leads to; directories in it are queued.
    fn enter(&mut self, path: &Path, queue: &mut Vec<PathBuf>) -> Option<()> {
        let Some(text) = path.to_str() else { return Some(()) };
        // A link that leads nowhere is as good as nothing.
        let Ok(status) = Status::of(path) else { return Some(()) };
        if self.index.entries.contains_key(text) {
            return Some(());
        }
        self.index.youngest = self.index.youngest.max(status.changed_since_1970());
        if self.index.entries.len() >= MOST_ENTRIES {
            return None;
        }
        let (stamp, key) = (status.stamp(), Box::<str>::from(text));
        if !status.is_directory() {
            self.index.entries.insert(key, Entry::File(stamp, OnceLock::new()));
            return Some(());
        }
        if let Some(known) = self.seen.get(&status.identity()) {
            self.index.entries.insert(key, Entry::Alias(stamp, known.clone()));
            return Some(());
        }
        let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
        if self.skipped.contains(&name) {
            self.index.entries.insert(key, Entry::Closed(stamp));
            return Some(());
        }
        self.seen.insert(status.identity(), key.clone());
        if !(self.visit)(path) {
            return None;
        }
        let Ok(found) = files::readable_names(path) else {
            self.index.entries.insert(key, Entry::Closed(stamp));
            return Some(());
        };
        let n_found = found.len();
        let mut names: Vec<String> =
            found.into_iter().filter_map(|name| name.into_string().ok()).collect();
        names.sort();
        queue.extend(names.iter().map(|name| path.join(name)));
        let has_others = names.len() < n_found;
        self.index.entries.insert(key, Entry::Directory(stamp, names, has_others));
        Some(())
    }
}

/// Returns whether a path is absolute and names each directory once.
fn is_clean(path: &str) -> bool {
    let Some(rest) = path.strip_prefix('/') else { return false };
    rest.split('/').all(|part| !matches!(part, "" | "." | ".."))
}

fn parent(path: &str) -> Option<&str> {
    path.rsplit_once('/').map(|(parent, _)| parent).filter(|parent| !parent.is_empty())
}
