//! The manifests of an environment: its own and those of its modules.

use std::io;
use std::path::{Path, PathBuf};

use kukla_world::{Disk, Pool, files};
use kukla_xpp::tree::{Manifest, RESERVED};

use crate::environment::Environment;
use crate::modules::Module;
use kukla_world::paths::Anchor;
use kukla_world::walk::{Wanted, walk};

/// The directories of a module that Puppet loads manifests from. Manifests elsewhere (examples, tests)
/// are only used when a user names them.
const LOADED: &[&str] = &["manifests", "functions", "types", "plans"];

/// The directories of an environment that Puppet loads manifests from, beside its main manifest.
const OWN: &[&str] = &["functions", "types", "plans", ".resource_types"];

/// All manifests of an environment.
#[derive(Debug, Default)]
pub struct Manifests {
    /// The manifests, sorted by module and path.
    pub list: Vec<Manifest>,
    /// Files and directories that could not be read.
    pub problems: Vec<(PathBuf, io::Error)>,
    /// A module with the reserved name of the environment itself: it is skipped.
    pub reserved: Option<Module>,
}

impl Environment {
    /// Returns all `.pp` files of the environment and of its modules that Puppet may load.
    ///
    /// Of several modules of one name only the first is used. Files below an entry of the module
    /// path, but in no module that is used, belong to no module. A main manifest outside of the
    /// environment is arbitrary input and not part of it.
    pub fn manifests(&self, anchor: &Anchor, pool: &Pool) -> Manifests {
        let mut manifests = Manifests::default();
        let mut modules = self.modules(&Disk, &mut manifests.problems);
        let reserved = modules.iter().position(|module| module.name == RESERVED);
        manifests.reserved = reserved.map(|at| modules.remove(at));
        let found = pool.map(&modules, |module| self.module_manifests(module, anchor));
        found.into_iter().for_each(|found| manifests.append(found));
        manifests.append(self.own_manifests(anchor));
        manifests.list.sort_by(|one, other| {
            (&one.module, one.rest.as_os_str()).cmp(&(&other.module, other.rest.as_os_str()))
        });
        manifests
    }

    fn module_manifests(&self, module: &Module, anchor: &Anchor) -> Manifests {
        let directories = LOADED.iter().map(|name| module.path.join(name));
        let search = Search { environment: self, root: &module.path, module: &module.name, anchor };
        search.run(directories.filter(|directory| files::is_directory(directory)))
    }

    fn own_manifests(&self, anchor: &Anchor) -> Manifests {
        let directories = OWN.iter().map(|name| self.directory.join(name));
        let directories = directories.chain([self.manifest.clone()]);
        let is_own = |path: &PathBuf| {
            path.starts_with(&self.directory)
                && !self.modulepath.iter().any(|entry| path.starts_with(entry))
        };
        let search = Search { environment: self, root: &self.directory, module: RESERVED, anchor };
        search.run(directories.filter(|path| is_own(path) && files::exists(path)))
    }
}

impl Environment {
    /// Returns the manifest at the path, or all manifests below it, as [`RESERVED`]'s, relative to `root`.
    pub(crate) fn manifests_below(
        &self,
        root: &Path,
        path: &Path,
        anchor: &Anchor,
    ) -> Vec<Manifest> {
        let search = Search { environment: self, root, module: RESERVED, anchor };
        search.run(std::iter::once(path.to_owned()).filter(|path| files::exists(path))).list
    }
}

/// Searches for the manifests of a module.
struct Search<'a> {
    environment: &'a Environment,
    /// The directory of the module.
    root: &'a Path,
    module: &'a str,
    anchor: &'a Anchor,
}

impl Search<'_> {
    fn run(&self, paths: impl Iterator<Item = PathBuf>) -> Manifests {
        let mut manifests = Manifests::default();
        for path in paths {
            if files::is_file(&path) {
                manifests.list.extend(self.manifest(path));
                continue;
            }
            let wanted = Wanted { is_wanted: is_manifest, skipped: &self.environment.modulepath };
            // Modules are many and small: each is walked by one thread.
            let walked = walk(&path, &wanted, self.anchor, &Pool::new(Some(1)));
            manifests.list.extend(walked.files.into_iter().filter_map(|file| self.manifest(file)));
            manifests.problems.extend(walked.problems);
        }
        manifests
    }

    fn manifest(&self, path: PathBuf) -> Option<Manifest> {
        let rest = path.strip_prefix(self.root).ok()?.to_owned();
        let home = self.environment.home(&path);
        Some(Manifest { module: self.module.to_owned(), rest, home, path })
    }
}

impl Manifests {
    fn append(&mut self, other: Self) {
        self.list.extend(other.list);
        self.problems.extend(other.problems);
    }
}

fn is_manifest(path: &Path) -> bool {
    path.extension().is_some_and(|extension| extension == "pp")
}
