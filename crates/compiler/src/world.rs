//! What is outside of an evaluation: files, the clock, other programs.

use std::fmt::Debug;
use std::io;

/// What functions ask of the outside.
///
/// Every method has an answer for those who are not to see anything.
pub trait World: Debug + Send + Sync {
    /// The path of `module/file`, or the path itself if it is absolute; `None` if there is no such module or file.
    fn find(&self, _kind: FileKind, _reference: &str) -> Option<String> {
        None
    }

    /// Whether there is such a file.
    fn exists(&self, _path: &str) -> bool {
        false
    }

    /// The content of a file.
    fn read(&self, _path: &str) -> io::Result<Vec<u8>> {
        Err(io::ErrorKind::Unsupported.into())
    }

    /// The directory of a module.
    fn module_directory(&self, _name: &str) -> Option<String> {
        None
    }

    /// The time: nanoseconds since the beginning of 1970.
    fn now(&self) -> Option<i128> {
        None
    }

    /// Bytes that nobody can guess.
    fn random(&self, _n: usize) -> Option<Vec<u8>> {
        None
    }

    /// Runs a program in its own directory; what it prints, or why it failed.
    fn execute(&self, _command: &[String]) -> Result<String, ExecuteError> {
        Err(ExecuteError::Unavailable)
    }
}

/// What a file is for, which decides where in a module it is looked for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum FileKind {
    /// Below `files`.
    File,
    /// Below `templates`.
    Template,
}

/// Why a program could not be run. Functions branch on what Puppet says differently.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum ExecuteError {
    /// Nothing may be run.
    Unavailable,
    /// There is no such directory.
    NoDirectory(String),
    /// It ended with another status than 0; what it printed.
    Failed {
        /// The status.
        status: i32,
        /// What it printed.
        output: String,
    },
}

/// A world without anything in it.
#[derive(Debug, Clone, Copy, Default)]
pub struct NoWorld;

impl World for NoWorld {}
