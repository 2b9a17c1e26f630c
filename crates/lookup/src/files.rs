//! Files, as far as data needs them.

mod disk;
mod memory;

use std::fmt::Debug;
use std::io;

pub use disk::Disk;
pub use memory::Memory;

/// The most bytes that a file of data may have.
pub const MAX_SIZE: u64 = 256 << 20;

/// What tells whether a file has changed, and whether two paths lead to one file.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Stamp {
    /// The number of the file system that it is on.
    pub device: u64,
    /// Its number on the file system.
    pub inode: u64,
    /// When it was changed, in nanoseconds since 1970.
    pub modified: i128,
    /// Its size in bytes.
    pub size: u64,
    /// Whether it is a directory.
    pub is_directory: bool,
}

/// The number of a file system, and that of a file on it: equal for all names of one file.
pub(crate) type Identity = (u64, u64);

impl Stamp {
    pub(crate) const fn identity(&self) -> Identity {
        (self.device, self.inode)
    }
}

/// A file that was opened and read.
#[derive(Clone, Debug)]
pub struct Opened {
    /// Its bytes.
    pub bytes: Vec<u8>,
    /// The stamp of the file that was opened, whatever the path leads to by now.
    pub stamp: Stamp,
}

/// Where files come from. Everything that a search reads, it reads here.
pub trait Files: Debug + Send + Sync {
    /// Returns the stamp of what a path leads to; `None` if there is nothing. Links are followed.
    fn stamp(&self, path: &str) -> Option<Stamp>;

    /// Reads a file that has at most `limit` bytes. What is no regular file is an error, and is never waited for.
    fn read(&self, path: &str, limit: u64) -> io::Result<Opened>;

    /// Returns the names in a directory, sorted; none if it can't be read.
    fn list(&self, path: &str) -> Vec<String>;

    /// Returns all names in a directory, sorted; an error if one of them can't be told.
    fn names(&self, path: &str) -> io::Result<Vec<String>>;

    /// Returns the path of what a path leads to, without links, `.` and `..`.
    fn resolve(&self, path: &str) -> io::Result<String>;

    /// Returns whether there is an entry of that name, be it a link that leads nowhere.
    fn has_entry(&self, path: &str) -> io::Result<bool>;
}
