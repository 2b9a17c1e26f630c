//! The modules that an environment sees.

use std::collections::BTreeMap;
use std::fs::{self, DirEntry};
use std::io;
use std::path::PathBuf;

use crate::Environment;

/// A module.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Module {
    /// The name, which is that of the directory.
    pub name: String,
    /// The directory, as the module path has it; it may be a link.
    pub path: PathBuf,
}

impl Environment {
    /// The modules on the module path, sorted by name, the first of each name only.
    ///
    /// Entries of the module path that don't exist are fine; others that can't be read are problems.
    pub fn modules(&self, problems: &mut Vec<(PathBuf, io::Error)>) -> Vec<Module> {
        let mut found = BTreeMap::new();
        for entry in &self.modulepath {
            match names(entry) {
                Ok(names) => names.into_iter().for_each(|name| {
                    let path = entry.join(&name);
                    found.entry(name).or_insert(path);
                }),
                Err(error) if error.kind() == io::ErrorKind::NotFound => {}
                Err(error) => problems.push((entry.clone(), error)),
            }
        }
        found.into_iter().map(|(name, path)| Module { name, path }).collect()
    }
}

/// The names of the modules in a directory.
fn names(entry: &PathBuf) -> io::Result<Vec<String>> {
    let entries = fs::read_dir(entry)?.collect::<io::Result<Vec<DirEntry>>>()?;
    let modules = entries.iter().filter_map(|entry| {
        let name = entry.file_name().into_string().ok()?;
        (is_name(&name) && is_directory(entry)).then_some(name)
    });
    Ok(modules.collect())
}

fn is_directory(entry: &DirEntry) -> bool {
    match entry.file_type() {
        Ok(kind) if kind.is_symlink() => entry.path().is_dir(),
        Ok(kind) => kind.is_dir(),
        Err(_) => false,
    }
}

/// Whether Puppet takes a directory of this name for a module.
fn is_name(name: &str) -> bool {
    let may_follow = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'_';
    name.starts_with(|first: char| first.is_ascii_lowercase()) && name.bytes().all(may_follow)
}
