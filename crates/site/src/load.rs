//! Trees of manifests: loaded from serialized manifests, or parsed from the source.
//!
//! ```text
//! source ── xpp is on, and there is a file ── it was made of this source, and is sound ──> its tree
//!    │                                 │ no                          │ no
//!    └─────────────────────────────────┴──── a warning if damaged ───┴──> parsed and checked
//! ```
//! A serialized manifest is used only if its source exists, so the set and order of manifests do not depend on it.

use std::fmt::{self, Debug, Display};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use kukla_base::{Diagnostic, Edition};
use kukla_syntax::{Ast, Options, Strict, check_bytes, is_plan};
use kukla_world::{MAX_FILE, World, files};
use kukla_xpp::tree::{Manifest, RESERVED, Store};

use crate::environment::Environment;

/// Whether serialized manifests are loaded: the setting `xpp`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Xpp {
    /// Every manifest is parsed.
    #[default]
    Off,
    /// Serialized manifests are loaded; only the others are parsed.
    On,
}

/// A manifest that was read.
#[derive(Debug)]
pub struct Loaded {
    /// The tree. With errors among the diagnostics it may have holes.
    pub ast: Ast,
    /// The diagnostics; empty if the manifest was not parsed.
    pub diagnostics: Vec<Diagnostic>,
    /// The origin of the tree.
    pub origin: Origin,
    /// The serialized manifest that exists but could not be used, to be logged.
    pub unusable: Option<Unusable>,
}

/// The origin of a tree.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Origin {
    /// The manifest was parsed.
    Source,
    /// It was loaded from this file.
    File(PathBuf),
}

/// A serialized manifest that exists but can't be used.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unusable {
    /// The file.
    pub path: PathBuf,
    /// The reason.
    pub reason: String,
}

impl Display for Unusable {
    /// Puppet's plugin has the same message.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { path, reason } = self;
        write!(f, "XPP: cannot load {}: {reason}; the source is used", path.display())
    }
}

/// A warning about how code is run. No catalog depends on it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Warning {
    /// A serialized manifest can't be used.
    Manifest(Unusable),
    /// A real Ruby has to be started.
    Ruby {
        /// The file that needs it; `None` for an inline template.
        path: Option<String>,
        /// The reason.
        reason: String,
    },
}

impl Display for Warning {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Manifest(unusable) => write!(f, "{unusable}"),
            Self::Ruby { path, reason } => {
                let name = path.as_deref().unwrap_or("an inline template");
                write!(
                    f,
                    "a Ruby process is started for {name}: {reason}; `kukla doctor` lists all such code"
                )
            }
        }
    }
}

/// A function that receives warnings.
type Receive = dyn Fn(&Warning) + Send + Sync;

/// Receives a warning about each serialized manifest that can't be used, and about a real Ruby that has to be started.
#[derive(Clone, Default)]
pub struct Warn(Option<Arc<Receive>>);

impl Warn {
    /// Creates a receiver from a function, which any thread may call.
    pub fn new(receive: impl Fn(&Warning) + Send + Sync + 'static) -> Self {
        Self(Some(Arc::new(receive)))
    }

    pub(crate) fn warn(&self, warning: &Warning) {
        if let Some(receive) = &self.0 {
            receive(warning);
        }
    }
}

impl Debug for Warn {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(if self.0.is_some() { "Warn(..)" } else { "Warn(none)" })
    }
}

/// The reason why there is no tree.
///
/// Callers report either in Puppet's words, which differ.
#[derive(Debug)]
pub enum LoadError {
    /// The manifest can't be read.
    Unreadable(io::Error),
    /// It is not UTF-8.
    NotText {
        /// Its bytes.
        bytes: Arc<[u8]>,
        /// Puppet's message.
        diagnostic: Box<Diagnostic>,
    },
}

impl Environment {
    /// Returns the tree of a manifest.
    ///
    /// A serialized manifest has passed the strictest checks, so `strict` and `edition` apply to sources only.
    pub fn load(
        &self,
        manifest: &Manifest,
        xpp: Xpp,
        strict: Strict,
        edition: Edition,
        world: &dyn World,
    ) -> Result<Loaded, LoadError> {
        let opened = world.read(&manifest.path.to_string_lossy(), MAX_FILE);
        let bytes = opened.map_err(LoadError::Unreadable)?.bytes;
        let unusable = match xpp {
            Xpp::Off => None,
            Xpp::On => {
                let path = Store::new(&self.directory).modules().join(manifest.target());
                match kukla_xpp::tree::load(&path, bytes.to_vec()) {
                    Ok(Some(ast)) => {
                        let (diagnostics, origin) = (Vec::new(), Origin::File(path));
                        return Ok(Loaded { ast, diagnostics, origin, unusable: None });
                    }
                    Ok(None) => None,
                    Err(error) => Some(Unusable { path, reason: error.to_string() }),
                }
            }
        };
        let file = manifest.path.to_string_lossy().into_owned();
        let (home, tasks) = (manifest.home.clone(), is_plan(&file, &manifest.home));
        let options = Options { strict, edition, home, tasks, file, ..Options::default() };
        match check_bytes(&bytes, &options) {
            Ok(checked) => {
                let (ast, diagnostics) = (checked.ast, checked.diagnostics);
                Ok(Loaded { ast, diagnostics, origin: Origin::Source, unusable })
            }
            Err(diagnostic) => Err(LoadError::NotText { bytes, diagnostic }),
        }
    }

    /// Returns the manifest at this absolute path, by the name of the path alone; `None` if it belongs to no module
    /// here.
    ///
    /// It is the one that [`Environment::manifests`] would find there, but only the directories of modules of the
    /// same name are read.
    pub fn manifest(&self, path: &Path) -> Option<Manifest> {
        let home = self.home(path);
        // Of nested directories the innermost takes precedence.
        let mut entries: Vec<&PathBuf> = self.modulepath.iter().collect();
        entries.sort_by_key(|entry| std::cmp::Reverse(entry.components().count()));
        let (root, module) = match entries.into_iter().find(|entry| path.starts_with(entry)) {
            Some(entry) => {
                let name = path.strip_prefix(entry).ok()?.components().next()?;
                let name = name.as_os_str().to_str()?.to_owned();
                (self.module_directory(&name).filter(|found| found.starts_with(entry))?, name)
            }
            None => (self.directory.clone(), RESERVED.to_owned()),
        };
        let rest = path.strip_prefix(&root).ok()?.to_owned();
        Some(Manifest { path: path.to_owned(), module, rest, home })
    }

    /// Returns the first directory of this name on the module path; `None` for the name that is reserved for the
    /// environment.
    fn module_directory(&self, name: &str) -> Option<PathBuf> {
        let mut directories = self.modulepath.iter().map(|entry| entry.join(name));
        directories.find(|directory| files::is_directory(directory)).filter(|_| name != RESERVED)
    }
}
