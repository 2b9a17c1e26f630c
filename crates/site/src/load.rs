//! From a manifest to its tree: out of the tree of serialized manifests, or from the source.
//!
//! ```text
//! source ── xpp is on, and there is a file ── it was made of this source, and is sound ──> its tree
//!    │                                 │ no                          │ no
//!    └─────────────────────────────────┴──── a warning if damaged ───┴──> parsed and checked
//! ```
//! A file counts only when its manifest is there, so what is found and in which order does not depend on files.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use kukla_base::Diagnostic;

use kukla_syntax::{Ast, Options, check_bytes};

use crate::environment::Environment;
use kukla_xpp::tree::Store;
use kukla_xpp::tree::{Manifest, RESERVED};

/// Whether serialized manifests are loaded: the setting `xpp`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Xpp {
    /// Everything is parsed.
    #[default]
    Off,
    /// What can be loaded is not parsed.
    On,
}

/// A manifest that was read.
#[derive(Debug)]
pub struct Loaded {
    /// The tree. With errors among the diagnostics it may have holes.
    pub ast: Ast,
    /// What is wrong with the manifest; nothing if it was not parsed.
    pub diagnostics: Vec<Diagnostic>,
    /// Where the tree came from.
    pub origin: Origin,
    /// The file that should have had the tree, but could not be used. To be logged.
    pub unusable: Option<Unusable>,
}

/// Where a tree came from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Origin {
    /// The manifest was parsed.
    Source,
    /// It was loaded from this file.
    File(PathBuf),
}

/// A serialized manifest that is there, but can't be used.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unusable {
    /// The file.
    pub path: PathBuf,
    /// What is wrong with it.
    pub reason: String,
}

/// Why there is no tree.
///
/// Callers say either in Puppet's words, which differ.
#[derive(Debug)]
pub enum LoadError {
    /// The manifest can't be read.
    Unreadable(io::Error),
    /// It is not UTF-8.
    NotText {
        /// Its bytes.
        bytes: Vec<u8>,
        /// What Puppet says.
        diagnostic: Box<Diagnostic>,
    },
}

impl Environment {
    /// The tree of a manifest.
    pub fn load(&self, manifest: &Manifest, xpp: Xpp) -> Result<Loaded, LoadError> {
        let read = || fs::read(&manifest.path).map_err(LoadError::Unreadable);
        let unusable = match xpp {
            Xpp::Off => None,
            Xpp::On => {
                let path = Store::new(&self.directory).modules().join(manifest.target());
                match kukla_xpp::tree::load(&path, read()?) {
                    Ok(Some(ast)) => {
                        let (diagnostics, origin) = (Vec::new(), Origin::File(path));
                        return Ok(Loaded { ast, diagnostics, origin, unusable: None });
                    }
                    Ok(None) => None,
                    Err(error) => Some(Unusable { path, reason: error.to_string() }),
                }
            }
        };
        // The source that was compared with a file was handed over, so that nobody has to copy it.
        let bytes = read()?;
        let file = manifest.path.to_string_lossy().into_owned();
        let options = Options { home: manifest.home.clone(), file, ..Options::default() };
        match check_bytes(&bytes, &options) {
            Ok(checked) => {
                let (ast, diagnostics) = (checked.ast, checked.diagnostics);
                Ok(Loaded { ast, diagnostics, origin: Origin::Source, unusable })
            }
            Err(diagnostic) => Err(LoadError::NotText { bytes, diagnostic }),
        }
    }

    /// The manifest at this absolute path, by the name of the path alone; none if it belongs to nobody here.
    ///
    /// It is what [`Environment::manifests`] would find there, without looking at anything else than the
    /// directories of modules of the same name.
    pub fn manifest(&self, path: &Path) -> Option<Manifest> {
        let home = self.home(path);
        // The innermost directory decides where one lies in another.
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

    /// The first directory of this name on the module path; none for the name that stands for the environment.
    fn module_directory(&self, name: &str) -> Option<PathBuf> {
        let mut directories = self.modulepath.iter().map(|entry| entry.join(name));
        directories.find(|directory| directory.is_dir()).filter(|_| name != RESERVED)
    }
}
