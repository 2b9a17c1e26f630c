//! Files that are only in memory.

use std::collections::BTreeMap;
use std::hash::BuildHasher;
use std::io;

use foldhash::fast::FixedState;

use super::{Files, Opened, Stamp};
use crate::paths::clean;

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
        let path = clean(path);
        let inode = FixedState::default().hash_one(path.as_str());
        let stamp =
            |size, is_directory| Stamp { device: 1, inode, modified: 1, size, is_directory };
        match self.files.get(&path) {
            Some(content) => Some(stamp(content.len() as u64, false)),
            None => self.below(&path).next().map(|_| stamp(0, true)),
        }
    }

    fn read(&self, path: &str, limit: u64) -> io::Result<Opened> {
        let stamp = self.stamp(path).ok_or(io::ErrorKind::NotFound)?;
        match self.files.get(&clean(path)) {
            Some(content) if content.len() as u64 > limit => {
                Err(io::ErrorKind::FileTooLarge.into())
            }
            Some(content) => Ok(Opened { bytes: content.clone(), stamp }),
            None => Err(io::ErrorKind::IsADirectory.into()),
        }
    }

    fn list(&self, path: &str) -> Vec<String> {
        let path = clean(path);
        let names = self.below(&path).filter_map(|rest| rest.split('/').next());
        let mut names: Vec<String> = names.map(str::to_owned).collect();
        names.dedup();
        names
    }

    fn names(&self, path: &str) -> io::Result<Vec<String>> {
        Ok(self.list(path))
    }

    fn resolve(&self, path: &str) -> io::Result<String> {
        match self.stamp(path) {
            Some(_) => Ok(clean(path)),
            None => Err(io::ErrorKind::NotFound.into()),
        }
    }

    fn has_entry(&self, path: &str) -> io::Result<bool> {
        Ok(self.stamp(path).is_some())
    }
}
