//! Programs that are replaced while in use.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, SystemTime};

use arc_swap::{ArcSwap, Guard};
use kukla_base::Source;
use kukla_plang::check::Options;
use kukla_plang::compiled::Compiled;
use kukla_plang::files::Sources;
use kukla_plang::module::Protocol;
use kukla_plang::program::Node;
use kukla_plang::verdict::Outcome;
use kukla_plang::{Program, check_bytes};
use sha2::{Digest as _, Sha256};

use crate::files::{Folder, read_regular};
use crate::services::{Directory, RegistrySource, SourceError};
use crate::slow::Runs;

/// A program in use.
#[derive(Debug)]
pub struct Live {
    /// The compiled program.
    pub compiled: Compiled,
    /// Its text and that of imported files, for line numbers.
    pub sources: Sources,
    /// Version number, from 1.
    pub version: u64,
    /// Whether the program looks at bodies, or applies services that may.
    pub needs_body: bool,
    /// The digest of the program's text, of all files that it imports, and of the registry.
    pub digest: String,
    /// Its runs.
    pub(crate) runs: Runs,
    /// The services that it can apply, if the registry is a file.
    pub directory: Option<Arc<Directory>>,
    /// The files that it was read from, the program first.
    files: Vec<PathBuf>,
    /// Stamps of these files when they were read.
    stamps: Vec<Stamp>,
}

/// A program loaded from a file, and reloaded when the file changes.
#[derive(Debug)]
pub struct Rules {
    path: PathBuf,
    options: Options,
    registry: Option<Arc<RegistrySource>>,
    live: ArcSwap<Live>,
    /// A shadow program, which runs without effect.
    pub shadow: Option<Box<Rules>>,
}

/// Reason why a program is not used.
#[derive(Debug)]
pub enum RulesError {
    /// The file can't be read.
    Unreadable(std::io::Error),
    /// It has errors: the first message, and their number.
    Invalid(String, usize),
    /// It processes messages of another protocol than HTTP.
    Protocol(Protocol),
    /// The registry of its services can't be used.
    Registry(SourceError),
}

impl std::fmt::Display for RulesError {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Unreadable(error) => error.fmt(out),
            Self::Registry(error) => error.fmt(out),
            Self::Protocol(own) => {
                write!(out, "it processes messages of {own}, but this door has those of HTTP")
            }
            Self::Invalid(first, 1) => write!(out, "{first}"),
            Self::Invalid(first, n) => write!(out, "{first} (and {} more errors)", n - 1),
        }
    }
}

impl std::error::Error for RulesError {}

impl Live {
    /// Returns the place of a decision: `policy.p:12`.
    pub fn place(&self, outcome: &Outcome<'_>) -> String {
        match self.file_and_line(outcome) {
            (file, None) => format!("{file}:end"),
            (file, Some(line)) => format!("{file}:{line}"),
        }
    }

    /// Returns the file and the line of a decision; without a line, no statement decided.
    pub fn file_and_line(&self, outcome: &Outcome<'_>) -> (String, Option<usize>) {
        match outcome.place {
            None => (self.sources.main().name().to_owned(), None),
            Some(node) => {
                let (source, span) = self.sources.at(self.compiled.program.span(node));
                (source.name().to_owned(), Some(source.line_column(span.start).line as usize))
            }
        }
    }
}

impl Rules {
    /// Loads a program, which must pass the check.
    pub fn open(path: &Path, options: Options) -> Result<Self, RulesError> {
        Self::open_with(path, options, None)
    }

    /// Loads a program with the services of a registry; the program is reloaded when that changes, too.
    pub fn open_with(
        path: &Path,
        options: Options,
        registry: Option<Arc<RegistrySource>>,
    ) -> Result<Self, RulesError> {
        let files = options.files.or_else(|| Some(Folder::of(path)));
        let options = Options { files, ..options };
        let live = load(path, &options, registry.as_deref(), 1)?;
        let live = ArcSwap::from_pointee(live);
        Ok(Self { path: path.to_owned(), options, registry, live, shadow: None })
    }

    /// Returns the current program. A caller can keep using it after a reload.
    ///
    /// No counter that threads share changes by that.
    pub fn live(&self) -> Guard<Arc<Live>> {
        self.live.load()
    }

    /// Reloads the program; one that fails the check is never used.
    pub fn reload(&self) -> Result<u64, RulesError> {
        let version = self.live().version + 1;
        let live = Arc::new(load(&self.path, &self.options, self.registry.as_deref(), version)?);
        self.live.store(live);
        Ok(version)
    }

    /// Polls the files, and calls `changed` with the result of each reload.
    pub async fn watch(&self, changed: impl Fn(&Path, Result<u64, RulesError>)) {
        let mut tried = Tried::default();
        loop {
            tokio::time::sleep(Duration::from_millis(200)).await;
            if let Some(result) = self.refresh(&mut tried) {
                changed(&self.path, result);
            }
        }
    }

    /// Reloads the program if its files have changed; `None`: they have not.
    pub fn refresh(&self, tried: &mut Tried) -> Option<Result<u64, RulesError>> {
        let live = self.live();
        let now = stamps(&live.files);
        // A missing file is about to be replaced.
        let is_new = now != live.stamps && tried.0.as_ref() != Some(&now);
        if !is_new || !now.iter().all(Option::is_some) {
            return None;
        }
        tried.0 = Some(now);
        Some(self.reload())
    }
}

/// The state of the files that was tried last: a version that failed the check is not tried again.
#[derive(Debug, Default)]
pub struct Tried(Option<Vec<Stamp>>);

/// Stamp of a file: modification time and size; None if the file is missing.
pub(crate) type Stamp = Option<(SystemTime, u64)>;

fn stamps(files: &[PathBuf]) -> Vec<Stamp> {
    files.iter().map(|path| stamp(path)).collect()
}

/// Returns the stamp of a file.
pub(crate) fn stamp(path: &Path) -> Stamp {
    let metadata = std::fs::metadata(path).ok()?;
    Some((metadata.modified().ok()?, metadata.len()))
}

fn load(
    path: &Path,
    options: &Options,
    registry: Option<&RegistrySource>,
    version: u64,
) -> Result<Live, RulesError> {
    // Taken before the file is read: a change in between causes another reload.
    let own_stamp = stamp(path);
    let bytes = read_regular(path).map_err(RulesError::Unreadable)?;
    let services =
        registry.map(RegistrySource::current).transpose().map_err(RulesError::Registry)?;
    let own = services.as_ref().map(|services| services.registry.clone());
    let options = Options { registry: own.or(options.registry.clone()), ..options.clone() };
    let checked = check_bytes(&bytes, &options);
    let source = Source::new(path.to_string_lossy(), String::from_utf8_lossy(&bytes));
    let sources = Sources::new(source, &checked.included);
    let folder = path.parent().unwrap_or(Path::new("")).to_owned();
    let included = checked.included.iter().map(|file| folder.join(&file.path));
    let mut files: Vec<PathBuf> = std::iter::once(path.to_owned()).chain(included).collect();
    let mut stamps = stamps(&files);
    stamps[0] = own_stamp;
    if let (Some(registry), Some(services)) = (registry, &services) {
        files.push(registry.path().to_owned());
        stamps.push(services.stamp);
    }
    match checked.program {
        Some(Program { protocol: Some(own), .. }) if own != Protocol::Http => {
            Err(RulesError::Protocol(own))
        }
        Some(program) => {
            let applies = program.nodes.iter().any(|node| matches!(node, Node::Apply { .. }));
            let needs_body = applies || program.preview > 0;
            let mut text = bytes;
            checked.included.iter().for_each(|file| text.extend_from_slice(file.text.as_bytes()));
            text.extend(services.iter().flat_map(|services| services.text.bytes()));
            let digest = data_encoding::HEXLOWER.encode(&Sha256::digest(&text)[..16]);
            let compiled = Compiled::new(program);
            let directory = services.map(|services| Arc::clone(&services.directory));
            let runs = Runs::default();
            Ok(Live {
                compiled,
                sources,
                version,
                needs_body,
                digest,
                runs,
                directory,
                files,
                stamps,
            })
        }
        None => {
            let mut errors = checked.diagnostics.iter().filter(|d| d.is_error());
            let n_errors = errors.clone().count();
            let first = errors.next().map_or_else(String::new, |error| {
                let (source, span) = sources.at(error.span);
                let (name, at) = (source.name(), source.line_column(span.start));
                format!("{name}, line {}, column {}: {}", at.line, at.column, error.message)
            });
            Err(RulesError::Invalid(first, n_errors))
        }
    }
}
