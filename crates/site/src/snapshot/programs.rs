//! Manifests: those of modules, found by name, and the initial ones.

use std::path::{Path, PathBuf};
use std::sync::{Arc, PoisonError};

use kukla_compiler::log::Entry;
use kukla_compiler::source::{self, Refusal};
use kukla_compiler::{Eval, Manifest, Parsed, Place, Program, Stop, issues};
use kukla_syntax::{Checked, Home, Options as SyntaxOptions};
use kukla_xpp::tree;

use kukla_world::{ContentCache, ContentKey, MAX_FILE, Record, World};

use super::{Code, Manifests, Options, Snapshot};
use crate::load::{LoadError, Loaded, Unusable, Warning, Xpp};

impl Snapshot {
    /// Returns the manifest at `module/rest`, which should define `module::rest`.
    pub(crate) fn find_manifest(&self, path: &str, record: &Record) -> Option<Eval<Arc<Manifest>>> {
        let manifest = self.manifests.get_or(path, record, |record| {
            let (module, rest) = path.split_once('/')?;
            self.read_module_manifest(module, rest, record)
        });
        manifest.map(|read| read.map_err(Stop::refused))
    }

    fn read_module_manifest(
        &self,
        module: &str,
        rest: &str,
        record: &Record,
    ) -> Option<Result<Arc<Manifest>, Refusal>> {
        let found = self.module(module, record)?;
        let rest = if rest.is_empty() { "init" } else { rest };
        let path = found.path.join("manifests").join(format!("{rest}.pp"));
        self.recording(record)
            .is_file(&path.to_string_lossy())
            .then(|| self.read_manifest(&path, module, record))
    }

    /// Reads a manifest of a module; the module is empty for manifests of the environment itself.
    pub(crate) fn read_manifest(
        &self,
        path: &Path,
        module: &str,
        record: &Record,
    ) -> Result<Arc<Manifest>, Refusal> {
        let mut log = Vec::new();
        let program = self.read_program(path, module, &mut log, record)?;
        Ok(Arc::new(Manifest::new(program, module, log, self.options.edition)))
    }

    /// Returns the program of a file: from its serialized tree if the setting `xpp` is on, or from its source.
    pub(crate) fn read_program(
        &self,
        path: &Path,
        module: &str,
        log: &mut Vec<Entry>,
        record: &Record,
    ) -> Result<Arc<Program>, Refusal> {
        let file = path.to_string_lossy().into_owned();
        let manifest = self.manifest_at(path, module);
        if self.options.xpp == Xpp::Off {
            let parsed = self.shared_tree(&manifest, record);
            return match parsed {
                Ok(parsed) => Ok(Program::of(parsed, &file, module)),
                Err(loaded) => self.accept(*loaded, &file, module, log),
            };
        }
        // Files outside of the environment and its modules have no serialized tree.
        let xpp = if manifest.module.is_empty() { Xpp::Off } else { self.options.xpp };
        let loaded = self.load(&manifest, xpp, record);
        self.accept(loaded, &file, module, log)
    }

    /// Returns the tree that all manifests of the same text share, if it has no diagnostics.
    ///
    /// A tree does not know its path. Only diagnostics name it, so a text that has some is not shared.
    fn shared_tree(
        &self,
        manifest: &tree::Manifest,
        record: &Record,
    ) -> Result<Arc<Parsed>, Box<Result<Loaded, LoadError>>> {
        let Options { strict, edition, .. } = &self.options;
        let world = self.recording(record);
        let bytes = world.read(&manifest.path.to_string_lossy(), MAX_FILE);
        let bytes = bytes.map_err(|error| Box::new(Err(LoadError::Unreadable(error))))?.bytes;
        let key = ContentKey::new("manifest")
            .with(format!("{strict:?} {edition:?} {:?}", manifest.home).as_bytes())
            .with(&bytes);
        ContentCache::of_process().get_or(&key, || match self.load(manifest, Xpp::Off, record) {
            Ok(Loaded { ast, diagnostics, .. }) if diagnostics.is_empty() => {
                let parsed = Arc::new(Parsed::new(ast));
                let size = parsed.size();
                Ok((parsed, size))
            }
            loaded => Err(Box::new(loaded)),
        })
    }

    /// Loads a manifest with the options of the environment.
    fn load(
        &self,
        manifest: &tree::Manifest,
        xpp: Xpp,
        record: &Record,
    ) -> Result<Loaded, LoadError> {
        let Options { strict, edition, .. } = self.options;
        self.environment.load(manifest, xpp, strict, edition, &self.recording(record))
    }

    /// Returns the program of a loaded manifest, or the reason why there is none.
    fn accept(
        &self,
        loaded: Result<Loaded, LoadError>,
        file: &str,
        module: &str,
        log: &mut Vec<Entry>,
    ) -> Result<Arc<Program>, Refusal> {
        let Loaded { ast, diagnostics, unusable, .. } = loaded.map_err(|error| match error {
            LoadError::Unreadable(error) => unreadable(file, &error),
            LoadError::NotText { diagnostic, .. } => {
                let place = Place { file: file.into(), line: 0, column: 0 };
                Refusal::of_file(issues::of_diagnostic(&diagnostic), Some(place))
            }
        })?;
        unusable.iter().for_each(|unusable| self.warn(unusable));
        source::accepted(Checked { ast, diagnostics }, file, module, log)
    }

    /// Warns about a file once, even if several threads load it at the same time.
    fn warn(&self, unusable: &Unusable) {
        let mut warned = self.warned.lock().unwrap_or_else(PoisonError::into_inner);
        if warned.insert(unusable.path.clone()) {
            self.options.warn.warn(&Warning::Manifest(unusable.clone()));
        }
    }

    /// Returns the manifest at a path. Code of the environment itself may define any name.
    fn manifest_at(&self, path: &Path, module: &str) -> tree::Manifest {
        let found = match self.options.xpp {
            Xpp::On => self.environment.manifest(path),
            Xpp::Off => None,
        };
        let home = match module.is_empty() {
            true => Home::Anywhere,
            false => self.environment.home(path),
        };
        match found {
            Some(found) => tree::Manifest { home, ..found },
            None => tree::Manifest {
                path: path.to_owned(),
                module: String::new(),
                rest: PathBuf::new(),
                home,
            },
        }
    }

    /// Returns the initial manifests: one file, or all of a directory in the order of their paths.
    ///
    /// A missing path means that there are none.
    pub(crate) fn main_manifests(&self, record: &Record) -> Result<Manifests, Refusal> {
        self.main.get_or(&(), record, |record| self.read_main_manifests(record))
    }

    fn read_main_manifests(&self, record: &Record) -> Result<Manifests, Refusal> {
        let path = &self.environment.manifest;
        let world = self.recording(record);
        if world.is_file(&path.to_string_lossy()) {
            return Ok([self.read_manifest(path, "", record)?].into());
        }
        // A path that is neither a file nor a directory is an error, not an empty directory.
        if world.exists(&path.to_string_lossy()) && !world.is_directory(&path.to_string_lossy()) {
            return Ok([self.read_manifest(path, "", record)?].into());
        }
        let mut files = Vec::new();
        collect(path, &mut files, 0, &world);
        files.sort();
        files.iter().map(|file| self.read_manifest(file, "", record)).collect()
    }

    /// Returns the program for a text that replaces the initial manifests.
    pub(crate) fn code_manifest(&self, code: &str, file: &str) -> Result<Manifests, Refusal> {
        let last = || self.code.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(known) = &*last()
            && known.text == code
            && known.file == file
        {
            return Ok([Arc::clone(&known.manifest)].into());
        }
        let mut log = Vec::new();
        let options = SyntaxOptions {
            strict: self.options.strict,
            edition: self.options.edition,
            file: file.to_owned(),
            ..SyntaxOptions::default()
        };
        let program = source::program(code, &options, &mut log)?;
        let manifest = Arc::new(Manifest::new(program, "", log, self.options.edition));
        let (text, file) = (code.to_owned(), file.to_owned());
        *last() = Some(Code { text, file, manifest: Arc::clone(&manifest) });
        Ok([manifest].into())
    }
}

/// The maximum depth of nested directories.
const MAX_DEPTH: usize = 64;

fn collect(directory: &Path, files: &mut Vec<PathBuf>, depth: usize, world: &dyn World) {
    for name in world.list(&directory.to_string_lossy()) {
        let path = directory.join(name);
        if world.is_directory(&path.to_string_lossy()) {
            if depth < MAX_DEPTH {
                collect(&path, files, depth + 1, world);
            }
        } else if path.extension().is_some_and(|extension| extension == "pp") {
            files.push(path);
        }
    }
}

/// Returns Puppet's error for a file that can't be read.
fn unreadable(file: &str, error: &std::io::Error) -> Refusal {
    let message = match error.kind() {
        std::io::ErrorKind::PermissionDenied => {
            format!("Permission denied @ rb_sysopen - {file}")
        }
        _ => format!("{error} - {file}"),
    };
    Refusal::of_file(issues::unreadable_file(message), None)
}
