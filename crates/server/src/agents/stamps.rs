//! Stamps of files that are read again when they change.

use std::os::unix::fs::MetadataExt as _;
use std::path::PathBuf;

/// Inode, size and time of change of each file; none for a file that is missing.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Stamps(Vec<Option<(u64, u64, i64, i64)>>);

impl Stamps {
    /// Returns the stamps of files as they are now.
    pub(super) fn of(files: &[PathBuf]) -> Self {
        let stamp = |path: &PathBuf| {
            let metadata = std::fs::metadata(path).ok()?;
            Some((metadata.ino(), metadata.len(), metadata.ctime(), metadata.ctime_nsec()))
        };
        Self(files.iter().map(stamp).collect())
    }
}
