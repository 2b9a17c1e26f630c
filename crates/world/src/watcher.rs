//! News about directories: the kernel reports changes in them (inotify), so that a question costs a few microseconds
//! however many files there are.

use std::path::Path;

/// Directories whose changes the kernel reports.
#[derive(Debug)]
pub struct Watcher {
    #[cfg(target_os = "linux")]
    events: rustix::fd::OwnedFd,
}

#[cfg(target_os = "linux")]
impl Watcher {
    /// Starts to watch, no directory yet; none if the kernel refuses.
    pub fn start() -> Option<Self> {
        use rustix::fs::inotify::{CreateFlags, init};
        let events = init(CreateFlags::NONBLOCK | CreateFlags::CLOEXEC).ok()?;
        Some(Self { events })
    }

    /// Watches the entries of a directory from now on, and the directory itself; returns whether the kernel does.
    pub fn add(&self, directory: &Path) -> bool {
        use rustix::fs::inotify::{WatchFlags, add_watch};
        let flags = WatchFlags::CREATE
            | WatchFlags::DELETE
            | WatchFlags::MODIFY
            | WatchFlags::ATTRIB
            | WatchFlags::MOVE
            | WatchFlags::DELETE_SELF
            | WatchFlags::MOVE_SELF;
        add_watch(&self.events, directory, flags).is_ok()
    }

    /// Returns whether nothing was reported since the last call.
    pub fn is_quiet(&self) -> bool {
        let mut buffer = [0_u8; 4096];
        rustix::io::read(&self.events, &mut buffer) == Err(rustix::io::Errno::AGAIN)
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
}
