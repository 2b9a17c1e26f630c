//! Files, as far as data needs them.

use std::collections::BTreeMap;
use std::fmt::Debug;
use std::{fs, io};

/// What tells whether a file has changed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Stamp {
    /// Its number on the disk.
    pub inode: u64,
    /// When it was changed, in nanoseconds since 1970.
    pub modified: i128,
    /// Its size in bytes.
    pub size: u64,
    /// Whether it is a directory.
    pub is_directory: bool,
}

/// Where files come from. Everything that a search reads, it reads here.
pub trait Files: Debug + Send + Sync {
    /// What is at a path; `None` if there is nothing. Links are followed.
    fn stamp(&self, path: &str) -> Option<Stamp>;

    /// The bytes of a file.
    fn read(&self, path: &str) -> io::Result<Vec<u8>>;

    /// The names in a directory, sorted.
    fn list(&self, path: &str) -> Vec<String>;
}

/// The files of the machine.
#[derive(Clone, Copy, Debug, Default)]
pub struct Disk;

impl Files for Disk {
    fn stamp(&self, path: &str) -> Option<Stamp> {
        let metadata = fs::metadata(path).ok()?;
        let modified = metadata.modified().ok()?.duration_since(std::time::UNIX_EPOCH).ok();
        Some(Stamp {
            inode: inode(&metadata),
            modified: modified.map_or(0, |time| i128::try_from(time.as_nanos()).unwrap_or(0)),
            size: metadata.len(),
            is_directory: metadata.is_dir(),
        })
    }

    fn read(&self, path: &str) -> io::Result<Vec<u8>> {
        fs::read(path)
    }

    fn list(&self, path: &str) -> Vec<String> {
        let entries = fs::read_dir(path).into_iter().flatten().flatten();
        let mut names: Vec<String> =
            entries.filter_map(|entry| entry.file_name().into_string().ok()).collect();
        names.sort();
        names
    }
}

#[cfg(unix)]
fn inode(metadata: &fs::Metadata) -> u64 {
    std::os::unix::fs::MetadataExt::ino(metadata)
}

#[cfg(not(unix))]
fn inode(_: &fs::Metadata) -> u64 {
    0
}

/// Files that are only in memory, by absolute path.
#[derive(Clone, Debug, Default)]
pub struct Memory {
    files: BTreeMap<String, Vec<u8>>,
}

impl Memory {
    /// Adds a file or replaces it.
    pub fn insert(&mut self, path: impl Into<String>, content: impl Into<Vec<u8>>) {
        self.files.insert(path.into(), content.into());
    }

    fn below(&self, path: &str) -> impl Iterator<Item = &str> {
        let prefix = format!("{}/", path.trim_end_matches('/'));
        let start = prefix.clone();
        let names = self.files.range(start..).map(|(name, _)| name.as_str());
        names.map_while(move |name| name.strip_prefix(prefix.as_str()))
    }
}

impl Files for Memory {
    fn stamp(&self, path: &str) -> Option<Stamp> {
        let path = crate::paths::clean(path);
        let stamp = |size, is_directory| Stamp { inode: 1, modified: 1, size, is_directory };
        match self.files.get(&path) {
            Some(content) => Some(stamp(content.len() as u64, false)),
            None => self.below(&path).next().map(|_| stamp(0, true)),
        }
    }

    fn read(&self, path: &str) -> io::Result<Vec<u8>> {
        let path = crate::paths::clean(path);
        match self.files.get(&path) {
            Some(content) => Ok(content.clone()),
            None if self.below(&path).next().is_some() => Err(io::ErrorKind::IsADirectory.into()),
            None => Err(io::ErrorKind::NotFound.into()),
        }
    }

    fn list(&self, path: &str) -> Vec<String> {
        let path = crate::paths::clean(path);
        let names = self.below(&path).filter_map(|rest| rest.split('/').next());
        let mut names: Vec<String> = names.map(str::to_owned).collect();
        names.dedup();
        names
    }
}
