//! Whether anything below some directories has changed.
//!
//! The first question is answered by looking at all files, once; from then on the kernel tells (inotify), so that a
//! question costs a few microseconds however large an environment is. Where the kernel does not tell, all files are
//! looked at each time.

use std::fs::Metadata;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use rustc_hash::FxHashSet;

/// The clock of files may be behind ours by a tick of the kernel.
const TICK: Duration = Duration::from_millis(20);

/// More directories than this are not watched.
const MAX_DIRECTORIES: usize = 200_000;

/// Directories that nothing is loaded from.
const SKIPPED: [&str; 2] = [".git", "spec"];

/// Watches files and directories.
#[derive(Debug)]
pub(crate) struct Watch {
    roots: Vec<(PathBuf, Option<Identity>)>,
    since: SystemTime,
    state: State,
}

#[derive(Debug)]
enum State {
    /// Nobody has asked yet.
    New,
    #[cfg(target_os = "linux")]
    Watched(rustix::fd::OwnedFd),
    /// The kernel does not tell.
    Unwatched,
}

/// What tells a file or directory at a path from another one there.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Identity {
    place: (u64, u64),
    /// Of files: when they were changed, and their size. What changes in directories is told otherwise.
    content: Option<(Duration, u64)>,
}

impl Watch {
    /// Notes how things are at these paths, which need not exist; nothing must have changed since `start`.
    pub(crate) fn new(roots: impl IntoIterator<Item = PathBuf>, start: SystemTime) -> Self {
        let since = start.checked_sub(TICK).unwrap_or(start);
        let roots = roots.into_iter().map(|path| {
            let identity = Identity::of(&path);
            (path, identity)
        });
        Self { roots: roots.collect(), since, state: State::New }
    }

    /// Whether everything is as it was.
    pub(crate) fn is_fresh(&mut self) -> bool {
        if self.roots.iter().any(|(path, identity)| Identity::of(path) != *identity) {
            return false;
        }
        match &self.state {
            State::New => self.start(),
            #[cfg(target_os = "linux")]
            State::Watched(events) => {
                let mut buffer = [0_u8; 4096];
                rustix::io::read(events, &mut buffer) == Err(rustix::io::Errno::AGAIN)
            }
            State::Unwatched => self.look(&mut |_| true).unwrap_or(false),
        }
    }

    #[cfg(target_os = "linux")]
    fn start(&mut self) -> bool {
        use rustix::fs::inotify::{CreateFlags, WatchFlags, add_watch, init};
        let Ok(events) = init(CreateFlags::NONBLOCK | CreateFlags::CLOEXEC) else {
            self.state = State::Unwatched;
            return self.look(&mut |_| true).unwrap_or(false);
        };
        let flags = WatchFlags::CREATE
            | WatchFlags::DELETE
            | WatchFlags::MODIFY
            | WatchFlags::ATTRIB
            | WatchFlags::MOVE
            | WatchFlags::DELETE_SELF
            | WatchFlags::MOVE_SELF;
        let watched = self.look(&mut |directory| add_watch(&events, directory, flags).is_ok());
        self.state = match watched {
            Some(_) => State::Watched(events),
            None => State::Unwatched,
        };
        match watched {
            Some(is_fresh) => is_fresh,
            None => self.look(&mut |_| true).unwrap_or(false),
        }
    }

    #[cfg(not(target_os = "linux"))]
    fn start(&mut self) -> bool {
        self.state = State::Unwatched;
        self.look(&mut |_| true).unwrap_or(false)
    }

    /// Looks at all that is below the roots: whether it is as old as it should be. `visit` is told of each directory
    /// before its entries are read; `None` if it says no, or if there are too many.
    fn look(&self, visit: &mut dyn FnMut(&Path) -> bool) -> Option<bool> {
        let mut is_fresh = true;
        let mut seen: FxHashSet<(u64, u64)> = FxHashSet::default();
        let mut queue: Vec<PathBuf> = self.roots.iter().map(|(path, _)| path.clone()).collect();
        while let Some(directory) = queue.pop() {
            let Ok(metadata) = directory.metadata() else { continue };
            if !metadata.is_dir() || !seen.insert(place(&metadata)) {
                continue;
            }
            if seen.len() > MAX_DIRECTORIES || !visit(&directory) {
                return None;
            }
            is_fresh &= self.is_old(&metadata);
            for entry in std::fs::read_dir(&directory).into_iter().flatten().flatten() {
                // A link that leads nowhere is as good as nothing.
                let Ok(metadata) = entry.path().metadata() else { continue };
                match metadata.is_dir() {
                    true if SKIPPED.iter().any(|name| entry.file_name() == *name) => (),
                    true => queue.push(entry.path()),
                    false => is_fresh &= self.is_old(&metadata),
                }
            }
        }
        Some(is_fresh)
    }

    fn is_old(&self, metadata: &Metadata) -> bool {
        UNIX_EPOCH + changed(metadata) < self.since
    }
}

impl Identity {
    fn of(path: &Path) -> Option<Self> {
        let metadata = path.metadata().ok()?;
        let content = metadata.is_file().then(|| (changed(&metadata), metadata.len()));
        Some(Self { place: place(&metadata), content })
    }
}

#[cfg(unix)]
fn place(metadata: &Metadata) -> (u64, u64) {
    use std::os::unix::fs::MetadataExt;
    (metadata.dev(), metadata.ino())
}

#[cfg(not(unix))]
fn place(metadata: &Metadata) -> (u64, u64) {
    let made = metadata.created().ok().and_then(|time| time.duration_since(UNIX_EPOCH).ok());
    (0, made.and_then(|made| u64::try_from(made.as_nanos()).ok()).unwrap_or_default())
}

/// When anything about a file was changed, even its name or the time that it says.
#[cfg(unix)]
fn changed(metadata: &Metadata) -> Duration {
    use std::os::unix::fs::MetadataExt;
    let seconds = u64::try_from(metadata.ctime()).unwrap_or(0);
    Duration::new(seconds, u32::try_from(metadata.ctime_nsec()).unwrap_or(0))
}

#[cfg(not(unix))]
fn changed(metadata: &Metadata) -> Duration {
    let modified = metadata.modified().ok();
    modified.and_then(|time| time.duration_since(UNIX_EPOCH).ok()).unwrap_or_default()
}
