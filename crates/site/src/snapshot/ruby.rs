//! The Ruby of modules: what the interpreter runs, and what is left to a real Ruby.
//!
//! That is decided for each file before anything of it runs.

use std::path::Path;
use std::sync::{Arc, OnceLock};

use crate::Environment;
use kukla_base::Symbol;
use kukla_compiler::RubyFunction;
use kukla_foreign::{NeedsRuby, Render, RunFunctions};
use kukla_ruby::{FunctionFile, Sources, Template};
use kukla_worker::{Config, Pool, Ruby};

use kukla_world::{Answer, Atom, Kind, Record, World};

use super::fallback;
use super::module::Module;
use super::{Options, Snapshot};

/// Why a real Ruby runs what the interpreter knows.
const ALWAYS: &str = "the setting ruby_worker is always";

/// Puppet's users know it as the setting `ruby_worker`: which Ruby code a real Ruby runs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum RubyWorker {
    /// None.
    Off,
    /// What the interpreter does not know.
    #[default]
    Auto,
    /// All, to compare.
    Always,
}

impl RubyWorker {
    /// The value of a setting.
    pub fn named(name: &str) -> Option<Self> {
        match name {
            "off" => Some(Self::Off),
            "auto" => Some(Self::Auto),
            "always" => Some(Self::Always),
            _ => None,
        }
    }
}

/// Real Rubies, if they may be used.
#[derive(Debug)]
pub(crate) struct Workers {
    mode: RubyWorker,
    pool: Arc<Pool>,
}

impl Workers {
    pub(crate) fn new(
        environment: &Environment,
        options: &Options,
        modules: &[Module],
        world: &dyn World,
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
        Self { mode: options.ruby_worker, pool: Arc::new(Pool::new(config)) }
    }

    /// The pool for something that the interpreter does not know for a reason; else why it can't be run.
    pub(crate) fn pool(&self, reason: &str) -> Result<&Arc<Pool>, String> {
        if self.mode == RubyWorker::Off {
            return Err(format!("{reason}, and the setting ruby_worker is off"));
        }
        match self.pool.ruby() {
            Ok(_) => Ok(&self.pool),
            Err(error) => Err(format!("{reason}, and {error}")),
        }
    }
}

impl Snapshot {
    /// Which Ruby is at hand for what the interpreter does not know; `None` if it may not be used.
    pub fn ruby(&self) -> Option<Result<Ruby, String>> {
        match self.workers.mode {
            RubyWorker::Off => None,
            _ => Some(self.workers.pool.ruby().map_err(|error| error.to_string())),
        }
    }

    pub(crate) fn may_ask_ruby(&self) -> bool {
        self.workers.mode != RubyWorker::Off
    }

    pub(crate) fn always_by_worker(&self) -> bool {
        self.workers.mode == RubyWorker::Always
    }

    /// The function of a file, and who runs it; the reason says why not Kukla itself.
    pub(crate) fn read_ruby_function(
        &self,
        name: Symbol,
        path: &Path,
        record: &Record,
    ) -> Result<(RubyFunction, Option<String>), String> {
        let (file, reason) = match self.interpreted(path, record) {
            Ok(file) if !self.always_by_worker() => (file, None),
            found => {
                let reason = found.err().unwrap_or_else(|| ALWAYS.to_owned());
                note_ruby(record, &path.to_string_lossy());
                let pool = self.workers.pool(&reason)?;
                let file = kukla_worker::FunctionFile::read(pool, &path.to_string_lossy())
                    .map_err(|error| format!("{reason}, and loading it fails: {error}"))?;
                (Arc::new(file) as Arc<dyn RunFunctions>, Some(reason))
            }
        };
        let function = RubyFunction::new(name, file);
        Ok((function.ok_or_else(|| "it defines another function".to_owned())?, reason))
    }

    fn interpreted(&self, path: &Path, record: &Record) -> Result<Arc<dyn RunFunctions>, String> {
        let path = path.to_string_lossy();
        let text = self.recording(record).read_text(&path).map_err(|error| error.to_string())?;
        let own = FunctionFile::read(&path, &text, &mut RubyFiles(self, record));
        let own = own.map_err(|unsupported| unsupported.to_string())?;
        if !self.may_ask_ruby() {
            return Ok(Arc::new(own));
        }
        let (path, pool) = (path.into_owned(), Arc::clone(&self.workers.pool));
        Ok(Arc::new(fallback::Functions { own, path, pool, real: OnceLock::new() }))
    }

    /// A template of a file or of a text, or why it can't be rendered.
    pub(crate) fn template(
        &self,
        path: Option<&str>,
        text: &str,
    ) -> Result<Arc<dyn Render>, NeedsRuby> {
        self.read_template(path, text).map(|(template, _)| template).map_err(NeedsRuby::new)
    }

    /// A template, and why Kukla itself does not render it.
    pub(crate) fn read_template(
        &self,
        path: Option<&str>,
        text: &str,
    ) -> Result<(Arc<dyn Render>, Option<String>), String> {
        let reason = match Template::parse(path, text) {
            Ok(own) if !self.always_by_worker() => {
                if !self.may_ask_ruby() {
                    return Ok((Arc::new(own), None));
                }
                let real = kukla_worker::Template::new(&self.workers.pool, path, text);
                return Ok((Arc::new(fallback::Template { own, real }), None));
            }
            Ok(_) => ALWAYS.to_owned(),
            Err(unsupported) => unsupported.to_string(),
        };
        let pool = self.workers.pool(&reason)?;
        let template = kukla_worker::Template::new(pool, path, text);
        Ok((Arc::new(template), Some(reason)))
    }
}

/// Notes that a real Ruby runs a file, which may read anything.
fn note_ruby(record: &Record, path: &str) {
    record.note_now(|| Atom::new(Kind::Ruby, path, Answer::Volatile));
}

struct RubyFiles<'a>(&'a Snapshot, &'a Record);

impl Sources for RubyFiles<'_> {
    fn ruby_file(&mut self, name: &str) -> Option<(String, String)> {
        self.0.find_ruby_file(name, self.1)
    }
}
