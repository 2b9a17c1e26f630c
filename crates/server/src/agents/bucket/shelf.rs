//! Where the bucket keeps content: in files as Puppet Server does, or in the store that servers share.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use kukla_store::{Store, StoreError};
use kukla_world::durable;

use super::Slot;
use crate::agents::exchange::{Answer, OCTETS};

/// A place for content.
#[derive(Clone, Debug)]
pub(super) enum Shelf {
    /// The directory `bucketdir`.
    Files(PathBuf),
    /// The store; `diff` needs files for a moment, which are in the directory.
    Store { store: Arc<Store>, algorithm: String, scratch: PathBuf },
}

/// The reason why a content can't be kept or found.
#[derive(Debug, thiserror::Error)]
pub(super) enum ShelfError {
    #[error(transparent)]
    Files(#[from] std::io::Error),
    #[error(transparent)]
    Store(#[from] StoreError),
}

/// A content as a file, which is removed if it is a copy.
pub(super) struct Readable {
    pub(super) path: PathBuf,
    is_copy: bool,
}

impl Drop for Readable {
    fn drop(&mut self) {
        if self.is_copy {
            // What is left over after a failure is removed with the other files of killed processes.
            let _ = durable::remove(&self.path);
        }
    }
}

impl Shelf {
    /// Keeps a content whose checksum was checked.
    pub(super) fn put(
        &self,
        sum: &str,
        content: &[u8],
        path: Option<&str>,
    ) -> Result<(), ShelfError> {
        match self {
            Self::Files(directory) => Ok(Slot::new(directory, sum).store(content, path)?),
            Self::Store { store, algorithm, .. } => {
                Ok(store.put_aside(&format!("{algorithm}:{sum}"), content, path)?)
            }
        }
    }

    /// Returns whether there is a content, which was stored for a path if one is named.
    pub(super) fn has(&self, sum: &str, path: Option<&str>) -> Result<bool, ShelfError> {
        match self {
            Self::Files(directory) => {
                let slot = Slot::new(directory, sum);
                Ok(slot.exists() && path.is_none_or(|path| slot.has_path(path)))
            }
            Self::Store { store, algorithm, .. } => {
                Ok(store.has_aside(&format!("{algorithm}:{sum}"), path)?)
            }
        }
    }

    /// Returns the answer with a content that is there.
    pub(super) fn answer(&self, sum: &str) -> Result<Option<Answer>, ShelfError> {
        match self {
            Self::Files(directory) => {
                let (file, length) = Slot::new(directory, sum).open()?;
                Ok(Some(Answer::file(file, length)))
            }
            Self::Store { store, algorithm, .. } => {
                let content = store.aside(&format!("{algorithm}:{sum}"))?;
                Ok(content.map(|content| Answer::new(hyper::StatusCode::OK, OCTETS, content)))
            }
        }
    }

    /// Returns a content as a file; nothing if it is not there.
    pub(super) fn readable(&self, sum: &str) -> Result<Option<Readable>, ShelfError> {
        match self {
            Self::Files(directory) => {
                let slot = Slot::new(directory, sum);
                Ok(slot.exists().then(|| Readable { path: slot.contents(), is_copy: false }))
            }
            Self::Store { store, algorithm, scratch } => {
                let Some(content) = store.aside(&format!("{algorithm}:{sum}"))? else {
                    return Ok(None);
                };
                let path = copy(scratch, &content)?;
                Ok(Some(Readable { path, is_copy: true }))
            }
        }
    }
}

/// Writes a copy that only the server reads.
fn copy(scratch: &Path, content: &[u8]) -> std::io::Result<PathBuf> {
    static NEXT: AtomicU64 = AtomicU64::new(0);
    durable::directory(scratch, 0o750)?;
    let number = NEXT.fetch_add(1, Ordering::Relaxed);
    let path = scratch.join(format!("diff-{}-{number}", std::process::id()));
    durable::replace(&path, content, 0o600)?;
    Ok(path)
}
