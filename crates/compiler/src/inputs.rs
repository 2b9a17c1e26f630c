//! The one door for inputs.
//!
//! Everything that a compilation reads from outside passes [`Inputs`]: manifests, functions, types, templates, files,
//! data, the clock, programs. It can record every question with a digest of its answer ([`Record`]).

use std::io;
use std::path::{Path, PathBuf};
use std::rc::Rc;
use std::sync::Arc;
use std::time::{Duration, Instant};

use kukla_base::Symbol;
use kukla_foreign::{NeedsRuby, Render};
use kukla_lookup::Layers;
use kukla_pcore::Type;
use kukla_world::{
    Answer, Atom, Change, Kind, MAX_FILE, NameQuery, NameReply, Program, Reads, Record, Recording,
    RunError, World, clock,
};

use crate::Eval;
use crate::library::{
    FunctionRef, InlineMethod, Library, Manifest, ModuleFolder, NameKind, ResourceType,
};
use crate::source::Refusal;

/// The time that a program may take where the compilation has no deadline. Puppet waits for ever.
const MAX_RUN: Duration = Duration::from_secs(300);

/// The way to everything outside of a compilation.
#[derive(Debug)]
pub struct Inputs {
    library: Arc<dyn Library>,
    record: Rc<Record>,
    /// The time at which programs are killed.
    deadline: Option<Instant>,
}

impl Inputs {
    /// Inputs of a library; what is read is noted in a record.
    pub(crate) fn new(library: Arc<dyn Library>, record: Rc<Record>) -> Self {
        Self { library, record, deadline: None }
    }

    /// Sets the time at which programs are killed.
    pub(crate) fn set_deadline(&mut self, deadline: Option<Instant>) {
        self.deadline = deadline;
    }

    /// Returns the record.
    pub(crate) const fn record(&self) -> &Rc<Record> {
        &self.record
    }

    /// Starts to record.
    pub(crate) fn set_record(&mut self, record: Rc<Record>) {
        self.record = record;
    }

    /// Notes the questions behind a cached value.
    #[inline]
    pub(crate) fn replay(&self, reads: &Arc<Reads>) {
        if self.record.is_on() {
            self.record.replay(reads);
        }
    }

    /// Returns whether questions are recorded.
    #[inline]
    pub(crate) fn is_recording(&self) -> bool {
        self.record.is_on()
    }

    /// Returns the world that notes its questions.
    fn world(&self) -> Recording<'_> {
        Recording::new(self.library.world(), &self.record)
    }

    pub(crate) fn function(&self, name: Symbol, module: &str) -> Eval<Option<FunctionRef>> {
        self.library.function(name, module, &self.record)
    }

    pub(crate) fn may_have_function(&self, name: &str, module: &str) -> bool {
        self.library.may_have_function(name, module, &self.record)
    }

    pub(crate) fn old_function(&self, name: &str) -> Option<FunctionRef> {
        self.library.old_function(name, &self.record)
    }

    pub(crate) fn type_(&self, name: &str) -> Option<Type> {
        self.library.type_(name, &self.record)
    }

    pub(crate) fn refused_type(&self, name: &str) -> Option<Refusal> {
        self.library.refused_type(name, &self.record)
    }

    pub(crate) fn method(&self, type_: &str, name: Symbol) -> Option<FunctionRef> {
        self.library.method(type_, name, &self.record)
    }

    pub(crate) fn inline_method(&self, method: &InlineMethod<'_>) -> Option<FunctionRef> {
        self.library.inline_method(method)
    }

    pub(crate) fn manifest(&self, path: &str) -> Option<Eval<Arc<Manifest>>> {
        self.library.manifest(path, &self.record)
    }

    pub(crate) fn resource_type(&self, name: &str) -> Option<Arc<ResourceType>> {
        self.library.resource_type(name, &self.record)
    }

    pub(crate) fn erb(&self, path: &str) -> io::Result<Result<Arc<dyn Render>, NeedsRuby>> {
        self.library.erb(path, &self.record)
    }

    pub(crate) fn inline_erb(&self, text: &str) -> Result<Arc<dyn Render>, NeedsRuby> {
        self.library.inline_erb(text)
    }

    pub(crate) fn ruby_file(&self, name: &str) -> Option<(String, String)> {
        self.library.ruby_file(name, &self.record)
    }

    /// Returns all names of a kind, for advice; advice is no part of a result, so nothing is noted.
    pub(crate) fn names(&self, kind: NameKind) -> Vec<String> {
        self.library.names(kind)
    }

    pub(crate) fn data(&self) -> Option<Arc<Layers>> {
        self.library.data()
    }

    /// Returns the path of `module/file`, or the path itself if it is absolute; `None` if there is no such module or
    /// file.
    pub fn find(&self, folder: ModuleFolder, reference: &str) -> Option<String> {
        if Path::new(reference).is_absolute() {
            return Some(reference.to_owned());
        }
        self.library.find_file(folder, reference, &self.record)
    }

    /// Returns the directory of a module.
    pub fn module_directory(&self, name: &str) -> Option<String> {
        self.library.module_directory(name, &self.record)
    }

    /// Returns whether a path leads to anything.
    pub fn exists(&self, path: &str) -> bool {
        self.world().exists(path)
    }

    /// Reads a file.
    pub fn read(&self, path: &str) -> io::Result<Vec<u8>> {
        Ok(self.world().read(path, MAX_FILE)?.bytes.to_vec())
    }

    /// Returns the world as it is now, for state that code changes itself; the record notes that it may change.
    fn state(&self, path: &str) -> &dyn World {
        self.record.note_now(|| Atom::new(Kind::Ruby, path, Answer::Volatile));
        let world = self.library.world();
        world.live().unwrap_or(world)
    }

    /// Returns whether a path leads to state that was written.
    pub(crate) fn state_exists(&self, path: &str) -> bool {
        self.state(path).exists(path)
    }

    /// Reads state that was written.
    pub(crate) fn read_state(&self, path: &str) -> io::Result<Vec<u8>> {
        Ok(self.state(path).read(path, MAX_FILE)?.bytes.to_vec())
    }

    /// Changes the state below a directory.
    pub(crate) fn change_state(&self, root: &str, change: &Change<'_>) -> io::Result<()> {
        self.state(root).change(root, change)
    }

    /// Returns whether a path leads to a directory, now if it is state.
    pub(crate) fn is_directory(&self, path: &str, is_state: bool) -> bool {
        match is_state {
            true => self.state(path).is_directory(path),
            false => self.world().is_directory(path),
        }
    }

    /// Returns the number of the user who owns what a path leads to.
    pub(crate) fn owner(&self, path: &str) -> Option<u32> {
        self.state(path).owner(path)
    }

    /// Returns the time in nanoseconds since 1970.
    pub fn now(&self) -> i128 {
        self.world().now()
    }

    /// Returns bytes that can't be guessed.
    pub fn random(&self, n: usize) -> Option<Vec<u8>> {
        self.world().random(n).ok()
    }

    /// Asks a name server; `None` if it does not answer.
    pub fn ask_name_server(&self, query: &NameQuery) -> Option<NameReply> {
        self.world().ask_name_server(query).ok()
    }

    /// Runs a program in its own directory and returns what it printed, standard error included.
    pub fn execute(&self, command: &[String]) -> Result<String, ExecuteError> {
        let [path, arguments @ ..] = command else { return Err(ExecuteError::Unavailable) };
        let path = PathBuf::from(path);
        let directory = path.parent().unwrap_or(Path::new("/")).to_owned();
        let program = Program {
            path,
            arguments: arguments.to_vec(),
            directory: Some(directory.clone()),
            environment: Vec::new(),
            input: Vec::new(),
            merges_errors: true,
            deadline: self.deadline.or_else(|| clock::deadline(MAX_RUN)),
        };
        let text = |output: &[u8]| String::from_utf8_lossy(output).into_owned();
        match self.world().run(&program) {
            Ok(output) => Ok(text(&output)),
            Err(RunError::Unavailable) => Err(ExecuteError::Unavailable),
            Err(_) if !self.world().is_directory(&directory.to_string_lossy()) => {
                Err(ExecuteError::NoDirectory(directory.display().to_string()))
            }
            Err(RunError::Failed { status, output, .. }) => {
                Err(ExecuteError::Failed { status: status.unwrap_or(1), output: text(&output) })
            }
            Err(RunError::NotStarted(_)) => {
                Err(ExecuteError::Failed { status: 1, output: String::new() })
            }
            Err(error @ (RunError::TimedOut | RunError::Stopped(_) | RunError::TooMuchOutput)) => {
                Err(ExecuteError::Limit(error.to_string()))
            }
        }
    }
}

/// The reasons why a program has no output. Functions branch on what Puppet says differently.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum ExecuteError {
    /// Programs can't be run here.
    Unavailable,
    /// There is no such directory.
    NoDirectory(String),
    /// It ended with another status than 0.
    Failed {
        /// The status.
        status: i32,
        /// Its output.
        output: String,
    },
    /// It was killed at its deadline, or because it printed too much.
    Limit(String),
}
