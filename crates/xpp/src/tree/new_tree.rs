//! A tree that nobody sees yet.

use std::fs::{self, File};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use super::attributes::Attributes;
use super::error::TreeError;
use super::store::Store;

/// A tree while it is made. It exists from its first file on. Unless it is put in place, it is removed.
#[derive(Debug)]
pub(super) struct NewTree<'a> {
    store: &'a Store,
    path: PathBuf,
}

impl<'a> NewTree<'a> {
    /// An empty one.
    pub(super) fn new(store: &'a Store) -> Self {
        Self { store, path: store.new_tree() }
    }

    /// Writes a file.
    pub(super) fn write(
        &self,
        target: &Path,
        bytes: &[u8],
        attributes: Attributes,
    ) -> Result<(), TreeError> {
        let path = self.path.join(target);
        let write = || {
            let mut file = self.with_parents(&path, || create(&path, attributes))?;
            file.write_all(bytes)?;
            attributes.apply(&file)
        };
        write().map_err(TreeError::with("write", &path))
    }

    /// Takes over a file of the present tree.
    pub(super) fn keep(&self, target: &Path) -> Result<(), TreeError> {
        let (present, path) = (self.store.modules().join(target), self.path.join(target));
        let kept = self.with_parents(&path, || fs::hard_link(&present, &path));
        // Not every file system knows hard links, and not everybody may link everything.
        let kept = kept.or_else(|_| copy(&present, &path));
        kept.map_err(TreeError::with("write", &path))
    }

    /// Puts the finished tree in the place of the present one.
    pub(super) fn switch(self, mark: &str) -> Result<(), TreeError> {
        let path = Store::mark_in(&self.path);
        let marked = self.with_parents(&path, || fs::write(&path, mark));
        marked.map_err(TreeError::with("write", &path))?;
        self.store.switch(&self.path)
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
        let made = match fs::create_dir(directory) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                self.make(directory.parent().ok_or(error)?)?;
                fs::create_dir(directory)
            }
            made => made,
        };
        match made {
            Ok(()) => self.store.apply_attributes(directory),
            // Another thread was faster.
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => Ok(()),
            Err(error) => Err(error),
        }
    }
}

impl Drop for NewTree<'_> {
    fn drop(&mut self) {
        // Gone when it was put in place; what can't be removed now is removed by the next build.
        let _ = fs::remove_dir_all(&self.path);
    }
}

fn create(path: &Path, attributes: Attributes) -> io::Result<File> {
    let mut options = File::options();
    options.write(true).create_new(true);
    attributes.prepare(&mut options);
    options.open(path)
}

fn copy(present: &Path, path: &Path) -> io::Result<()> {
    let attributes = Attributes::of(&fs::metadata(present)?);
    let mut file = create(path, attributes)?;
    file.write_all(&fs::read(present)?)?;
    attributes.apply(&file)
}
