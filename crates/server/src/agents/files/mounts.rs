//! Mounts: from the key of a request to a place on disk.

use std::fs;
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};
use std::sync::{Arc, PoisonError, RwLock};

use super::FileEnvironment;
use super::error::FileError;
use super::fileserver_conf::{self, SiteMounts};
use super::module_list::{self, ModuleLists};
use super::root::{Confinement, Root};
use crate::Log;

/// A place below a mount; it exists, or is a link.
#[derive(Debug)]
pub(super) struct Place {
    pub(super) root: Root,
    /// The path below the root; empty for the root itself.
    pub(super) below: String,
}

/// The places of a union, and whether their content is listed.
#[derive(Debug)]
pub(super) struct Union {
    pub(super) places: Vec<Place>,
    pub(super) is_listed: bool,
}

/// Device, inode, size, seconds and nanoseconds: a file of the same stamp is not read again.
type Stamp = (u64, u64, u64, i64, i64);

/// All mounts of a server.
pub(super) struct Mounts {
    conf: PathBuf,
    confinement: Confinement,
    site: RwLock<(Option<Stamp>, Arc<SiteMounts>)>,
    modules: ModuleLists,
    log: Log,
}

impl std::fmt::Debug for Mounts {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Mounts").field("conf", &self.conf).field("site", &self.site).finish()
    }
}

impl Mounts {
    pub(super) fn new(conf: PathBuf, confinement: Confinement, log: Log) -> Self {
        Self { conf, confinement, site: RwLock::default(), modules: ModuleLists::default(), log }
    }

    /// Returns the place of a key; none if there is no such file.
    pub(super) fn find(
        &self,
        key: &Key<'_>,
        environment: &FileEnvironment<'_>,
        client: &str,
    ) -> Result<Option<Place>, FileError> {
        match key.mount {
            "modules" => self.in_module(key, environment, "files", "module"),
            "scripts" => self.in_module(key, environment, "scripts", "module"),
            "tasks" => self.in_module(key, environment, "tasks", "task"),
            _ => match union_directory(key.mount) {
                Some(directory) => Ok(self.in_modules(&key.path, environment, directory)),
                None => self.in_site_mount(key, client),
            },
        }
    }

    /// Returns the places of a mount that unites directories of all modules; none for other mounts.
    pub(super) fn union(&self, key: &Key<'_>, environment: &FileEnvironment<'_>) -> Option<Union> {
        let directory = union_directory(key.mount)?;
        let roots = self.modules.of(environment.modulepath);
        let roots = roots.iter().map(|module| format!("{module}/{directory}"));
        let places: Vec<Place> = roots.filter_map(|root| self.existing(root, "", true)).collect();
        if !places.is_empty() {
            return Some(Union { places, is_listed: true });
        }
        // Agents ask for plugins to learn whether an environment exists, so there is always an answer.
        let entries = environment.modulepath.iter().map(PathBuf::as_path);
        let mut places = self.directories(entries);
        if places.is_empty() {
            places = self.directories([environment.codedir].into_iter());
        }
        Some(Union { places, is_listed: false })
    }

    fn directories<'a>(&self, paths: impl Iterator<Item = &'a Path>) -> Vec<Place> {
        let paths = paths.filter_map(|path| path.to_str().map(str::to_owned));
        paths.filter_map(|path| self.existing(path, "", true)).collect()
    }

    fn in_module(
        &self,
        key: &Key<'_>,
        environment: &FileEnvironment<'_>,
        directory: &str,
        what: &'static str,
    ) -> Result<Option<Place>, FileError> {
        if key.path.is_empty() {
            return Err(FileError::Incomplete { what });
        }
        let (module, below) = key.path.split_once('/').unwrap_or((&key.path, ""));
        let Some(module) = module_list::find(environment.modulepath, module) else {
            return Ok(None);
        };
        // Puppet keeps the slash at the end of `modules/NAME/`.
        let slash = if key.path.ends_with('/') && below.is_empty() { "/" } else { "" };
        Ok(self.existing(format!("{module}/{directory}{slash}"), below, true))
    }

    fn in_modules(
        &self,
        below: &str,
        environment: &FileEnvironment<'_>,
        directory: &str,
    ) -> Option<Place> {
        let modules = self.modules.of(environment.modulepath);
        modules
            .iter()
            .find_map(|module| self.existing(format!("{module}/{directory}"), below, true))
    }

    fn in_site_mount(&self, key: &Key<'_>, client: &str) -> Result<Option<Place>, FileError> {
        let mounts = self.site_mounts();
        let no_mount = || FileError::NoMount { name: key.mount.to_owned() };
        let path = mounts.paths.get(key.mount).ok_or_else(no_mount)?;
        let Some(path) = fileserver_conf::expand(path, client) else { return Ok(None) };
        let below = key.path.trim_start_matches('/');
        Ok(self.existing(path.trim_end_matches('/').to_owned(), below, false))
    }

    /// Returns a place if it exists; a link that leads nowhere counts unless `follows` is set.
    fn existing(&self, root: String, below: &str, follows: bool) -> Option<Place> {
        let root = Root::open(root, self.confinement).ok()?;
        root.status(below, follows).ok()?;
        Some(Place { root, below: below.to_owned() })
    }

    /// Returns the mounts of `fileserver.conf` as it is now; a file that can't be used leaves the old mounts.
    fn site_mounts(&self) -> Arc<SiteMounts> {
        let stamp = stamp(&self.conf);
        let current = self.site.read().unwrap_or_else(PoisonError::into_inner);
        if current.0 == stamp {
            return Arc::clone(&current.1);
        }
        drop(current);
        let mut site = self.site.write().unwrap_or_else(PoisonError::into_inner);
        if let Some(mounts) = self.load(stamp.is_some()) {
            site.1 = Arc::new(mounts);
        }
        site.0 = stamp;
        Arc::clone(&site.1)
    }

    fn load(&self, exists: bool) -> Option<SiteMounts> {
        if !exists {
            return Some(SiteMounts::default());
        }
        let file = self.conf.display();
        let parsed = match crate::files::read_regular(&self.conf) {
            Ok(bytes) => fileserver_conf::parse(&String::from_utf8_lossy(&bytes))
                .map_err(|error| error.to_string()),
            Err(error) => Err(error.to_string()),
        };
        match parsed {
            Ok(mounts) => {
                let warnings = mounts.warnings.iter();
                warnings.for_each(|warning| (self.log)(&format!("{file}: {warning}")));
                Some(mounts)
            }
            Err(error) => {
                (self.log)(&format!(
                    "Error parsing fileserver configuration: {error}; using old configuration ({file})"
                ));
                None
            }
        }
    }
}

/// Returns the directory of modules that a mount unites.
fn union_directory(mount: &str) -> Option<&'static str> {
    match mount {
        "plugins" => Some("lib"),
        "pluginfacts" => Some("facts.d"),
        "locales" => Some("locales"),
        _ => None,
    }
}

fn stamp(path: &Path) -> Option<Stamp> {
    let status = fs::metadata(path).ok()?;
    Some((status.dev(), status.ino(), status.len(), status.ctime(), status.ctime_nsec()))
}

/// The key of a request: mount and path, `modules/demo/a.txt`.
#[derive(Debug)]
pub(super) struct Key<'a> {
    pub(super) text: &'a str,
    mount: &'a str,
    /// The path without doubled slashes.
    path: String,
}

impl<'a> Key<'a> {
    /// Refuses paths that could leave their mount.
    pub(super) fn parse(text: &'a str) -> Result<Self, FileError> {
        if text.contains('\0') {
            return Err(FileError::ZeroByte);
        }
        if text.split('/').any(|segment| matches!(segment, "." | "..")) {
            return Err(FileError::RelativePath { key: text.to_owned() });
        }
        let (mount, path) = text.split_once('/').unwrap_or((text, ""));
        let mut folded = String::with_capacity(path.len());
        for c in path.chars() {
            if c != '/' || !folded.ends_with('/') {
                folded.push(c);
            }
        }
        Ok(Self { text, mount, path: folded })
    }
}
