//! The directory `.xpp` of an environment, which holds its tree.

use std::io;
use std::path::{Path, PathBuf};

use kukla_world::files::{self, Status};
use kukla_world::tree::{
    self, Attributes, Configured, DirectoryAttributes, Lock, LockError, Spare,
};
use kukla_world::{Pool, write};

use super::error::TreeError;
use super::manifest::Manifest;

/// The directory in an environment.
const DIRECTORY: &str = ".xpp";
/// The link to the present tree, which readers use.
const MODULES: &str = "modules";
const LOCK: &str = ".lock";
const STAMPS: &str = ".stamps";
const TREE: &str = "tree-";
const NEW: &str = ".new-";
const OLD: &str = ".old-";
const LINK: &str = ".link-";

/// The directory of an environment that holds its tree.
#[derive(Clone, Debug)]
pub struct Store {
    environment: PathBuf,
    root: PathBuf,
    configured: Configured,
}

impl Store {
    /// The file in a tree with the definitions of manifests.
    pub(super) const INDEX: &str = ".index";

    /// The file in a tree with the version of Kukla that made it.
    pub(super) const MARK: &str = ".kukla";

    /// Creates the store of the environment in this directory; nothing is read or written.
    pub fn new(environment: &Path) -> Self {
        let (root, configured) = (environment.join(DIRECTORY), Configured::default());
        Self { environment: environment.to_owned(), root, configured }
    }

    /// Sets attributes of files and directories, in place of those of the sources.
    #[must_use]
    pub fn configured(self, configured: Configured) -> Self {
        Self { configured, ..self }
    }

    /// Returns the attributes of the file that is made of a source with this status.
    pub(super) fn attributes(&self, source: &Status) -> Attributes {
        Attributes::of(source).configured(self.configured)
    }

    /// Returns the environment of a file at this absolute path, and its path in the tree; `None` if it is in no tree.
    pub fn locate(file: &Path) -> Option<(PathBuf, PathBuf)> {
        let mut directories = file.ancestors().skip(1);
        let root = directories.find(|directory| directory.ends_with(DIRECTORY))?;
        let mut names = file.strip_prefix(root).ok()?.components();
        names.next();
        Some((root.parent()?.to_owned(), names.as_path().to_owned()))
    }

    /// Returns the directory that holds all trees.
    pub fn root(&self) -> &Path {
        &self.root
    }

    /// Returns the directory in which readers search the files of modules.
    pub fn modules(&self) -> PathBuf {
        self.root.join(MODULES)
    }

    /// Returns the paths of all files in the present tree, relative to [`Store::modules`], without mark and index.
    pub fn files(&self, pool: &Pool) -> Result<Vec<PathBuf>, TreeError> {
        let modules = self.modules();
        let names = match files::names(&modules) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
            names => names.map_err(TreeError::with("read", &modules))?,
        };
        let names = names.into_iter().filter(|name| name != Self::MARK && name != Self::INDEX);
        let names: Vec<PathBuf> = names.map(PathBuf::from).collect();
        let listed = pool.map(&names, |name| {
            let mut files = Vec::new();
            tree::list_files(&modules, name, &mut files).map(|()| files)
        });
        let listed = listed.into_iter().collect::<io::Result<Vec<_>>>();
        let mut files = listed.map_err(TreeError::with("read", &modules))?.concat();
        files.sort_by(|one, other| one.as_os_str().cmp(other.as_os_str()));
        Ok(files)
    }

    /// Removes everything that builds have made; returns whether there was anything.
    ///
    /// Files that Kukla has not made stay.
    pub fn clean(&self) -> Result<bool, TreeError> {
        if !files::exists(&self.root) {
            return Ok(false);
        }
        let lock = self.lock()?;
        let modules = self.modules();
        remove(&modules)?;
        self.remove_leftovers()?;
        remove(&self.stamps())?;
        remove(&self.root.join(LOCK))?;
        drop(lock);
        // The directory stays if it has files that Kukla has not made.
        tree::remove_if_empty(&self.root);
        Ok(true)
    }

    /// Waits until no other process builds.
    pub(super) fn lock(&self) -> Result<Lock, TreeError> {
        let made = self.directory_attributes().make(&self.root);
        made.map_err(TreeError::with("make", &self.root))?;
        let path = self.root.join(LOCK);
        Lock::acquire(&path).map_err(|error| match error {
            LockError::Open(error) => TreeError::with("write", &path)(error),
            LockError::Lock(error) => TreeError::with("lock", &path)(error),
        })
    }

    /// Returns the attributes of directories: they belong to the owner of the environment.
    pub(super) fn directory_attributes(&self) -> DirectoryAttributes {
        DirectoryAttributes::like(&self.environment, self.configured)
    }

    /// Returns the path of the file with stamps of manifests that the next build need not compare again.
    pub(super) fn stamps(&self) -> PathBuf {
        self.root.join(STAMPS)
    }

    /// Replaces the file with stamps; the caller holds the lock.
    pub(super) fn write_stamps(&self, text: &str) -> io::Result<()> {
        write::replace(&self.stamps(), &self.new_tree(), text.as_bytes())
    }

    /// Returns the path of the index of the environment.
    pub fn index(&self) -> PathBuf {
        self.modules().join(Self::INDEX)
    }

    /// Returns the attributes of the index: users who may read it may read all of the sources. `None` if there are no such
    /// users.
    pub(super) fn index_attributes(&self, sources: &[Manifest]) -> Option<Attributes> {
        let attributes =
            |source: &Manifest| Status::of(&source.path).ok().map(|status| Attributes::of(&status));
        let mut all = sources.iter().map(attributes);
        let first = all.next()??;
        let common = all.try_fold(first, |common, next| common.common(next?))?;
        Some(common.configured(self.configured))
    }

    /// Returns the mark of the present tree; empty if it has none.
    pub(super) fn mark(&self) -> String {
        files::read_text(&self.modules().join(Self::MARK)).unwrap_or_default()
    }

    /// Returns the path at which the next tree is built.
    pub(super) fn new_tree(&self) -> PathBuf {
        self.root.join(format!("{NEW}{}", self.next_number()))
    }

    /// Replaces the present tree by a finished one.
    pub(super) fn switch(&self, new: &Path) -> Result<(), TreeError> {
        let modules = self.modules();
        self.exchange(new, &modules).map_err(TreeError::with("replace", &modules))?;
        self.remove_leftovers()
    }

    fn exchange(&self, new: &Path, modules: &Path) -> io::Result<()> {
        let number = self.next_number();
        let name = format!("{TREE}{number}");
        let link = self.root.join(format!("{LINK}{number}"));
        let old = self.root.join(format!("{OLD}{number}"));
        tree::rename(new, &self.root.join(&name))?;
        tree::point_link(modules, &name, Spare { link: &link, directory: &old })
    }

    /// Returns one more than the number of the present tree.
    fn next_number(&self) -> u64 {
        let target = tree::link_target(&self.modules());
        let number = target.as_ref().and_then(|target| number(target.to_str()?, TREE));
        number.unwrap_or_default() + 1
    }

    /// Removes files that failed builds have left, and the tree before the present one.
    pub(super) fn remove_leftovers(&self) -> Result<(), TreeError> {
        let present = tree::link_target(&self.modules());
        let names = files::names(&self.root).map_err(TreeError::with("read", &self.root))?;
        let mut leftovers = names.iter().map(Path::new).filter(|name| {
            let is_present = present.as_deref() == Some(*name);
            !is_present && is_ours(name)
        });
        leftovers.try_for_each(|name| remove(&self.root.join(name)))
    }
}

fn is_ours(name: &Path) -> bool {
    let name = name.to_str().unwrap_or_default();
    [TREE, NEW, OLD, LINK].iter().any(|prefix| number(name, prefix).is_some())
}

/// Returns the number after a prefix.
fn number(name: &str, prefix: &str) -> Option<u64> {
    name.strip_prefix(prefix)?.parse().ok()
}

fn remove(path: &Path) -> Result<(), TreeError> {
    tree::remove(path).map_err(TreeError::with("remove", path))
}
