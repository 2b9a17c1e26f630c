//! Directories that are made as a whole and replaced at once, for serialized trees.
//!
//! A [`Staging`] is a directory while it is made; a rename gives it its name, and [`point_link`] lets readers see it. A
//! [`Lock`] keeps other processes out. [`Attributes`] say who may read what is written.

mod attributes;
mod lock;
mod staging;
mod whole;

use std::ffi::OsStr;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

pub use attributes::{Attributes, Configured, DirectoryAttributes};
pub use lock::{Lock, LockError};
pub use staging::Staging;
pub use whole::Whole;

use crate::files::Status;

/// Adds the paths of all files below `root`/`path` to a list, from `root` on. Links are files here.
pub fn list_files(root: &Path, path: &Path, files: &mut Vec<PathBuf>) -> io::Result<()> {
    if !Status::of_entry(&root.join(path))?.is_directory() {
        files.push(path.to_owned());
        return Ok(());
    }
    let mut directories = vec![path.to_owned()];
    while let Some(directory) = directories.pop() {
        for entry in fs::read_dir(root.join(&directory))? {
            let entry = entry?;
            let path = directory.join(entry.file_name());
            let list = if entry.file_type()?.is_dir() { &mut directories } else { &mut *files };
            list.push(path);
        }
    }
    Ok(())
}

/// Removes a file, a link or a directory with all that is in it; it is no error if there is none.
pub fn remove(path: &Path) -> io::Result<()> {
    let removed = Status::of_entry(path).and_then(|status| match status.is_directory() {
        true => fs::remove_dir_all(path),
        false => fs::remove_file(path),
    });
    match removed {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
        removed => removed,
    }
}

/// Removes a directory if nothing is in it; returns whether it is gone.
pub fn remove_if_empty(directory: &Path) -> bool {
    fs::remove_dir(directory).is_ok()
}

/// Returns the path that a link has, which may lead nowhere; none if it is no link.
pub fn link_target(link: &Path) -> Option<PathBuf> {
    fs::read_link(link).ok()
}

/// Gives a file or directory another path on the same file system; a file or link that has it already is replaced.
pub fn rename(path: &Path, new: &Path) -> io::Result<()> {
    fs::rename(path, new)
}

/// Names for [`point_link`] that nothing has.
#[derive(Clone, Copy, Debug)]
pub struct Spare<'a> {
    /// The link before it gets its name.
    pub link: &'a Path,
    /// A directory that was in the place of the link.
    pub directory: &'a Path,
}

/// Makes `link` lead to `target`. A reader finds the old target or the new one, unless a directory was in its place, as
/// copying an environment may leave it: that is moved aside, and between two renames there is nothing.
pub fn point_link(link: &Path, target: impl AsRef<OsStr>, spare: Spare<'_>) -> io::Result<()> {
    std::os::unix::fs::symlink(target.as_ref(), spare.link)?;
    if Status::of_entry(link).is_ok_and(|status| status.is_directory()) {
        fs::rename(link, spare.directory)?;
    }
    fs::rename(spare.link, link)
}
