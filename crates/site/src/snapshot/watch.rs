//! Detection of changes below some directories.
//!
//! The first check reads the metadata of all files, once; from then on the kernel reports changes (inotify), so that a
//! check takes a few microseconds however large an environment is. Without inotify, all files are
//! checked each time.

use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use kukla_world::Watcher;
use kukla_world::files::{self, Status};
use rustc_hash::FxHashSet;

/// The tolerance for the clock of files, which may lag behind ours by a tick of the kernel.
const TICK: Duration = Duration::from_millis(20);

/// The maximum number of directories to watch.
const MAX_DIRECTORIES: usize = 200_000;

/// Directories from which nothing is loaded.
pub(crate) const SKIPPED: [&str; 3] = [".git", ".xpp", "spec"];

/// Watches files and directories.
#[derive(Debug)]
pub(crate) struct Watch {
    roots: Vec<(PathBuf, Option<Identity>)>,
    since: SystemTime,
    state: State,
}

#[derive(Debug)]
enum State {
    /// No check has been made yet.
    New,
    Watched(Watcher),
    /// The kernel does not report changes.
    Unwatched,
}

/// The identity of a file or directory at a path.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Identity {
    place: (u64, u64),
    /// The modification time and size of a file. Changes in directories are detected separately.
    content: Option<(Duration, u64)>,
}

impl Watch {
    /// Records the state of these paths, which need not exist; nothing must have changed since `start`.
    pub(crate) fn new(roots: impl IntoIterator<Item = PathBuf>, start: SystemTime) -> Self {
        let since = start.checked_sub(TICK).unwrap_or(start);
        let roots = roots.into_iter().map(|path| {
            let identity = Identity::of(&path);
            (path, identity)
        });
        Self { roots: roots.collect(), since, state: State::New }
    }

    /// Returns whether everything is unchanged.
    pub(crate) fn is_fresh(&mut self) -> bool {
        if self.roots.iter().any(|(path, identity)| Identity::of(path) != *identity) {
            return false;
        }
        match &self.state {
            State::New => self.start(),
            State::Watched(watcher) => watcher.is_quiet(),
            State::Unwatched => self.look(&mut |_| true).unwrap_or(false),
        }
    }

    fn start(&mut self) -> bool {
        let Some(watcher) = Watcher::start() else {
            self.state = State::Unwatched;
            return self.look(&mut |_| true).unwrap_or(false);
        };
        let watched = self.look(&mut |directory| watcher.add(directory));
        self.state = match watched {
            Some(_) => State::Watched(watcher),
            None => State::Unwatched,
        };
        match watched {
            Some(is_fresh) => is_fresh,
            None => self.look(&mut |_| true).unwrap_or(false),
        }
    }

    /// Returns whether everything below the roots is old enough. Calls `visit` for each directory
    /// before reading its entries; returns `None` if `visit` returns false, or if there are too many directories.
    fn look(&self, visit: &mut dyn FnMut(&Path) -> bool) -> Option<bool> {
        let mut is_fresh = true;
        let mut seen: FxHashSet<(u64, u64)> = FxHashSet::default();
        let mut queue: Vec<PathBuf> = self.roots.iter().map(|(path, _)| path.clone()).collect();
        while let Some(directory) = queue.pop() {
            let Ok(status) = Status::of(&directory) else { continue };
            if !status.is_directory() || !seen.insert(status.identity()) {
                continue;
            }
            if seen.len() > MAX_DIRECTORIES || !visit(&directory) {
                return None;
            }
            is_fresh &= self.is_old(&status);
            for name in files::readable_names(&directory).unwrap_or_default() {
                let path = directory.join(&name);
                // A dangling link is treated as missing.
                let Ok(status) = Status::of(&path) else { continue };
                match status.is_directory() {
                    true if SKIPPED.iter().any(|skipped| name == *skipped) => (),
                    true => queue.push(path),
                    false => is_fresh &= self.is_old(&status),
                }
            }
        }
        Some(is_fresh)
    }

    fn is_old(&self, status: &Status) -> bool {
        UNIX_EPOCH + status.changed_since_1970() < self.since
    }
}

impl Identity {
    pub(crate) fn of(path: &Path) -> Option<Self> {
        let status = Status::of(path).ok()?;
        let content = status.is_file().then(|| (status.changed_since_1970(), status.size()));
        Some(Self { place: status.identity(), content })
    }
}
