//! Loading of the tree of one serialized manifest.

use std::io;
use std::path::Path;

use kukla_syntax::Ast;
use kukla_world::files;

use crate::{XppError, decode};

/// The reason why a serialized manifest can't be loaded.
#[derive(Debug, thiserror::Error)]
pub enum LoadError {
    /// The file can't be read.
    #[error(transparent)]
    Read(#[from] io::Error),
    /// The file is damaged.
    #[error(transparent)]
    Decode(#[from] XppError),
}

/// Returns the tree in a file; none if there is no file, or if it was made of another source.
///
/// A damaged file is an error, which callers log before they use the source.
pub fn load(path: &Path, source: Vec<u8>) -> Result<Option<Ast>, LoadError> {
    use io::ErrorKind::{NotADirectory, NotFound};
    let bytes = match files::read_bytes(path) {
        Ok(bytes) => bytes,
        Err(error) if matches!(error.kind(), NotFound | NotADirectory) => return Ok(None),
        Err(error) => return Err(error.into()),
    };
    // No file is made from a source that is not UTF-8.
    let Ok(source) = String::from_utf8(source) else { return Ok(None) };
    match decode(&bytes, source) {
        // Diagnostics depend on settings, so a manifest that has any is parsed again.
        Ok(decoded) => Ok(decoded.ast.filter(|_| decoded.diagnostics.is_empty())),
        Err(XppError::Stale) => Ok(None),
        Err(error) => Err(error.into()),
    }
}
