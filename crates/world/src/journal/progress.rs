//! The part of a journal that is done, as other processes may see it.
//!
//! It is for display alone: a journal that is opened begins with its first segment, whatever is written here.

use std::fs::{self, File, OpenOptions};
use std::io;
use std::os::unix::fs::{FileExt, OpenOptionsExt};
use std::path::Path;

use super::segment::Segment;

/// The number of bytes at the beginning of a segment whose records are done.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Progress {
    /// The number of the segment's first record.
    first: u64,
    n_bytes: u64,
}

impl Progress {
    /// Returns the progress in the first segment if records before a number are done.
    pub(super) fn of(segment: &Segment, done: u64) -> Self {
        Self { first: segment.first, n_bytes: segment.bytes_before(done) }
    }

    /// Writes it in place of an older one, which is as long.
    pub(super) fn write(&self, file: &File) -> io::Result<()> {
        file.write_all_at(format!("{:016x} {:016x}\n", self.first, self.n_bytes).as_bytes(), 0)
    }

    /// Reads the progress that a process wrote last; nothing if there is none.
    pub(super) fn read(path: &Path) -> Option<Self> {
        let text = fs::read_to_string(path).ok()?;
        let (first, n_bytes) = text.trim_end().split_once(' ')?;
        let number = |digits| u64::from_str_radix(digits, 16).ok();
        Some(Self { first: number(first)?, n_bytes: number(n_bytes)? })
    }

    /// Returns the number of bytes that are done in the segment at a path.
    pub(super) fn in_segment(&self, path: &Path) -> u64 {
        let name = path.file_stem().and_then(|name| name.to_str()).unwrap_or_default();
        let is_own = u64::from_str_radix(name, 16) == Ok(self.first);
        if is_own { self.n_bytes } else { 0 }
    }
}

/// Opens the file of a journal's lock; a new one is its owner's alone.
pub(super) fn open(path: &Path) -> io::Result<File> {
    OpenOptions::new().write(true).create(true).truncate(false).mode(0o600).open(path)
}

#[cfg(test)]
mod tests {
    use crate::journal::{Journal, bytes_in};

    #[test]
    fn other_processes_see_what_is_not_done() {
        let path = std::env::temp_dir().join(format!("kukla-progress-{}", std::process::id()));
        let _ = std::fs::remove_dir_all(&path);
        assert_eq!(bytes_in(&path).expect("nothing is there"), 0);
        let journal = Journal::open(&path).expect("opened");
        for _ in 0..4 {
            journal.append(b"record").expect("written");
        }
        let all = bytes_in(&path).expect("counted");
        assert!(all > 24, "{all}");
        journal.done(3).expect("marked");
        assert_eq!(bytes_in(&path).expect("counted"), all / 4);
        journal.done(4).expect("marked");
        assert_eq!(bytes_in(&path).expect("counted"), 0);
        journal.append(b"record").expect("written");
        assert_eq!(bytes_in(&path).expect("counted"), all / 4);
        drop(journal);
        // What is seen again after a crash waits again, as soon as the journal is read.
        let journal = Journal::open(&path).expect("opened");
        assert_eq!(journal.range(), (0, 5));
        assert_eq!(bytes_in(&path).expect("counted"), all / 4 * 5);
        journal.done(5).expect("marked");
        journal.clear().expect("cleared");
        journal.append(b"record").expect("written");
        assert_eq!(bytes_in(&path).expect("counted"), all / 4);
        std::fs::remove_dir_all(&path).expect("removed");
    }
}
