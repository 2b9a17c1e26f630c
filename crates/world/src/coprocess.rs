//! Programs that stay and answer on pipes: a real Ruby.

use std::os::unix::process::CommandExt;
use std::process::{Child, ChildStderr, ChildStdin, ChildStdout, Command, Stdio};
use std::sync::{LazyLock, Mutex, PoisonError};
use std::time::Duration;
use std::{fs, io};

use crate::program::kill_group;

/// A program that runs as long as this lives, and is killed with it.
#[derive(Debug)]
pub struct Coprocess {
    child: Child,
}

/// The ends of a program's pipes.
#[derive(Debug)]
pub struct Pipes {
    /// Its standard input.
    pub input: ChildStdin,
    /// Its standard output.
    pub output: ChildStdout,
    /// Its standard error.
    pub errors: ChildStderr,
}

impl Coprocess {
    /// Starts a program, which is searched for as a shell does.
    pub fn start(program: &str, arguments: &[&str]) -> io::Result<(Self, Pipes)> {
        let mut command = Command::new(program);
        // A group of its own: what it starts is killed with it.
        command.args(arguments).process_group(0);
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut process = Self { child: command.spawn()? };
        let id = process.child.id();
        RUNNING.lock().unwrap_or_else(PoisonError::into_inner).ids.push(id);
        let pipes = process.pipes().ok_or_else(|| io::Error::other("it has no pipes"))?;
        Ok((process, pipes))
    }

    fn pipes(&mut self) -> Option<Pipes> {
        let Child { stdin, stdout, stderr, .. } = &mut self.child;
        Some(Pipes { input: stdin.take()?, output: stdout.take()?, errors: stderr.take()? })
    }
}

impl Drop for Coprocess {
    fn drop(&mut self) {
        let used = used_by(self.child.id());
        let mut running = RUNNING.lock().unwrap_or_else(PoisonError::into_inner);
        running.ids.retain(|id| *id != self.child.id());
        running.ended += used;
        drop(running);
        kill_group(&mut self.child);
    }
}

/// The programs that run, and the time that ended ones have used.
#[derive(Debug, Default)]
struct Running {
    ids: Vec<u32>,
    ended: Duration,
}

static RUNNING: LazyLock<Mutex<Running>> = LazyLock::new(Mutex::default);

/// Returns the processor time that all coprocesses have used since this process began, without what they started.
pub fn coprocess_time() -> Duration {
    let running = RUNNING.lock().unwrap_or_else(PoisonError::into_inner);
    running.ids.iter().map(|id| used_by(*id)).sum::<Duration>() + running.ended
}

/// Returns the processor time of a process: that of all of its threads.
fn used_by(id: u32) -> Duration {
    let threads = fs::read_dir(format!("/proc/{id}/task")).into_iter().flatten().flatten();
    let of_thread = |thread: fs::DirEntry| {
        let statistics = fs::read_to_string(thread.path().join("schedstat")).ok()?;
        statistics.split(' ').next()?.parse().ok()
    };
    threads.filter_map(of_thread).map(Duration::from_nanos).sum()
}

#[cfg(test)]
mod tests {
    use std::io::Read;

    use super::{Coprocess, coprocess_time};

    #[test]
    fn the_time_of_programs_is_counted_while_they_run_and_afterwards() {
        let code = "i=0; while [ $i -lt 30000 ]; do i=$((i+1)); done; echo done; read x";
        let (program, mut pipes) = Coprocess::start("sh", &["-c", code]).expect("sh starts");
        let mut said = [0; 4];
        pipes.output.read_exact(&mut said).expect("it says that it is done");
        let running = coprocess_time();
        assert!(running.as_micros() > 1_000, "{running:?} are too little");
        drop(program);
        assert!(coprocess_time() >= running, "what an ended program has used is forgotten");
    }
}
