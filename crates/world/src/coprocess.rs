//! Programs that stay and answer on pipes: a real Ruby.

use std::io;
use std::os::unix::process::CommandExt;
use std::process::{Child, ChildStderr, ChildStdin, ChildStdout, Command, Stdio};

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
        kill_group(&mut self.child);
    }
}
