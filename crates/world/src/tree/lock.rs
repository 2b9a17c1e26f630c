//! A lock that one process holds at a time.

use std::fs::{self, File};
use std::io;
use std::os::unix::fs::MetadataExt;
use std::path::Path;

/// A lock that is held as long as this lives.
#[derive(Debug)]
pub struct Lock {
    _file: File,
}

/// A reason why a lock can't be had.
#[derive(Debug, thiserror::Error)]
pub enum LockError {
    /// Its file can't be opened for writing.
    #[error("{0}")]
    Open(#[source] io::Error),
    /// The system can't lock the file.
    #[error("{0}")]
    Lock(#[source] io::Error),
}

impl Lock {
    /// Waits until no other process holds the lock of this file, which is made if need be.
    pub fn acquire(path: &Path) -> Result<Self, LockError> {
        loop {
            let file = File::options().create(true).truncate(false).write(true).open(path);
            let file = file.map_err(LockError::Open)?;
            file.lock().map_err(LockError::Lock)?;
            // The holder before may have removed the file; a lock on that would keep no process out.
            if is_same(&file, path) {
                return Ok(Self { _file: file });
            }
        }
    }
}

fn is_same(file: &File, path: &Path) -> bool {
    match (file.metadata(), fs::metadata(path)) {
        (Ok(one), Ok(other)) => (one.dev(), one.ino()) == (other.dev(), other.ino()),
        _ => false,
    }
}
