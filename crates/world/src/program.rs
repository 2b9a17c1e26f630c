//! Programs that a compilation runs: `generate`, classifiers.

use std::io::{self, Read, Write};
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::sync::mpsc;
use std::time::{Duration, Instant};

use kukla_base::cancel;

/// How often a thread that waits looks whether it is to stop.
const SLICE: Duration = Duration::from_millis(5);

/// The most bytes that a program may print.
const MAX_OUTPUT: usize = 64 << 20;

/// A program to run.
#[derive(Clone, Debug)]
pub struct Program {
    /// The file to execute.
    pub path: PathBuf,
    /// Its arguments.
    pub arguments: Vec<String>,
    /// The directory to run it in; the current one if there is none.
    pub directory: Option<PathBuf>,
    /// Variables of its environment beside those of this process.
    pub environment: Vec<(String, String)>,
    /// Its standard input; empty if there is none.
    pub input: Vec<u8>,
    /// Whether its standard error is part of the output, in the order in which both are written.
    pub merges_errors: bool,
    /// The time at which it is killed.
    pub deadline: Option<Instant>,
}

/// The reasons why there is no output of a program.
#[derive(Debug, thiserror::Error)]
pub enum RunError {
    /// Programs can't be run here.
    #[error("programs can't be run here")]
    Unavailable,
    /// It could not be started.
    #[error("{0}")]
    NotStarted(#[source] io::Error),
    /// It ended with another status than 0.
    #[error("it ended {}", ending(*status))]
    Failed {
        /// The status; `None` if a signal ended it.
        status: Option<i32>,
        /// Its output.
        output: Vec<u8>,
        /// Its standard error, if that is not part of the output.
        errors: Vec<u8>,
    },
    /// It was killed because its time was up.
    #[error("it was still running at its deadline and was killed")]
    TimedOut,
    /// It was killed because the compilation that it runs for is to stop.
    #[error("{0}")]
    Stopped(cancel::Reason),
    /// It was killed because it printed too much.
    #[error("it printed more than {MAX_OUTPUT} bytes and was killed")]
    TooMuchOutput,
}

fn ending(status: Option<i32>) -> String {
    status.map_or_else(|| "by a signal".to_owned(), |status| format!("with status {status}"))
}

/// Runs a program to its end or deadline.
pub(crate) fn run(program: &Program) -> Result<Vec<u8>, RunError> {
    use std::os::unix::process::CommandExt;
    let mut command = Command::new(&program.path);
    let input = if program.input.is_empty() { Stdio::null() } else { Stdio::piped() };
    command.args(&program.arguments).stdin(input);
    command.envs(program.environment.iter().map(|(name, value)| (name, value)));
    // A group of its own: what it starts is killed with it.
    command.process_group(0);
    if let Some(directory) = &program.directory {
        command.current_dir(directory);
    }
    let (reader, writer) = io::pipe().map_err(RunError::NotStarted)?;
    let errors = match program.merges_errors {
        true => {
            command.stderr(writer.try_clone().map_err(RunError::NotStarted)?);
            None
        }
        false => {
            let (reader, writer) = io::pipe().map_err(RunError::NotStarted)?;
            command.stderr(writer);
            Some(reader)
        }
    };
    command.stdout(writer);
    let mut child = command.spawn().map_err(RunError::NotStarted)?;
    feed(&mut child, &program.input);
    // The command keeps the writing ends open.
    drop(command);
    let mut running = Running { child, is_over: false };
    let output = Collected::start(reader);
    let errors = errors.map(Collected::start);
    let output = output.wait(program.deadline)?;
    let errors = errors.map_or(Ok(Vec::new()), |errors| errors.wait(program.deadline))?;
    match running.wait(program.deadline)? {
        Some(0) => Ok(output),
        status => Err(RunError::Failed { status, output, errors }),
    }
}

/// Writes the standard input of a program by a thread, so that a program that does not read it can't block this one.
fn feed(child: &mut Child, input: &[u8]) {
    if let Some(mut stdin) = child.stdin.take() {
        let input = input.to_owned();
        // A program may end without having read all of it.
        std::thread::spawn(move || drop(stdin.write_all(&input)));
    }
}

/// Returns an error at the deadline, or when the compilation that this thread works on is to stop.
fn may_wait(deadline: Option<Instant>) -> Result<(), RunError> {
    if let Some(reason) = cancel::requested() {
        return Err(RunError::Stopped(reason));
    }
    match deadline {
        Some(deadline) if Instant::now() >= deadline => Err(RunError::TimedOut),
        _ => Ok(()),
    }
}

/// A process that is killed, with all that it started, unless it is waited for.
struct Running {
    child: Child,
    is_over: bool,
}

impl Running {
    fn wait(&mut self, deadline: Option<Instant>) -> Result<Option<i32>, RunError> {
        let mut pause = Duration::from_micros(200);
        loop {
            if let Some(status) = self.child.try_wait().map_err(RunError::NotStarted)? {
                self.is_over = true;
                return Ok(status.code());
            }
            may_wait(deadline)?;
            std::thread::sleep(pause);
            pause = (pause * 2).min(SLICE);
        }
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        if self.is_over {
            return;
        }
        kill_group(&mut self.child);
    }
}

/// Kills a process that leads a group, with all that it started.
pub(crate) fn kill_group(child: &mut Child) {
    let group = i32::try_from(child.id()).ok().and_then(rustix::process::Pid::from_raw);
    if let Some(group) = group {
        // A group that is gone already needs no signal.
        let _ = rustix::process::kill_process_group(group, rustix::process::Signal::KILL);
    }
    let _ = child.kill();
    let _ = child.wait();
}

/// Output that a thread collects, so that waiting for it can end at a deadline.
struct Collected(mpsc::Receiver<Option<Vec<u8>>>);

impl Collected {
    fn start(reader: io::PipeReader) -> Self {
        let (send, receive) = mpsc::channel();
        std::thread::spawn(move || {
            let mut bytes = Vec::new();
            let limit = MAX_OUTPUT as u64 + 1;
            let is_read = reader.take(limit).read_to_end(&mut bytes).is_ok();
            // The receiver is gone if the deadline is over.
            let _ = send.send((is_read && bytes.len() <= MAX_OUTPUT).then_some(bytes));
        });
        Self(receive)
    }

    fn wait(self, deadline: Option<Instant>) -> Result<Vec<u8>, RunError> {
        loop {
            match self.0.recv_timeout(SLICE) {
                Ok(output) => return output.ok_or(RunError::TooMuchOutput),
                Err(mpsc::RecvTimeoutError::Timeout) => may_wait(deadline)?,
                Err(mpsc::RecvTimeoutError::Disconnected) => return Err(RunError::TimedOut),
            }
        }
    }
}
