//! The manifests of an environment: its own and those of its modules.

use std::io;
use std::path::{Path, PathBuf};

use kukla_syntax::Home;

use crate::environment::Environment;
use crate::modules::Module;
use crate::paths::Anchor;
use crate::pool::Pool;
use crate::walk::{Wanted, walk};

/// The name that the environment itself has among the modules.
pub const RESERVED: &str = "environment";

/// The only hidden directory of an environment that Puppet loads from.
const RESOURCE_TYPES: &str = ".resource_types";

/// A manifest of an environment.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Manifest {
    /// The path as Puppet names it.
    pub path: PathBuf,
    /// The module, [`RESERVED`] for the environment's own.
    pub module: String,
    /// The path from the module's or environment's directory on.
    pub rest: PathBuf,
    /// Where it belongs, which decides what it may define.
    pub home: Home,
}

impl Manifest {
    /// The path of the serialized manifest in the tree of the environment.
    pub fn target(&self) -> PathBuf {
        Path::new(&self.module).join(self.rest.with_extension("xpp"))
    }
}

/// All manifests of an environment.
#[derive(Debug, Default)]
pub struct Manifests {
    /// Sorted by module and path.
    pub list: Vec<Manifest>,
    /// What could not be looked at.
    pub problems: Vec<(PathBuf, io::Error)>,
    /// A module with the name of the environment itself: it is left out.
    pub reserved: Option<Module>,
}

impl Environment {
    /// All `.pp` files of the environment and of its modules.
    ///
    /// Of several modules of one name only the first counts. What lies below an entry of the module
    /// path, but in no module that counts, belongs to nobody. A main manifest outside of the
    /// environment is arbitrary input and not part of it.
    pub fn manifests(&self, anchor: &Anchor, pool: &Pool) -> Manifests {
        let mut manifests = Manifests::default();
        let modules = self.modules(&mut manifests.problems);
        let (reserved, modules) = modules.into_iter().partition(|module| module.name == RESERVED);
        let modules: Vec<Module> = modules;
        let found = pool.map(&modules, |module| self.module_manifests(module, anchor));
        found.into_iter().for_each(|found| manifests.append(found));
        manifests.append(self.own_manifests(anchor));
        manifests.list.sort_by(|one, other| {
            (&one.module, one.rest.as_os_str()).cmp(&(&other.module, other.rest.as_os_str()))
        });
        let reserved: Vec<Module> = reserved;
        Manifests { reserved: reserved.into_iter().next(), ..manifests }
    }

    fn module_manifests(&self, module: &Module, anchor: &Anchor) -> Manifests {
        let wanted = Wanted { is_wanted: is_manifest, skipped: &[] };
        self.found(&module.path, &module.path, &module.name, &wanted, anchor)
    }

    fn own_manifests(&self, anchor: &Anchor) -> Manifests {
        if self.modulepath.contains(&self.directory) {
            return Manifests::default();
        }
        let wanted = Wanted { is_wanted: is_manifest, skipped: &self.modulepath };
        let mut own = self.found(&self.directory, &self.directory, RESERVED, &wanted, anchor);
        let hidden = self.directory.join(RESOURCE_TYPES);
        if hidden.is_dir() {
            own.append(self.found(&hidden, &self.directory, RESERVED, &wanted, anchor));
        }
        own
    }

    fn found(
        &self,
        directory: &Path,
        root: &Path,
        module: &str,
        wanted: &Wanted<'_>,
        anchor: &Anchor,
    ) -> Manifests {
        // Modules are many and small: each is walked by one thread.
        let walked = walk(directory, wanted, anchor, &Pool::new(Some(1)));
        let manifest = |path: PathBuf| {
            let rest = path.strip_prefix(root).ok()?.to_owned();
            let home = self.home(&path);
            Some(Manifest { module: module.to_owned(), rest, home, path })
        };
        let list = walked.files.into_iter().filter_map(manifest).collect();
        Manifests { list, problems: walked.problems, reserved: None }
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
