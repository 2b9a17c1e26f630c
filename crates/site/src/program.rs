//! Programs that say something about a node.

use std::path::Path;
use std::process::{Command, Stdio};

use crate::data_file::ParseError;

/// A program that fails, in Puppet's words.
#[derive(Debug, thiserror::Error)]
pub enum ProgramError {
    /// It ends with another status than 0, or can't be started.
    #[error("Execution of '{command}' returned {status}: {output}")]
    Failed {
        /// The program with its arguments.
        command: String,
        /// Its exit status.
        status: i32,
        /// Its output.
        output: String,
    },
    /// It prints something else than JSON.
    #[error("`{program}` prints no JSON: {error}")]
    NotJson {
        /// The program.
        program: String,
        /// The parser's message.
        error: ParseError,
    },
}

/// Runs a program as Puppet does and returns its output; its standard error is discarded.
pub(crate) fn execute(program: &Path, arguments: &[&str]) -> Result<String, ProgramError> {
    let mut command = Command::new(program);
    command.args(arguments).stdin(Stdio::null()).stderr(Stdio::null());
    // Puppet sets the locale, so that messages do not depend on the user's.
    command.env("LANG", "C").env("LC_ALL", "C");
    let failed = |status: i32, output: &str| {
        let words = std::iter::once(program.display().to_string());
        let words = words.chain(arguments.iter().map(ToString::to_string)).collect::<Vec<_>>();
        let output = output.trim_end_matches('\n').to_owned();
        ProgramError::Failed { command: words.join(" "), status, output }
    };
    let output = command.output().map_err(|_| failed(1, ""))?;
    let text = String::from_utf8_lossy(&output.stdout);
    match output.status.code() {
        Some(0) => Ok(text.into_owned()),
        status => Err(failed(status.unwrap_or(1), &text)),
    }
}
