//! What can go wrong with a tree.

use std::fmt;
use std::io;
use std::path::{Path, PathBuf};

/// Something that could not be done to a file or directory of a tree.
#[derive(Debug)]
pub struct TreeError {
    /// What could not be done, such as `write`.
    pub action: &'static str,
    /// To which file or directory.
    pub path: PathBuf,
    /// Why not.
    pub source: io::Error,
}

impl TreeError {
    /// A function that wraps what the system says.
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
