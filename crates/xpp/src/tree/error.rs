//! Errors of a tree.

use std::fmt;
use std::io;
use std::path::{Path, PathBuf};

/// An operation on a file or directory of a tree that failed.
#[derive(Debug)]
pub struct TreeError {
    /// The operation, such as `write`.
    pub action: &'static str,
    /// The file or directory.
    pub path: PathBuf,
    /// The system's reason.
    pub source: io::Error,
}

impl TreeError {
    /// Returns a function that wraps the system's error.
    pub(super) fn with(action: &'static str, path: &Path) -> impl FnOnce(io::Error) -> Self {
        move |source| Self { action, path: path.to_owned(), source }
    }
}

impl fmt::Display for TreeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "can't {} `{}`", self.action, self.path.display())
    }
}

impl std::error::Error for TreeError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        Some(&self.source)
    }
}
