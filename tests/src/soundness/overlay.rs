//! Files in memory that are shared by all mutations, and the few that one of them changes.

use std::collections::{BTreeMap, BTreeSet};
use std::hash::{BuildHasher, BuildHasherDefault, DefaultHasher};
use std::io;
use std::path::Path;
use std::sync::Arc;

use anyhow::{Context, Result};
use kukla_world::paths::clean_text;
use kukla_world::{FileKind, Opened, Program, RunError, Stamp, World};
use walkdir::WalkDir;

/// Files by path, with the names in each directory.
#[derive(Debug, Default)]
pub(super) struct Tree {
    files: BTreeMap<String, Arc<[u8]>>,
    directories: BTreeMap<String, BTreeSet<String>>,
}

impl Tree {
    pub(super) fn insert(&mut self, path: &str, content: &[u8]) {
        self.files.insert(path.to_owned(), content.into());
        let mut rest = path;
        while let Some((directory, name)) = rest.rsplit_once('/') {
            self.directories.entry(directory.to_owned()).or_default().insert(name.to_owned());
            rest = directory;
        }
    }

    /// Copies all files below a directory of the disk, but those of tests.
    pub(super) fn add(&mut self, disk: &Path, as_path: &str) -> Result<()> {
        let is_wanted = |entry: &walkdir::DirEntry| entry.file_name() != "spec";
        for entry in WalkDir::new(disk).follow_links(true).into_iter().filter_entry(is_wanted) {
            let entry = entry?;
            if entry.file_type().is_file() {
                let rest = entry.path().strip_prefix(disk)?;
                let content = std::fs::read(entry.path())
                    .with_context(|| format!("cannot read `{}`", entry.path().display()))?;
                self.insert(&format!("{as_path}/{}", rest.display()), &content);
            }
        }
        Ok(())
    }
}

/// A change of a path.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Change {
    /// A file with this content.
    Put(Arc<[u8]>),
    /// An empty directory, or one with what is put into it.
    Directory,
    /// Nothing, nor anything below.
    Remove,
}

/// A tree with changes.
#[derive(Clone, Debug)]
pub(super) struct Overlay {
    base: Arc<Tree>,
    pub(super) changes: BTreeMap<String, Change>,
}

impl Overlay {
    pub(super) const fn new(base: Arc<Tree>) -> Self {
        Self { base, changes: BTreeMap::new() }
    }

    /// Replaces, adds or removes a path. A change of an outer path takes back those below it.
    pub(super) fn change(&mut self, path: &str, change: Change) {
        self.changes.retain(|known, _| !is_below(known, path));
        self.changes.insert(path.to_owned(), change);
    }

    /// Returns the content of a file.
    pub(super) fn file(&self, path: &str) -> Option<Arc<[u8]>> {
        match self.decided(path) {
            Some((at, Change::Put(content))) if at == path => Some(Arc::clone(content)),
            Some(_) => None,
            None => self.base.files.get(path).cloned(),
        }
    }

    /// Returns the text of a file.
    pub(super) fn text(&self, path: &str) -> Option<String> {
        Some(String::from_utf8_lossy(&self.file(path)?).into_owned())
    }

    /// Returns the change of the path itself, or the innermost one of a directory around it that hides the base.
    fn decided(&self, path: &str) -> Option<(&str, &Change)> {
        let mut at = path;
        loop {
            if let Some((known, change)) = self.changes.get_key_value(at) {
                return Some((known, change));
            }
            at = at.rsplit_once('/')?.0;
        }
    }

    fn kind(&self, path: &str) -> Option<FileKind> {
        if self.changes.keys().any(|known| is_below(known, path) && !self.is_removed(known)) {
            return Some(FileKind::Directory);
        }
        match self.decided(path) {
            Some((at, Change::Put(_))) => (at == path).then_some(FileKind::File),
            Some((at, Change::Directory)) if at == path => Some(FileKind::Directory),
            Some((_, Change::Directory | Change::Remove)) => None,
            None if self.base.files.contains_key(path) => Some(FileKind::File),
            None if self.base.directories.contains_key(path) => Some(FileKind::Directory),
            None => None,
        }
    }

    fn is_removed(&self, path: &str) -> bool {
        self.changes.get(path) == Some(&Change::Remove)
    }

    fn children(&self, path: &str) -> Vec<String> {
        let mut names: BTreeSet<String> = match self.decided(path) {
            Some(_) => BTreeSet::new(),
            None => self.base.directories.get(path).cloned().unwrap_or_default(),
        };
        let below =
            self.changes.keys().filter_map(|known| known.strip_prefix(path)?.strip_prefix('/'));
        names.extend(below.filter_map(|rest| rest.split('/').next()).map(str::to_owned));
        names.retain(|name| self.kind(&format!("{path}/{name}")).is_some());
        names.into_iter().collect()
    }
}

fn is_below(path: &str, directory: &str) -> bool {
    path.strip_prefix(directory).is_some_and(|rest| rest.starts_with('/'))
}

impl World for Overlay {
    fn stamp(&self, path: &str) -> Option<Stamp> {
        let path = clean_text(path);
        let kind = self.kind(&path)?;
        let content = self.file(&path).unwrap_or_default();
        let hash = BuildHasherDefault::<DefaultHasher>::default();
        let (inode, modified) = (hash.hash_one(&path), i128::from(hash.hash_one(&content)));
        Some(Stamp { device: 1, inode, modified, size: content.len() as u64, kind })
    }

    fn read(&self, path: &str, limit: u64) -> io::Result<Opened> {
        let stamp = self.stamp(path).ok_or(io::ErrorKind::NotFound)?;
        match self.file(&clean_text(path)) {
            Some(bytes) if bytes.len() as u64 > limit => Err(io::ErrorKind::FileTooLarge.into()),
            Some(bytes) => Ok(Opened { bytes, stamp }),
            None => Err(io::ErrorKind::IsADirectory.into()),
        }
    }

    fn names(&self, path: &str) -> io::Result<Vec<String>> {
        let path = clean_text(path);
        match self.kind(&path) {
            None => Err(io::ErrorKind::NotFound.into()),
            Some(FileKind::Directory) => Ok(self.children(&path)),
            Some(_) => Err(io::ErrorKind::NotADirectory.into()),
        }
    }

    fn list(&self, path: &str) -> Vec<String> {
        self.names(path).unwrap_or_default()
    }

    fn resolve(&self, path: &str) -> io::Result<String> {
        let path = clean_text(path);
        self.kind(&path).map(|_| path.clone()).ok_or_else(|| io::ErrorKind::NotFound.into())
    }

    fn has_entry(&self, path: &str) -> io::Result<bool> {
        Ok(self.kind(&clean_text(path)).is_some())
    }

    fn now(&self) -> i128 {
        0
    }

    fn random(&self, n: usize) -> io::Result<Vec<u8>> {
        Ok(vec![0; n])
    }

    fn run(&self, _program: &Program) -> Result<Vec<u8>, RunError> {
        Err(RunError::Unavailable)
    }
}
