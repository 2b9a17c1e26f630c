//! Files that are only in memory.

use std::collections::BTreeMap;
use std::hash::{BuildHasher, BuildHasherDefault};
use std::io;

use rustc_hash::FxHasher;

use crate::paths::clean_text as clean;
use crate::program::{Program, RunError};
use crate::{FileKind, NameQuery, NameReply, Opened, Stamp, World};

/// Files in memory by absolute path, a clock that stands still, and no programs.
#[derive(Clone, Debug, Default)]
pub struct Memory {
    files: BTreeMap<String, Vec<u8>>,
    now: i128,
    /// Replies to questions for names, by name and type.
    replies: BTreeMap<(String, u16), NameReply>,
}

impl Memory {
    /// Adds a file or replaces it.
    pub fn insert(&mut self, path: impl Into<String>, content: impl Into<Vec<u8>>) {
        self.files.insert(path.into(), content.into());
    }

    /// Removes a file; returns whether it was there.
    pub fn remove(&mut self, path: &str) -> bool {
        self.files.remove(path).is_some()
    }

    /// Sets the clock, in nanoseconds since 1970.
    pub fn set_now(&mut self, now: i128) {
        self.now = now;
    }

    /// Sets the reply to a question for a name; there are no other names.
    pub fn set_reply(&mut self, name: impl Into<String>, kind: u16, reply: NameReply) {
        self.replies.insert((name.into(), kind), reply);
    }

    fn below(&self, path: &str) -> impl Iterator<Item = &str> {
        let prefix = format!("{}/", path.trim_end_matches('/'));
        let start = prefix.clone();
        let names = self.files.range(start..).map(|(name, _)| name.as_str());
        names.map_while(move |name| name.strip_prefix(prefix.as_str()))
    }
}

impl World for Memory {
    fn stamp(&self, path: &str) -> Option<Stamp> {
        let path = clean(path);
        let inode = BuildHasherDefault::<FxHasher>::default().hash_one(path.as_str());
        let stamp = |size, kind| Stamp { device: 1, inode, modified: 1, size, kind };
        match self.files.get(&path) {
            Some(content) => Some(stamp(content.len() as u64, FileKind::File)),
            None => self.below(&path).next().map(|_| stamp(0, FileKind::Directory)),
        }
    }

    fn read(&self, path: &str, limit: u64) -> io::Result<Opened> {
        let stamp = self.stamp(path).ok_or(io::ErrorKind::NotFound)?;
        match self.files.get(&clean(path)) {
            Some(content) if content.len() as u64 > limit => {
                Err(io::ErrorKind::FileTooLarge.into())
            }
            Some(content) => Ok(Opened { bytes: content.as_slice().into(), stamp }),
            None => Err(io::ErrorKind::IsADirectory.into()),
        }
    }

    fn names(&self, path: &str) -> io::Result<Vec<String>> {
        match self.stamp(path) {
            None => Err(io::ErrorKind::NotFound.into()),
            Some(stamp) if !stamp.is_directory() => Err(io::ErrorKind::NotADirectory.into()),
            Some(_) => {
                let path = clean(path);
                let names = self.below(&path).filter_map(|rest| rest.split('/').next());
                let mut names: Vec<String> = names.map(str::to_owned).collect();
                names.dedup();
                Ok(names)
            }
        }
    }

    fn list(&self, path: &str) -> Vec<String> {
        self.names(path).unwrap_or_default()
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

    fn now(&self) -> i128 {
        self.now
    }

    fn random(&self, n: usize) -> io::Result<Vec<u8>> {
        Ok((0..n).map(|byte| byte.to_le_bytes()[0]).collect())
    }

    fn ask_name_server(&self, query: &NameQuery) -> io::Result<NameReply> {
        let reply = self.replies.get(&(query.name.clone(), query.kind)).cloned();
        Ok(reply.unwrap_or(NameReply { code: 3, records: Vec::new() }))
    }

    fn run(&self, _program: &Program) -> Result<Vec<u8>, RunError> {
        Err(RunError::Unavailable)
    }
}
