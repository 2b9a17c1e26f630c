//! A directory while it is made.

use std::fs::{self, File};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use super::{Attributes, DirectoryAttributes};
use crate::files::Status;

/// A directory that no reader sees yet. It exists from its first file on, and is removed unless it was renamed.
#[derive(Debug)]
pub struct Staging {
    path: PathBuf,
    directories: DirectoryAttributes,
}

impl Staging {
    /// Makes one without any file; its directories will have these attributes.
    pub fn new(path: PathBuf, directories: DirectoryAttributes) -> Self {
        Self { path, directories }
    }

    /// Returns its path.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Writes a new file. Users who may not read it when it has its attributes may not read it before either.
    pub fn write(&self, target: &Path, bytes: &[u8], attributes: Attributes) -> io::Result<()> {
        let path = self.path.join(target);
        let mut file = self.with_parents(&path, || attributes.create(&path))?;
        file.write_all(bytes)?;
        attributes.apply(&file)
    }

    /// Writes a new file with the attributes that the system gives it.
    pub fn write_plain(&self, target: &Path, bytes: &[u8]) -> io::Result<()> {
        let path = self.path.join(target);
        self.with_parents(&path, || fs::write(&path, bytes))
    }

    /// Adds a file of another directory as a hard link, which costs no space; as a copy where the file system has no hard
    /// links or the user may not make one.
    pub fn link(&self, present: &Path, target: &Path) -> io::Result<()> {
        let path = self.path.join(target);
        let linked = self.with_parents(&path, || fs::hard_link(present, &path));
        linked.or_else(|_| copy(present, &path))
    }

    /// Does something that needs the directory of `path`.
    fn with_parents<T>(&self, path: &Path, act: impl Fn() -> io::Result<T>) -> io::Result<T> {
        match act() {
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                self.make(path.parent().unwrap_or(path))?;
                act()
            }
            done => done,
        }
    }

    fn make(&self, directory: &Path) -> io::Result<()> {
        match self.directories.make(directory) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                self.make(directory.parent().ok_or(error)?)?;
                self.directories.make(directory)
            }
            made => made,
        }
    }
}

impl Drop for Staging {
    fn drop(&mut self) {
        // There is nothing to remove once it was renamed.
        let _ = fs::remove_dir_all(&self.path);
    }
}

fn copy(present: &Path, path: &Path) -> io::Result<()> {
    let attributes = Attributes::of(&Status::of(present)?);
    let mut file: File = attributes.create(path)?;
    file.write_all(&fs::read(present)?)?;
    attributes.apply(&file)
}
