//! Small files, read in few steps.

use std::fs::{File, Metadata};
use std::io::{self, Read};
use std::path::Path;

/// A file with all that is in it.
///
/// Most of the time that a build without changes takes is spent in calls of the system. So the size is
/// asked for once and believed: what is added at this very moment is seen the next time.
pub(super) fn read(path: &Path) -> io::Result<(File, Metadata, Vec<u8>)> {
    let mut file = File::open(path)?;
    let metadata = file.metadata()?;
    let mut bytes = vec![0; usize::try_from(metadata.len()).unwrap_or_default()];
    let mut n_read = 0;
    while n_read < bytes.len() {
        match file.read(&mut bytes[n_read..])? {
            0 => break,
            n => n_read += n,
        }
    }
    bytes.truncate(n_read);
    Ok((file, metadata, bytes))
}
