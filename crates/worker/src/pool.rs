//! Workers of one environment, among the workers of all environments.

use std::fmt;
use std::path::PathBuf;
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use kukla_pcore::{Hash, Value};

use crate::WorkerError;
use crate::message::{Said, request, text};
use crate::process::Process;
use crate::processes::{Key, Processes, Taken};

/// Options for starting workers.
#[derive(Clone, Debug)]
pub struct Config {
    /// The command, with its leading arguments.
    pub command: Vec<String>,
    /// The name of the environment.
    pub environment: String,
    /// Its module path.
    pub modulepath: Vec<PathBuf>,
    /// The directories `lib` of its modules, for `require`.
    pub libraries: Vec<PathBuf>,
    /// Whether to use Puppet's library if it is installed.
    pub with_puppet: bool,
    /// The deadline of a call, not counting the time in which it waits for callbacks.
    pub timeout: Duration,
}

impl Default for Config {
    fn default() -> Self {
        Self {
            command: vec!["ruby".to_owned()],
            environment: "production".to_owned(),
            modulepath: Vec::new(),
            libraries: Vec::new(),
            with_puppet: true,
            timeout: Duration::from_secs(30),
        }
    }
}

/// The time that a process may take to start; the deadline of the compilation that needs it may end it earlier.
const START: Duration = Duration::from_secs(30);

/// The version of a Ruby and of its Puppet library.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Ruby {
    /// Its version.
    pub version: String,
    /// The version of Puppet's library, if it is installed.
    pub puppet: Option<String>,
}

/// Returns a key that distinguishes the code of an environment from other code, such as paths and stamps of its files.
pub type CodeStamp = Box<dyn Fn() -> String + Send + Sync>;

/// A handle on processes with the Ruby code of one environment; they are started when they are needed.
///
/// Pools with the same configuration and the same code share their processes, so that those of an environment survive a
/// deploy that changes no Ruby.
pub struct Pool {
    config: Config,
    processes: Arc<Processes>,
    stamp: CodeStamp,
    key: OnceLock<Key>,
    ruby: OnceLock<Result<Ruby, WorkerError>>,
}

impl Pool {
    /// Creates a pool among the processes that all pools share. `stamp` is called once, when the first process is
    /// needed.
    pub fn new(config: Config, stamp: impl Fn() -> String + Send + Sync + 'static) -> Self {
        Self::among(Arc::clone(Processes::of_process()), config, stamp)
    }

    /// Creates a pool among some processes.
    pub fn among(
        processes: Arc<Processes>,
        config: Config,
        stamp: impl Fn() -> String + Send + Sync + 'static,
    ) -> Self {
        let stamp = Box::new(stamp);
        Self { config, processes, stamp, key: OnceLock::new(), ruby: OnceLock::new() }
    }

    /// Returns the version of the installed Ruby; starts one to find out.
    pub fn ruby(&self) -> Result<Ruby, WorkerError> {
        if let Some(known) = self.ruby.get() {
            return known.clone();
        }
        let process = self.take()?;
        let ruby = process.ruby().clone();
        self.put_back(process);
        let _ = self.ruby.set(Ok(ruby.clone()));
        Ok(ruby)
    }

    pub(crate) fn timeout(&self) -> Duration {
        self.config.timeout
    }

    fn key(&self) -> &Key {
        self.key.get_or_init(|| {
            let Config { command, environment, modulepath, libraries, with_puppet, timeout: _ } =
                &self.config;
            let how = (command, environment, modulepath, libraries, with_puppet);
            format!("{how:?} {}", (self.stamp)()).into()
        })
    }

    /// Returns a process that no other thread uses: the one that waits for this thread, an idle one, or a new one.
    pub(crate) fn take(&self) -> Result<Process, WorkerError> {
        if let Some(process) = self.take_waiting() {
            return Ok(process);
        }
        match self.processes.take(self.key(), self.config.timeout)? {
            Taken::Idle(process) => Ok(process),
            Taken::Permit => self.start().inspect_err(|_| self.lost()),
        }
    }

    /// Returns the process that waits for this thread.
    pub(crate) fn take_waiting(&self) -> Option<Process> {
        self.processes.take_waiting(self.key())
    }

    /// Marks a process as waiting for a callback that this thread serves; the thread may send it more requests
    /// meanwhile.
    pub(crate) fn let_wait(&self, process: Process) {
        self.processes.let_wait(self.key(), process);
    }

    /// Returns a process to the pool after its call.
    pub(crate) fn put_back(&self, process: Process) {
        self.processes.put_back(self.key(), process);
    }

    /// Frees the slot of a process that is gone.
    pub(crate) fn lost(&self) {
        self.processes.lost();
    }

    fn start(&self) -> Result<Process, WorkerError> {
        if let Some(Err(error @ WorkerError::Missing(_))) = self.ruby.get() {
            return Err(error.clone());
        }
        let started = self.try_start();
        if let Err(error @ WorkerError::Missing(_)) = &started {
            let _ = self.ruby.set(Err(error.clone()));
        }
        started
    }

    fn try_start(&self) -> Result<Process, WorkerError> {
        let mut process = Process::start(&self.config.command)?;
        process.say(&request("init", [self.greeting()]))?;
        match process.hear(&mut START.clone(), START)? {
            Said::Done(parts) => {
                let puppet = Some(text(&parts, 1)).filter(|version| !version.is_empty());
                process.set_ruby(Ruby { version: text(&parts, 0), puppet });
                Ok(process)
            }
            Said::Raised(error) => Err(WorkerError::Died(error.message)),
            Said::Do(..) => Err(WorkerError::Nonsense("it asks before it is asked")),
        }
    }

    fn greeting(&self) -> Value {
        let path = |path: &PathBuf| Value::string(path.to_string_lossy().as_ref());
        let config = &self.config;
        let mut hash = Hash::with_capacity(4);
        let mut set = |name: &str, value| hash.insert(Value::string(name), value);
        set("environment", Value::string(config.environment.as_str()));
        set("modulepath", Value::array(config.modulepath.iter().map(path)));
        set("libraries", Value::array(config.libraries.iter().map(path)));
        set("puppet", Value::Boolean(config.with_puppet));
        Value::hash(hash)
    }
}

impl fmt::Debug for Pool {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Pool").field("config", &self.config).finish_non_exhaustive()
    }
}
