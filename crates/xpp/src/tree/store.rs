//! The directory of an environment that holds its tree.

use std::fs::{self, DirEntry, File, Metadata};
use std::io;
use std::path::{Path, PathBuf};

use super::attributes::{Attributes, Configured};
use super::error::TreeError;
use super::manifest::Manifest;
use kukla_world::Pool;

/// The directory in an environment.
const DIRECTORY: &str = ".xpp";
/// What readers use.
const MODULES: &str = "modules";
/// The file in a tree that says who made it.
const MARK: &str = ".kukla";
const LOCK: &str = ".lock";
const STAMPS: &str = ".stamps";
const TREE: &str = "tree-";
const NEW: &str = ".new-";
const OLD: &str = ".old-";
const LINK: &str = ".link-";

/// Where the tree of an environment is kept.
#[derive(Clone, Debug)]
pub struct Store {
    environment: PathBuf,
    root: PathBuf,
    configured: Configured,
}

/// While it is there nobody else builds.
#[derive(Debug)]
pub(super) struct Lock {
    _file: File,
}

impl Store {
    /// The file in a tree that says what manifests define.
    pub(super) const INDEX: &str = ".index";

    /// That of the environment in this directory.
    pub fn new(environment: &Path) -> Self {
        let (root, configured) = (environment.join(DIRECTORY), Configured::default());
        Self { environment: environment.to_owned(), root, configured }
    }

    /// The same, where all that is written belongs to somebody else than the owner of the sources.
    #[must_use]
    pub fn configured(self, configured: Configured) -> Self {
        Self { configured, ..self }
    }

    /// What the file that is made of a source with this metadata gets.
    pub(super) fn attributes(&self, source: &Metadata) -> Attributes {
        Attributes::of(source).configured(self.configured)
    }

    /// The environment and the path in its tree of a file of this absolute path, if it is in a tree.
    pub fn locate(file: &Path) -> Option<(PathBuf, PathBuf)> {
        let mut directories = file.ancestors().skip(1);
        let root = directories.find(|directory| directory.ends_with(DIRECTORY))?;
        let mut names = file.strip_prefix(root).ok()?.components();
        names.next();
        Some((root.parent()?.to_owned(), names.as_path().to_owned()))
    }

    /// The directory with all that belongs to trees.
    pub fn root(&self) -> &Path {
        &self.root
    }

    /// The directory in which readers look for the files of modules.
    pub fn modules(&self) -> PathBuf {
        self.root.join(MODULES)
    }

    /// The paths of all files in the present tree, from [`Store::modules`] on, without mark and index.
    pub fn files(&self, pool: &Pool) -> Result<Vec<PathBuf>, TreeError> {
        let modules = self.modules();
        let names = match names(&modules) {
            Err(error) if is_absent(&error) => return Ok(Vec::new()),
            names => names.map_err(TreeError::with("read", &modules))?,
        };
        let names: Vec<PathBuf> =
            names.into_iter().filter(|name| name != MARK && name != Self::INDEX).collect();
        let listed = pool.map(&names, |name| {
            let mut files = Vec::new();
            list(&modules, name, &mut files).map(|()| files)
        });
        let listed = listed.into_iter().collect::<io::Result<Vec<_>>>();
        let mut files = listed.map_err(TreeError::with("read", &modules))?.concat();
        files.sort_by(|one, other| one.as_os_str().cmp(other.as_os_str()));
        Ok(files)
    }

    /// Removes all that builds have made. Whether there was anything.
    ///
    /// What others have put there stays.
    pub fn clean(&self) -> Result<bool, TreeError> {
        if !self.root.exists() {
            return Ok(false);
        }
        let lock = self.lock()?;
        let modules = self.modules();
        remove(&modules).map_err(TreeError::with("remove", &modules))?;
        self.remove_leftovers()?;
        let stamps = self.stamps();
        remove(&stamps).map_err(TreeError::with("remove", &stamps))?;
        let file = self.root.join(LOCK);
        fs::remove_file(&file).map_err(TreeError::with("remove", &file))?;
        drop(lock);
        // Not empty means that it is not ours alone.
        let _ = fs::remove_dir(&self.root);
        Ok(true)
    }

    /// Waits until nobody else builds.
    pub(super) fn lock(&self) -> Result<Lock, TreeError> {
        self.make_root()?;
        let path = self.root.join(LOCK);
        loop {
            let file = File::options().create(true).truncate(false).write(true).open(&path);
            let file = file.map_err(TreeError::with("write", &path))?;
            file.lock().map_err(TreeError::with("lock", &path))?;
            // Whoever held it may have removed it.
            if is_same(&file, &path) {
                return Ok(Lock { _file: file });
            }
        }
    }

    fn make_root(&self) -> Result<(), TreeError> {
        match fs::create_dir(&self.root) {
            Ok(()) => self.apply_attributes(&self.root),
            Err(_) if self.root.is_dir() => Ok(()),
            Err(error) => Err(error),
        }
        .map_err(TreeError::with("make", &self.root))
    }

    /// Directories belong to whom the environment belongs.
    pub(super) fn apply_attributes(&self, directory: &Path) -> io::Result<()> {
        let attributes = Attributes::of(&fs::metadata(&self.environment)?);
        let attributes = attributes.configured_directory(self.configured).filled_by_owner();
        attributes.apply(&File::open(directory)?)
    }

    /// Where that lies which the next build need not compare again.
    pub(super) fn stamps(&self) -> PathBuf {
        self.root.join(STAMPS)
    }

    /// Replaces it. Whoever holds the lock may do so.
    pub(super) fn write_stamps(&self, text: &str) -> io::Result<()> {
        let new = self.new_tree();
        fs::write(&new, text)?;
        fs::rename(&new, self.stamps())
    }

    /// Where the index of the environment lies.
    pub fn index(&self) -> PathBuf {
        self.modules().join(Self::INDEX)
    }

    /// What the index gets: whoever may read it may read all of the sources. `None` if that is nobody.
    pub(super) fn index_attributes(&self, sources: &[Manifest]) -> Option<Attributes> {
        let attributes = |source: &Manifest| {
            fs::metadata(&source.path).ok().map(|metadata| Attributes::of(&metadata))
        };
        let mut all = sources.iter().map(attributes);
        let first = all.next()??;
        let common = all.try_fold(first, |common, next| common.common(next?))?;
        Some(common.configured(self.configured))
    }

    /// Who made the present tree, empty if nobody knows.
    pub(super) fn mark(&self) -> String {
        fs::read_to_string(self.modules().join(MARK)).unwrap_or_default()
    }

    /// Where the mark of a tree lies.
    pub(super) fn mark_in(tree: &Path) -> PathBuf {
        tree.join(MARK)
    }

    /// Where the next tree is made.
    pub(super) fn new_tree(&self) -> PathBuf {
        self.root.join(format!("{NEW}{}", self.next_number()))
    }

    /// Puts a finished tree in the place of the present one.
    pub(super) fn switch(&self, new: &Path) -> Result<(), TreeError> {
        let modules = self.modules();
        self.exchange(new, &modules).map_err(TreeError::with("replace", &modules))?;
        self.remove_leftovers()
    }

    #[cfg(unix)]
    fn exchange(&self, new: &Path, modules: &Path) -> io::Result<()> {
        let number = self.next_number();
        let name = format!("{TREE}{number}");
        let link = self.root.join(format!("{LINK}{number}"));
        fs::rename(new, self.root.join(&name))?;
        std::os::unix::fs::symlink(&name, &link)?;
        // Whoever copied the environment may have made a directory of the link.
        if modules.is_dir() && !modules.is_symlink() {
            fs::rename(modules, self.root.join(format!("{OLD}{number}")))?;
        }
        fs::rename(link, modules)
    }

    #[cfg(not(unix))]
    fn exchange(&self, new: &Path, modules: &Path) -> io::Result<()> {
        if modules.exists() {
            fs::rename(modules, self.root.join(format!("{OLD}{}", self.next_number())))?;
        }
        fs::rename(new, modules)
    }

    /// One more than the number of the present tree.
    fn next_number(&self) -> u64 {
        let target = fs::read_link(self.modules()).ok();
        let number = target.as_ref().and_then(|target| number(target.to_str()?, TREE));
        number.unwrap_or_default() + 1
    }

    /// Removes what builds that did not end well have left, and the tree before the present one.
    pub(super) fn remove_leftovers(&self) -> Result<(), TreeError> {
        let present = fs::read_link(self.modules()).ok();
        let names = names(&self.root).map_err(TreeError::with("read", &self.root))?;
        for name in names.iter().filter(|name| present.as_ref() != Some(name) && is_ours(name)) {
            let path = self.root.join(name);
            remove(&path).map_err(TreeError::with("remove", &path))?;
        }
        Ok(())
    }
}

fn is_ours(name: &Path) -> bool {
    let name = name.to_str().unwrap_or_default();
    [TREE, NEW, OLD, LINK].iter().any(|prefix| number(name, prefix).is_some())
}

/// The number after a prefix.
fn number(name: &str, prefix: &str) -> Option<u64> {
    name.strip_prefix(prefix)?.parse().ok()
}

fn names(directory: &Path) -> io::Result<Vec<PathBuf>> {
    let name = |entry: io::Result<DirEntry>| entry.map(|entry| PathBuf::from(entry.file_name()));
    fs::read_dir(directory)?.map(name).collect()
}

/// All files below `root`/`path`, links too, which don't belong there.
fn list(root: &Path, path: &Path, files: &mut Vec<PathBuf>) -> io::Result<()> {
    if !fs::symlink_metadata(root.join(path))?.is_dir() {
        files.push(path.to_owned());
        return Ok(());
    }
    let mut directories = vec![path.to_owned()];
    while let Some(directory) = directories.pop() {
        for entry in fs::read_dir(root.join(&directory))? {
            let entry = entry?;
            let path = directory.join(entry.file_name());
            let list = if entry.file_type()?.is_dir() { &mut directories } else { &mut *files };
            list.push(path);
        }
    }
    Ok(())
}

/// Removes a file, a link or a directory with all that is in it, if it is there.
fn remove(path: &Path) -> io::Result<()> {
    let removed = match fs::symlink_metadata(path) {
        Ok(metadata) if metadata.is_dir() => fs::remove_dir_all(path),
        Ok(_) => fs::remove_file(path),
        Err(error) => Err(error),
    };
    match removed {
        Err(error) if is_absent(&error) => Ok(()),
        removed => removed,
    }
}

fn is_absent(error: &io::Error) -> bool {
    error.kind() == io::ErrorKind::NotFound
}

#[cfg(unix)]
fn is_same(file: &File, path: &Path) -> bool {
    use std::os::unix::fs::MetadataExt;
    match (file.metadata(), fs::metadata(path)) {
        (Ok(one), Ok(other)) => (one.dev(), one.ino()) == (other.dev(), other.ino()),
        _ => false,
    }
}

#[cfg(not(unix))]
fn is_same(_: &File, path: &Path) -> bool {
    path.exists()
}
