//! Files without names for what slow clients have not taken yet, and the room that they have.

use std::fs::File;
use std::io;
use std::path::PathBuf;
use std::sync::atomic::{AtomicU64, Ordering};

use kukla_world::write;

/// The bytes that wait in files for all clients.
pub(super) const MOST_SPOOLED: u64 = 1 << 30;

/// Files for what slow clients have not taken yet.
#[derive(Debug)]
pub(in crate::agents) struct Spools {
    pub(super) directory: PathBuf,
    pub(super) most: u64,
    pub(super) used: AtomicU64,
    pub(super) n_files: AtomicU64,
}

impl Spools {
    /// Returns files below a directory, which is made when the first one is needed.
    pub(in crate::agents) fn new(directory: PathBuf) -> Self {
        let (used, n_files) = Default::default();
        Self { directory, most: MOST_SPOOLED, used, n_files }
    }

    /// Takes room in files, if there is some.
    pub(super) fn take(&self, n_bytes: u64) -> bool {
        let fits = |used: u64| Some(used + n_bytes).filter(|used| *used <= self.most);
        self.used.fetch_update(Ordering::Relaxed, Ordering::Relaxed, fits).is_ok()
    }

    pub(super) fn give_back(&self, n_bytes: u64) {
        self.used.fetch_sub(n_bytes, Ordering::Relaxed);
    }

    /// Makes a file without a name, which ends with its last user.
    pub(super) fn file(&self) -> io::Result<File> {
        write::directories(&self.directory)?;
        let number = self.n_files.fetch_add(1, Ordering::Relaxed);
        let path = self.directory.join(format!("{}-{number}", std::process::id()));
        let _ = std::fs::remove_file(&path);
        write::keep_private(&path)?;
        let file = File::options().read(true).write(true).open(&path);
        std::fs::remove_file(&path)?;
        file
    }
}
