//! The machine outside of a compilation: files, clock, randomness, processes, threads.
//!
//! Everything below `server` and `cli` reaches the outside through a [`World`], of which there are five: the machine
//! itself ([`Disk`]), files in memory ([`Memory`]), a world whose first answer holds for its whole life ([`Frozen`]), one
//! that answers from an index of what there was ([`Indexed`]), and
//! one that notes every question with a digest of its answer ([`Recording`]). A [`Record`] is the list of such notes.
//!
//! Work around compilations is about the machine only: [`files`] (settings, facts), [`mod@write`] (caches), [`durable`]
//! (files that survive a crash), [`journal`] (records that wait for their turn), [`tree`]
//! (directories that are replaced at once), [`Watcher`] (changes below directories), [`clock`] (deadlines, durations),
//! [`Coprocess`] (programs that stay).

#![expect(
    clippy::disallowed_methods,
    clippy::disallowed_types,
    reason = "this room is the door through which the others reach the machine"
)]

mod answers;
pub mod clock;
mod content;
mod coprocess;
mod disk;
pub mod durable;
pub mod files;
mod frozen;
mod index;
mod indexed;
pub mod journal;
mod memory;
mod names;
pub mod paths;
mod pool;
mod program;
mod record;
mod recording;
mod state;
pub mod tree;
pub mod walk;
mod watchdog;
mod watcher;
pub mod write;

use std::fmt::Debug;
use std::io;
use std::sync::Arc;

pub use answers::answer;
pub use content::{ContentCache, ContentKey, Counts};
pub use coprocess::{Coprocess, Pipes, coprocess_time};
pub use disk::Disk;
pub use frozen::Frozen;
pub use index::Index;
pub use indexed::Indexed;
pub use memory::Memory;
pub use names::{NameQuery, NameRecord, NameReply};
pub use pool::Pool;
pub use program::{Program, RunError};
pub use record::{Answer, Atom, Kind, Reads, Record, Recorded};
pub use recording::Recording;
pub use state::Change;
pub use watchdog::{Bounds, Watchdog, resident};
pub use watcher::Watcher;

/// A world that threads share.
pub type SharedWorld = Arc<dyn World + Send + Sync>;

/// The largest file that a compilation reads.
pub const MAX_FILE: u64 = 256 << 20;

/// Everything that a compilation asks of the outside.
///
/// A missing file is not an empty one, and an unreadable file is an error: callers decide what either means.
pub trait World: Debug {
    /// Returns the stamp of what a path leads to; `None` if there is nothing. Links are followed.
    fn stamp(&self, path: &str) -> Option<Stamp>;

    /// Reads a regular file of at most `limit` bytes. Anything else at the path is an error, and is never waited for.
    fn read(&self, path: &str, limit: u64) -> io::Result<Opened>;

    /// Returns all names in a directory, sorted; one that is not UTF-8 is an error.
    fn names(&self, path: &str) -> io::Result<Vec<String>>;

    /// Returns the names in a directory that are UTF-8, sorted; none if it can't be read.
    fn list(&self, path: &str) -> Vec<String>;

    /// Returns the path that a path leads to, without links, `.` and `..`.
    fn resolve(&self, path: &str) -> io::Result<String>;

    /// Returns whether a directory has an entry of that name, even a link that leads nowhere.
    fn has_entry(&self, path: &str) -> io::Result<bool>;

    /// Returns the time in nanoseconds since the beginning of 1970.
    fn now(&self) -> i128;

    /// Returns bytes that can't be guessed.
    fn random(&self, n: usize) -> io::Result<Vec<u8>>;

    /// Runs a program and returns what it printed.
    fn run(&self, program: &Program) -> Result<Vec<u8>, RunError>;

    /// Asks a name server; an error if it does not answer in time, or if there are none here.
    fn ask_name_server(&self, _query: &NameQuery) -> io::Result<NameReply> {
        Err(io::ErrorKind::Unsupported.into())
    }

    /// Returns the world behind this one if its answers don't change while files do: state that code keeps on disk is read
    /// there.
    fn live(&self) -> Option<&dyn World> {
        None
    }

    /// Changes the state below a directory; a world that can't be changed refuses it.
    fn change(&self, _root: &str, _change: &Change<'_>) -> io::Result<()> {
        Err(io::ErrorKind::Unsupported.into())
    }

    /// Returns the number of the user who owns what a path leads to.
    fn owner(&self, _path: &str) -> Option<u32> {
        None
    }

    /// Returns whether a path leads to anything.
    fn exists(&self, path: &str) -> bool {
        self.stamp(path).is_some()
    }

    /// Returns whether a path leads to a regular file.
    fn is_file(&self, path: &str) -> bool {
        self.stamp(path).is_some_and(|stamp| stamp.kind == FileKind::File)
    }

    /// Returns whether a path leads to a directory.
    fn is_directory(&self, path: &str) -> bool {
        self.stamp(path).is_some_and(|stamp| stamp.kind == FileKind::Directory)
    }

    /// Reads a file of text; one that is not UTF-8 is an error.
    fn read_text(&self, path: &str) -> io::Result<String> {
        let bytes = self.read(path, MAX_FILE)?.bytes;
        match std::str::from_utf8(&bytes) {
            Ok(text) => Ok(text.to_owned()),
            Err(_) => Err(io::Error::new(
                io::ErrorKind::InvalidData,
                "stream did not contain valid UTF-8",
            )),
        }
    }
}

/// The kind of thing that a path leads to.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum FileKind {
    /// A regular file.
    File,
    /// A directory.
    Directory,
    /// A FIFO, a socket or a device.
    Other,
}

/// The properties that show whether a file has changed, and whether two paths lead to one file.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Stamp {
    /// The number of its file system.
    pub device: u64,
    /// Its number on the file system.
    pub inode: u64,
    /// The time of its last change, in nanoseconds since 1970.
    pub modified: i128,
    /// Its size in bytes.
    pub size: u64,
    /// The kind of thing that it is.
    pub kind: FileKind,
}

/// The number of a file system, and that of a file on it: equal for all names of one file.
pub type Identity = (u64, u64);

impl Stamp {
    /// Returns the numbers that all names of one file share.
    pub const fn identity(&self) -> Identity {
        (self.device, self.inode)
    }

    /// Returns whether it is a directory.
    pub fn is_directory(&self) -> bool {
        self.kind == FileKind::Directory
    }
}

/// A file that was opened and read.
#[derive(Clone, Debug)]
pub struct Opened {
    /// Its bytes.
    pub bytes: Arc<[u8]>,
    /// The stamp of the file that was opened, whatever the path leads to by now.
    pub stamp: Stamp,
}
