//! The modules of environments, for mounts that look into all of them.

use std::collections::HashMap;
use std::fs;
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::SystemTime;

use super::digests::is_settled;

/// Environments whose modules are kept; beyond that the list starts over.
const MOST: usize = 512;

/// Inode, seconds and nanoseconds of the last change of a directory.
type Stamp = (u64, i64, i64);

/// Directories of modules by module path. A list holds until a directory of the module path changes.
#[derive(Debug, Default)]
pub(super) struct ModuleLists(Mutex<HashMap<Vec<PathBuf>, ModuleList>>);

#[derive(Clone, Debug)]
struct ModuleList {
    stamps: Vec<Option<Stamp>>,
    directories: Arc<[String]>,
}

impl ModuleLists {
    /// Returns the directories of all modules: in the order of the module path, within it by name, the first of a name
    /// only. (Puppet has the order of the file system within an entry.)
    pub(super) fn of(&self, modulepath: &[PathBuf]) -> Arc<[String]> {
        let stamps: Vec<_> = modulepath.iter().map(|entry| stamp(entry)).collect();
        let mut lists = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(list) = lists.get(modulepath).filter(|list| list.stamps == stamps) {
            return Arc::clone(&list.directories);
        }
        drop(lists);
        let directories: Arc<[String]> = list(modulepath).into();
        let now = SystemTime::now();
        if stamps.iter().flatten().all(|(_, seconds, _)| is_settled(*seconds, now)) {
            lists = self.0.lock().unwrap_or_else(PoisonError::into_inner);
            if lists.len() >= MOST {
                lists.clear();
            }
            let list = ModuleList { stamps, directories: Arc::clone(&directories) };
            lists.insert(modulepath.to_vec(), list);
        }
        directories
    }
}

fn stamp(directory: &Path) -> Option<Stamp> {
    let status = fs::metadata(directory).ok()?;
    Some((status.ino(), status.ctime(), status.ctime_nsec()))
}

/// Returns the directories of all modules, as [`ModuleLists::of`] does, without a cache.
pub(in crate::agents) fn list(modulepath: &[PathBuf]) -> Vec<String> {
    let mut names = std::collections::HashSet::new();
    let mut directories = Vec::new();
    for entry in modulepath {
        let Ok(read) = fs::read_dir(entry) else { continue };
        let found = read.flatten().filter_map(|entry| entry.file_name().into_string().ok());
        let mut found: Vec<String> = found.filter(|name| is_module_name(name)).collect();
        found.sort_unstable();
        for name in found {
            if let Some(directory) = directory(entry, &name).filter(|_| names.insert(name)) {
                directories.push(directory);
            }
        }
    }
    directories
}

/// Returns the directory of a module; the first entry of the module path that has it counts.
pub(in crate::agents) fn find(modulepath: &[PathBuf], name: &str) -> Option<String> {
    if !is_module_name(name) {
        return None;
    }
    modulepath.iter().find_map(|entry| directory(entry, name))
}

fn directory(entry: &Path, name: &str) -> Option<String> {
    let path = entry.join(name);
    path.is_dir().then(|| path.into_os_string().into_string().ok()).flatten()
}

/// Returns whether Puppet takes a directory of this name for a module.
pub(super) fn is_module_name(name: &str) -> bool {
    let may_follow = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'_';
    name.starts_with(|first: char| first.is_ascii_lowercase()) && name.bytes().all(may_follow)
}
