//! External programs that provide data about a node.

use std::path::Path;
use std::time::Duration;

use kukla_world::{Disk, Program, RunError, World, clock};

use crate::data_file::ParseError;

/// The time that a program may take. Puppet waits without a limit, which blocks the request.
const TIMEOUT: Duration = Duration::from_secs(300);

/// A program that fails, in Puppet's words.
#[derive(Debug, thiserror::Error)]
pub enum ProgramError {
    /// It exits with another status than 0, or can't be started.
    #[error("Execution of '{command}' returned {status}: {output}")]
    Failed {
        /// The program with its arguments.
        command: String,
        /// Its exit status.
        status: i32,
        /// Its output.
        output: String,
    },
    /// It was killed.
    #[error("Execution of '{command}' did not end: {reason}")]
    Stopped {
        /// The program with its arguments.
        command: String,
        /// The reason.
        reason: Box<str>,
    },
    /// Its output is not JSON.
    #[error("`{program}` prints no JSON: {error}")]
    NotJson {
        /// The program.
        program: String,
        /// The parser's message.
        error: ParseError,
    },
}

/// Runs a line of words as Ruby does: by a shell if it has characters that mean something to one.
pub(crate) fn run_line(line: &str) -> Result<String, ProgramError> {
    let is_special = |c: char| "*?{}[]<>()~&|\\$;'`\"\n#=%".contains(c);
    let words: Vec<&str> = line.split_whitespace().collect();
    match words.as_slice() {
        _ if line.contains(is_special) => execute(Path::new("/bin/sh"), &["-c", line]),
        [program, arguments @ ..] => execute(Path::new(program), arguments),
        [] => Ok(String::new()),
    }
}

/// Runs a program as Puppet does and returns its output; its standard error is discarded.
pub(crate) fn execute(program: &Path, arguments: &[&str]) -> Result<String, ProgramError> {
    // Puppet sets the locale, so that messages do not depend on the user's.
    let locale = ["LANG", "LC_ALL"].map(|name| (name.to_owned(), "C".to_owned()));
    let command = Program {
        path: program.to_owned(),
        arguments: arguments.iter().map(ToString::to_string).collect(),
        directory: None,
        environment: locale.to_vec(),
        input: Vec::new(),
        merges_errors: false,
        deadline: clock::deadline(TIMEOUT),
    };
    let words = std::iter::once(program.display().to_string());
    let words = words.chain(command.arguments.iter().cloned()).collect::<Vec<_>>();
    let failed = |status: i32, output: &[u8]| {
        let output = String::from_utf8_lossy(output).trim_end_matches('\n').to_owned();
        ProgramError::Failed { command: words.join(" "), status, output }
    };
    match Disk.run(&command) {
        Ok(output) => Ok(String::from_utf8_lossy(&output).into_owned()),
        Err(RunError::Failed { status, output, .. }) => Err(failed(status.unwrap_or(1), &output)),
        Err(RunError::NotStarted(_) | RunError::Unavailable) => Err(failed(1, b"")),
        Err(error @ (RunError::TimedOut | RunError::Stopped(_) | RunError::TooMuchOutput)) => {
            let (command, reason) = (words.join(" "), error.to_string().into());
            Err(ProgramError::Stopped { command, reason })
        }
    }
}
