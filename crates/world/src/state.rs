//! State that code keeps in small files below one directory: secrets that were generated, cached answers.

use std::fs;
use std::io;
use std::os::unix::fs::MetadataExt;
use std::path::{Component, Path, PathBuf};

use crate::write;

/// The largest file of state.
const MAX_STATE: usize = 16 << 20;

/// A change to the state below a directory.
#[derive(Clone, Copy, Debug)]
pub enum Change<'a> {
    /// Makes a directory, and those on the way to it.
    MakeDirectory(&'a str),
    /// Writes a file at once, so that a reader finds the old content or the new one. Only its owner may read it.
    Write(&'a str, &'a [u8]),
    /// Gives a file or directory to a user.
    Own(&'a str, u32),
}

/// Makes a change below a directory that exists. Paths that lead out of it, also by links, are refused.
pub(crate) fn change(root: &str, change: &Change<'_>) -> io::Result<()> {
    match *change {
        Change::MakeDirectory(path) => write::directories(&below(root, path)?),
        Change::Write(_, content) if content.len() > MAX_STATE => {
            Err(io::ErrorKind::FileTooLarge.into())
        }
        Change::Write(path, content) => write::private_file(&below(root, path)?, content),
        Change::Own(path, user) => {
            let path = below(root, path)?;
            match fs::symlink_metadata(&path)?.uid() == user {
                true => Ok(()),
                false => std::os::unix::fs::lchown(path, Some(user), None),
            }
        }
    }
}

/// Returns the path without links on the way to it, if it lies below the directory.
fn below(root: &str, path: &str) -> io::Result<PathBuf> {
    let outside = || io::Error::new(io::ErrorKind::PermissionDenied, "the path leads elsewhere");
    let path = Path::new(path);
    let is_plain = |part: Component<'_>| matches!(part, Component::RootDir | Component::Normal(_));
    if !path.is_absolute() || !path.components().all(is_plain) {
        return Err(outside());
    }
    let root = fs::canonicalize(root)?;
    // The parts that exist are resolved; the rest is made by this process.
    let existing = path.ancestors().skip(1).find(|above| above.symlink_metadata().is_ok());
    let existing = existing.ok_or_else(outside)?;
    let rest = path.strip_prefix(existing).map_err(|_| outside())?;
    let resolved = fs::canonicalize(existing)?.join(rest);
    match resolved.starts_with(&root) && resolved != root {
        true => Ok(resolved),
        false => Err(outside()),
    }
}
