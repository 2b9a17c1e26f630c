//! Ruby code of modules: the interpreter runs most of it, real Ruby the rest.
//!
//! The choice is made per file, before any of its code runs.

use std::fmt::Display;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, OnceLock};

use crate::{Environment, Warn, Warning};
use kukla_base::{Digest, Symbol};
use kukla_compiler::RubyFunction;
use kukla_foreign::{NeedsRuby, Render, RunFunctions, Unsupported};
use kukla_ruby::{FunctionFile, RequiredFiles, Template};
use kukla_worker::{Config, Pool, Ruby, WorkerError};

use kukla_world::{Answer, Atom, ContentCache, ContentKey, Kind, Record, SharedWorld, World};

use super::fallback;
use super::module::Module;
use super::ruby_need::{CannotRun, NoWorker, RubyNeed};
use super::{Options, Snapshot};

/// The maximum depth of nested directories.
const MAX_DEPTH: usize = 16;

/// The approximate number of bytes of a syntax tree per byte of Ruby source.
const RUBY_BYTES: usize = 20;

/// The setting `ruby_worker`: the Ruby code that a real Ruby runs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum RubyWorker {
    /// No code.
    Off,
    /// Code that the interpreter does not support.
    #[default]
    Auto,
    /// All code, for comparisons.
    Always,
}

impl RubyWorker {
    /// Returns the value of a setting.
    pub fn named(name: &str) -> Option<Self> {
        match name {
            "off" => Some(Self::Off),
            "auto" => Some(Self::Auto),
            "always" => Some(Self::Always),
            _ => None,
        }
    }
}

/// A report that a processor did not take; the reason.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct ProcessorError(String);

impl ProcessorError {
    /// Makes an error from its reason.
    pub fn new(reason: impl Display) -> Self {
        Self(reason.to_string())
    }
}

/// Real Rubies, if they may be used.
#[derive(Debug)]
pub(crate) struct Workers {
    mode: RubyWorker,
    pool: Arc<Pool>,
    notice: Arc<Notice>,
}

/// Warns once about the first use of real Ruby: starting it takes a second, the interpreter starts at once.
#[derive(Debug)]
pub(crate) struct Notice {
    warn: Warn,
    is_given: AtomicBool,
}

impl Notice {
    /// Warns that real Ruby runs a file, or a text without one, unless a warning was given before.
    pub(crate) fn give(&self, path: Option<&str>, reason: &dyn Display) {
        if self.is_given.swap(true, Ordering::Relaxed) {
            return;
        }
        let (path, reason) = (path.map(str::to_owned), reason.to_string());
        self.warn.warn(&Warning::Ruby { path, reason });
    }
}

impl Workers {
    pub(crate) fn new(
        environment: &Environment,
        options: &Options,
        modules: &[Module],
        world: &SharedWorld,
    ) -> Self {
        let libraries = modules.iter().map(|module| module.path.join("lib"));
        let default = Config::default();
        let command = match options.ruby_command.as_slice() {
            [] => default.command,
            command => command.to_vec(),
        };
        let config = Config {
            command,
            environment: options.name.clone(),
            modulepath: environment.modulepath.clone(),
            libraries: libraries
                .filter(|path| world.is_directory(&path.to_string_lossy()))
                .collect(),
            ..default
        };
        let (libraries, world) = (config.libraries.clone(), Arc::clone(world));
        let pool = Pool::new(config, move || code_stamp(&libraries, &*world));
        let notice = Notice { warn: options.warn.clone(), is_given: AtomicBool::new(false) };
        Self { mode: options.ruby_worker, pool: Arc::new(pool), notice: Arc::new(notice) }
    }

    /// Warns about code that real Ruby runs, unless it runs everything.
    pub(crate) fn notice(&self, path: Option<&str>, need: Option<&RubyNeed>) {
        if let Some(need) = need.filter(|need| !matches!(need, RubyNeed::Always)) {
            self.notice.give(path, need);
        }
    }

    /// Returns the pool if a real Ruby may be used and can be started.
    pub(crate) fn pool(&self) -> Result<&Arc<Pool>, NoWorker> {
        if self.mode == RubyWorker::Off {
            return Err(NoWorker::Off);
        }
        self.pool.ruby()?;
        Ok(&self.pool)
    }
}

impl Snapshot {
    /// Returns the real Ruby for code that the interpreter does not support; `None` if it may not be used.
    pub fn ruby(&self) -> Option<Result<Ruby, WorkerError>> {
        match self.workers.mode {
            RubyWorker::Off => None,
            RubyWorker::Auto | RubyWorker::Always => Some(self.workers.pool.ruby()),
        }
    }

    /// Hands a report, as an agent sends it, to a report processor of the modules, which is Ruby code.
    pub fn process_report(
        &self,
        processor: &str,
        json: &str,
        settings: &[(String, String)],
    ) -> Result<(), ProcessorError> {
        let pool = self.workers.pool().map_err(|error| ProcessorError(error.to_string()))?;
        let processed = pool.process_report(processor, json, settings);
        processed.map_err(|error| ProcessorError(error.message))
    }

    pub(crate) fn may_ask_ruby(&self) -> bool {
        self.workers.mode != RubyWorker::Off
    }

    pub(crate) fn always_by_worker(&self) -> bool {
        self.workers.mode == RubyWorker::Always
    }

    /// Returns the function of a file, and the reason why a real Ruby runs it; `None` if the interpreter does.
    pub(crate) fn read_ruby_function(
        &self,
        name: Symbol,
        path: &Path,
        record: &Record,
    ) -> Result<(RubyFunction, Option<RubyNeed>), CannotRun> {
        let (file, need) = match self.interpreted(path, record) {
            Ok(file) if !self.always_by_worker() => (file, None),
            interpreted => {
                let need = interpreted.err().unwrap_or(RubyNeed::Always);
                note_ruby(record, &path.to_string_lossy());
                let pool = match self.workers.pool() {
                    Ok(pool) => pool,
                    Err(error) => return Err(CannotRun::NoWorker { need, error }),
                };
                match kukla_worker::FunctionFile::read(pool, &path.to_string_lossy()) {
                    Ok(file) => (Arc::new(file) as Arc<dyn RunFunctions>, Some(need)),
                    Err(error) => {
                        return Err(CannotRun::NotLoaded { need, error: Box::new(error) });
                    }
                }
            }
        };
        let function = RubyFunction::new(name, file);
        Ok((function.ok_or(CannotRun::OtherFunction)?, need))
    }

    fn interpreted(&self, path: &Path, record: &Record) -> Result<Arc<dyn RunFunctions>, RubyNeed> {
        let path = path.to_string_lossy();
        let text = self.recording(record).read_text(&path)?;
        let own = self.function_file(&path, &text, record)?;
        if !self.may_ask_ruby() {
            return Ok(Arc::new(own));
        }
        let (path, pool) = (path.into_owned(), Arc::clone(&self.workers.pool));
        let notice = Arc::clone(&self.workers.notice);
        Ok(Arc::new(fallback::Functions { own, path, pool, notice, real: OnceLock::new() }))
    }

    /// Reads a file of functions. One that requires no other is shared by all snapshots that have it at this path,
    /// which backtraces name.
    fn function_file(
        &self,
        path: &str,
        text: &str,
        record: &Record,
    ) -> Result<FunctionFile, Unsupported> {
        let key = ContentKey::new("functions").with(path.as_bytes()).with(text.as_bytes());
        let shared = ContentCache::of_process().get_or(&key, || {
            let file = FunctionFile::read(path, text, &mut RubyFiles(self, record));
            let file = file.map_err(Err)?;
            match file.requires_others() {
                true => Err(Ok(file)),
                false => Ok((Arc::new(file), text.len() * RUBY_BYTES)),
            }
        });
        match shared {
            Ok(file) => Ok(FunctionFile::clone(&file)),
            Err(own) => own,
        }
    }

    /// Returns a template of a file or of a text, or the reason why it can't be rendered.
    pub(crate) fn template(
        &self,
        path: Option<&str>,
        text: &str,
    ) -> Result<Arc<dyn Render>, NeedsRuby> {
        let template = self.read_template(path, text).map(|(template, need)| {
            self.workers.notice(path, need.as_ref());
            template
        });
        template.map_err(|error| NeedsRuby::new(error.to_string()))
    }

    /// Returns a template, and the reason why a real Ruby renders it; `None` if the interpreter does.
    pub(crate) fn read_template(
        &self,
        path: Option<&str>,
        text: &str,
    ) -> Result<(Arc<dyn Render>, Option<RubyNeed>), CannotRun> {
        let need = match shared_template(path, text) {
            Ok(own) if !self.always_by_worker() => {
                if !self.may_ask_ruby() {
                    return Ok((Arc::new(own), None));
                }
                let real = kukla_worker::Template::new(&self.workers.pool, path, text);
                let (path, notice) = (path.map(str::to_owned), Arc::clone(&self.workers.notice));
                return Ok((Arc::new(fallback::Template { own, path, real, notice }), None));
            }
            Ok(_) => RubyNeed::Always,
            Err(unsupported) => RubyNeed::Unsupported(unsupported),
        };
        match self.workers.pool() {
            Ok(pool) => Ok((Arc::new(kukla_worker::Template::new(pool, path, text)), Some(need))),
            Err(error) => Err(CannotRun::NoWorker { need, error }),
        }
    }
}

/// Returns the paths and stamps of all Ruby files of modules: a process that has loaded other files can't be reused.
fn code_stamp(libraries: &[PathBuf], world: &dyn World) -> String {
    let mut text = String::new();
    let mut open: Vec<(PathBuf, usize)> =
        libraries.iter().map(|library| (library.clone(), 0)).collect();
    while let Some((directory, depth)) = open.pop() {
        for name in world.list(&directory.to_string_lossy()) {
            let path = directory.join(name);
            let Some(stamp) = world.stamp(&path.to_string_lossy()) else { continue };
            match stamp.is_directory() {
                true if depth < MAX_DEPTH => open.push((path, depth + 1)),
                true => (),
                false => text.extend([&*path.to_string_lossy(), &format!(" {stamp:?}\n")]),
            }
        }
    }
    Digest::of(text.as_bytes()).to_string()
}

/// Reads a template, which is shared by all snapshots that have it at this path: backtraces name the path.
fn shared_template(path: Option<&str>, text: &str) -> Result<Template, Unsupported> {
    let file = path.unwrap_or_default();
    let key = ContentKey::new("erb").with(file.as_bytes()).with(text.as_bytes());
    let shared = ContentCache::of_process().get_or(&key, || {
        let template = Template::parse(path, text)?;
        Ok::<_, Unsupported>((Arc::new(template), text.len() * RUBY_BYTES))
    });
    shared.map(|template| Template::clone(&template))
}

/// Records that a real Ruby runs a file, which may read anything.
fn note_ruby(record: &Record, path: &str) {
    record.note_now(|| Atom::new(Kind::Ruby, path, Answer::Volatile));
}

pub(super) struct RubyFiles<'a>(pub(super) &'a Snapshot, pub(super) &'a Record);

impl RequiredFiles for RubyFiles<'_> {
    fn ruby_file(&mut self, name: &str) -> Option<(String, String)> {
        self.0.find_ruby_file(name, self.1)
    }
}
