//! Homes of files: Puppet wants the definitions of a module in the files named after them.
//!
//! A file belongs to a module when it lies below a directory of the module path: the caller's, that of the environment
//! around the file, or Puppet's own. Without any of these, a `metadata.json` beside `manifests` gives the name of the
//! module.
//!
//! Links are not resolved: Puppet compares paths by name only.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::rc::Rc;

use kukla_syntax::Home;
use kukla_world::{Disk, files};

use crate::environment::Environment;
use crate::layout::{self, basemodulepath};
use kukla_world::paths::Anchor;

#[cfg(test)]
mod tests;

/// The directories of a module that hold definitions.
const DEFINITIONS: &[&str] = &["manifests", "functions", "types", "plans"];

/// Finds the homes of files, and caches the answer for every directory.
#[derive(Debug)]
pub struct Homes {
    modulepath: Option<Vec<PathBuf>>,
    directories: HashMap<PathBuf, Option<Rc<str>>>,
    environments: HashMap<PathBuf, Option<Rc<Environment>>>,
}

impl Homes {
    /// Creates a finder for a module path, if there is one beside those of environments.
    pub fn new(modulepath: Option<&str>, anchor: &Anchor) -> Self {
        let modulepath = modulepath.map(|path| anchor.absolute_list(path));
        Self { modulepath, directories: HashMap::new(), environments: HashMap::new() }
    }

    /// Returns the home of a file at this absolute path.
    pub fn home(&mut self, file: &Path) -> Home {
        let (Some(directory), Some(name)) = (file.parent(), file.file_name()) else {
            return Home::Anywhere;
        };
        match self.prefix(directory) {
            Some(prefix) => Home::Module { path: format!("{prefix}{}", name.to_string_lossy()) },
            None => Home::Anywhere,
        }
    }

    /// Returns the prefix of the relative paths of files in a directory, if they belong to a module.
    fn prefix(&mut self, directory: &Path) -> Option<Rc<str>> {
        if let Some(known) = self.directories.get(directory) {
            return known.clone();
        }
        let prefix: Option<Rc<str>> = self.find_prefix(directory).map(Rc::from);
        self.directories.insert(directory.to_owned(), prefix.clone());
        prefix
    }

    fn find_prefix(&mut self, directory: &Path) -> Option<String> {
        let by_path = if let Some(modulepath) = &self.modulepath {
            below(directory, modulepath)
        } else {
            let environment = self.environment(directory);
            if environment.as_ref().is_some_and(|found| directory.starts_with(&found.manifest)) {
                return None;
            }
            let modulepath = environment.as_ref().map(|found| found.modulepath.as_slice());
            below(directory, modulepath.unwrap_or_default())
                .or_else(|| below(directory, layout::production_modules().chain(basemodulepath())))
        };
        by_path.or_else(|| below_metadata(directory))
    }

    /// Returns the nearest environment around a directory.
    fn environment(&mut self, directory: &Path) -> Option<Rc<Environment>> {
        if let Some(known) = self.environments.get(directory) {
            return known.clone();
        }
        let environment = match Environment::configured(directory, &basemodulepath(), &Disk) {
            Some(environment) => Some(Rc::new(environment)),
            None => directory.parent().and_then(|parent| self.environment(parent)),
        };
        self.environments.insert(directory.to_owned(), environment.clone());
        environment
    }
}

/// Returns the path of a directory relative to the first entry that contains it, with a final slash.
fn below<E: AsRef<Path>>(
    directory: &Path,
    modulepath: impl IntoIterator<Item = E>,
) -> Option<String> {
    let mut entries = modulepath.into_iter();
    entries.find_map(|entry| directory.strip_prefix(entry.as_ref()).ok().map(with_slash))
}

/// Like [`below`], but for a module that has a `metadata.json`: from the module's name on.
fn below_metadata(directory: &Path) -> Option<String> {
    directory.ancestors().find_map(|ancestor| {
        let holds_definitions = DEFINITIONS.iter().any(|name| ancestor.ends_with(name));
        let module = if holds_definitions { ancestor.parent() } else { None }?;
        let name = module_name(&files::read_regular(&module.join("metadata.json")).ok()?)?;
        Some(format!("{name}/{}", with_slash(directory.strip_prefix(module).ok()?)))
    })
}

/// Returns `apache` for `{"name": "owner-apache"}`.
fn module_name(metadata: &[u8]) -> Option<String> {
    let metadata: serde_json::Value = serde_json::from_slice(metadata).ok()?;
    let (_, name) = metadata.get("name")?.as_str()?.split_once(['-', '/'])?;
    Some(name.to_owned())
}

fn with_slash(path: &Path) -> String {
    let path = path.to_string_lossy();
    if path.is_empty() { String::new() } else { format!("{path}/") }
}
