//! The workers of an environment.

use std::collections::HashMap;
use std::path::PathBuf;
use std::sync::{Condvar, Mutex, MutexGuard, OnceLock, PoisonError};
use std::thread::{self, ThreadId};
use std::time::Duration;

use kukla_pcore::{Hash, Value};
use kukla_world::clock::Stopwatch;

use crate::WorkerError;
use crate::message::{Said, request, text};
use crate::process::Process;

/// How workers are started.
#[derive(Clone, Debug)]
pub struct Config {
    /// The program, with arguments before those that it is given.
    pub command: Vec<String>,
    /// The name of the environment.
    pub environment: String,
    /// Its module path.
    pub modulepath: Vec<PathBuf>,
    /// The directories `lib` of its modules, for `require`.
    pub libraries: Vec<PathBuf>,
    /// Whether Puppet's library is used if it is there.
    pub with_puppet: bool,
    /// How long a call may take, without what it waits for us.
    pub timeout: Duration,
    /// How many processes there may be.
    pub most: usize,
}

impl Default for Config {
    fn default() -> Self {
        let most = thread::available_parallelism().map_or(2, usize::from);
        Self {
            command: vec!["ruby".to_owned()],
            environment: "production".to_owned(),
            modulepath: Vec::new(),
            libraries: Vec::new(),
            with_puppet: true,
            timeout: Duration::from_secs(30),
            most,
        }
    }
}

/// How long a process may take to start.
const START: Duration = Duration::from_secs(120);

/// Which Ruby answers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Ruby {
    /// Its version.
    pub version: String,
    /// The version of Puppet's library, if it is there.
    pub puppet: Option<String>,
}

/// Processes that run the Ruby code of one environment; they are started when they are needed.
#[derive(Debug)]
pub struct Pool {
    config: Config,
    state: Mutex<State>,
    freed: Condvar,
    ruby: OnceLock<Result<Ruby, WorkerError>>,
}

#[derive(Debug, Default)]
struct State {
    idle: Vec<Process>,
    /// Processes that wait for something that a thread does for them; meanwhile that thread may ask them more.
    waiting: HashMap<ThreadId, Vec<Process>>,
    n_started: usize,
}

impl Pool {
    /// A pool without any process yet.
    pub fn new(config: Config) -> Self {
        Self { config, state: Mutex::default(), freed: Condvar::new(), ruby: OnceLock::new() }
    }

    /// Which Ruby there is; starts one to find out.
    pub fn ruby(&self) -> Result<Ruby, WorkerError> {
        if let Some(known) = self.ruby.get() {
            return known.clone();
        }
        let process = self.take()?;
        self.put_back(process);
        self.ruby.get().cloned().unwrap_or(Err(WorkerError::Nonsense("it has no version")))
    }

    pub(crate) fn timeout(&self) -> Duration {
        self.config.timeout
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// A process that nobody else uses: the one that waits for this thread, an idle one, or a new one.
    pub(crate) fn take(&self) -> Result<Process, WorkerError> {
        if let Some(process) = self.take_waiting() {
            return Ok(process);
        }
        let waited = Stopwatch::start();
        let mut state = self.state();
        loop {
            if let Some(process) = state.idle.pop() {
                return Ok(process);
            }
            if state.n_started < self.config.most {
                state.n_started += 1;
                break;
            }
            let left = self.config.timeout.saturating_sub(waited.elapsed());
            if left.is_zero() {
                return Err(WorkerError::Busy(self.config.timeout.as_secs()));
            }
            state = self.freed.wait_timeout(state, left).unwrap_or_else(PoisonError::into_inner).0;
        }
        drop(state);
        self.start().inspect_err(|_| self.lost())
    }

    /// The process that waits for this thread.
    pub(crate) fn take_waiting(&self) -> Option<Process> {
        self.state().waiting.get_mut(&thread::current().id())?.pop()
    }

    /// This thread does something for a process, and may ask it more meanwhile.
    pub(crate) fn let_wait(&self, process: Process) {
        self.state().waiting.entry(thread::current().id()).or_default().push(process);
    }

    /// A process whose call is done; within another call it goes on waiting.
    pub(crate) fn put_back(&self, process: Process) {
        self.state().idle.push(process);
        self.freed.notify_one();
    }

    /// A process has gone; another may be started.
    pub(crate) fn lost(&self) {
        let mut state = self.state();
        state.n_started = state.n_started.saturating_sub(1);
        drop(state);
        self.freed.notify_one();
    }

    fn start(&self) -> Result<Process, WorkerError> {
        if let Some(Err(error @ WorkerError::Missing(_))) = self.ruby.get() {
            return Err(error.clone());
        }
        let started = self.try_start();
        let ruby = started.as_ref().map(|(_, ruby)| ruby.clone()).map_err(Clone::clone);
        if ruby.is_ok() || matches!(ruby, Err(WorkerError::Missing(_))) {
            let _ = self.ruby.set(ruby);
        }
        started.map(|(process, _)| process)
    }

    fn try_start(&self) -> Result<(Process, Ruby), WorkerError> {
        let process = Process::start(&self.config.command)?;
        process.say(&request("init", [self.greeting()]))?;
        match process.hear(&mut START.clone(), START)? {
            Said::Done(parts) => {
                let puppet = Some(text(&parts, 1)).filter(|version| !version.is_empty());
                Ok((process, Ruby { version: text(&parts, 0), puppet }))
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
