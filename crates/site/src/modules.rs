//! Modules that an environment sees.

use std::collections::BTreeMap;
use std::io;
use std::path::{Path, PathBuf};

use kukla_world::World;

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
    /// Returns the modules on the module path, sorted by name, only the first of each name.
    ///
    /// Entries of the module path that don't exist are ignored; others that can't be read are problems.
    pub fn modules(
        &self,
        world: &dyn World,
        problems: &mut Vec<(PathBuf, io::Error)>,
    ) -> Vec<Module> {
        let mut found = BTreeMap::new();
        for entry in &self.modulepath {
            match names(entry, world) {
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

/// Returns the names of the modules in a directory.
fn names(entry: &Path, world: &dyn World) -> io::Result<Vec<String>> {
    let mut names = world.names(&entry.to_string_lossy())?;
    names.retain(|name| is_name(name) && world.is_directory(&entry.join(name).to_string_lossy()));
    Ok(names)
}

/// Returns whether Puppet treats a directory of this name as a module.
fn is_name(name: &str) -> bool {
    let may_follow = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'_';
    name.starts_with(|first: char| first.is_ascii_lowercase()) && name.bytes().all(may_follow)
}
