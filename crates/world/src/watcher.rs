//! News about directories: the kernel reports changes in them (inotify), so that a question costs a few microseconds
//! however many files there are.

use std::path::Path;

#[cfg(target_os = "linux")]
mod writing;

/// Directories whose changes the kernel reports.
#[derive(Debug)]
pub struct Watcher {
    #[cfg(target_os = "linux")]
    events: rustix::fd::OwnedFd,
    #[cfg(target_os = "linux")]
    writing: std::sync::Mutex<writing::Writing>,
}

#[cfg(target_os = "linux")]
impl Watcher {
    /// Starts to watch, no directory yet; none if the kernel refuses.
    pub fn start() -> Option<Self> {
        use rustix::fs::inotify::{CreateFlags, init};
        let events = init(CreateFlags::NONBLOCK | CreateFlags::CLOEXEC).ok()?;
        Some(Self { events, writing: std::sync::Mutex::default() })
    }

    /// Watches the entries of a directory from now on, and the directory itself; returns whether the kernel does.
    pub fn add(&self, directory: &Path) -> bool {
        use rustix::fs::inotify::{WatchFlags, add_watch};
        let flags = WatchFlags::CREATE
            | WatchFlags::DELETE
            | WatchFlags::MODIFY
            | WatchFlags::CLOSE_WRITE
            | WatchFlags::ATTRIB
            | WatchFlags::MOVE
            | WatchFlags::DELETE_SELF
            | WatchFlags::MOVE_SELF;
        add_watch(&self.events, directory, flags).is_ok()
    }

    /// Returns whether nothing was reported since the last call.
    pub fn is_quiet(&self) -> bool {
        use std::sync::PoisonError;
        let mut writing = self.writing.lock().unwrap_or_else(PoisonError::into_inner);
        writing.read(&self.events)
    }

    /// Returns whether a process has a file open that it has begun to write, as far as [`Watcher::is_quiet`] has seen.
    pub fn is_writing(&self) -> bool {
        use std::sync::PoisonError;
        self.writing.lock().unwrap_or_else(PoisonError::into_inner).is_open()
    }
}

#[cfg(not(target_os = "linux"))]
impl Watcher {
    /// Returns none: this system has no inotify.
    pub fn start() -> Option<Self> {
        None
    }

    /// Returns false: nothing is watched.
    pub fn add(&self, _directory: &Path) -> bool {
        false
    }

    /// Returns false: nothing is watched.
    pub fn is_quiet(&self) -> bool {
        false
    }

    /// Returns false: nothing is watched.
    pub fn is_writing(&self) -> bool {
        false
    }
}
