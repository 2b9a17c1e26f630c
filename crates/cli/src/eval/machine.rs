//! The machine that code is evaluated on: its files, clock and programs.

use std::io::{self, Read};
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{SystemTime, UNIX_EPOCH};

use kukla_compiler::{ExecuteError, FileKind, World};

/// The machine, without any module.
#[derive(Debug)]
pub(super) struct Machine;

impl World for Machine {
    fn find(&self, _kind: FileKind, reference: &str) -> Option<String> {
        Path::new(reference).is_absolute().then(|| reference.to_owned())
    }

    fn exists(&self, path: &str) -> bool {
        Path::new(path).exists()
    }

    fn read(&self, path: &str) -> io::Result<Vec<u8>> {
        std::fs::read(path)
    }

    fn now(&self) -> Option<i128> {
        let since = SystemTime::now().duration_since(UNIX_EPOCH).ok()?;
        i128::try_from(since.as_nanos()).ok()
    }

    fn execute(&self, command: &[String]) -> Result<String, ExecuteError> {
        let [program, arguments @ ..] = command else { return Err(ExecuteError::Unavailable) };
        let directory = Path::new(program).parent().unwrap_or(Path::new("/"));
        if !directory.is_dir() {
            return Err(ExecuteError::NoDirectory(directory.display().to_string()));
        }
        run(program, arguments, directory)
            .unwrap_or(Err(ExecuteError::Failed { status: 1, output: String::new() }))
    }
}

/// Runs a program; what it prints and what it complains of come out in the order in which they were written.
fn run(
    program: &str,
    arguments: &[String],
    directory: &Path,
) -> io::Result<Result<String, ExecuteError>> {
    let (mut reader, writer) = io::pipe()?;
    let mut command = Command::new(program);
    command.args(arguments).current_dir(directory).stdin(Stdio::null());
    command.stdout(writer.try_clone()?).stderr(writer);
    let mut child = command.spawn()?;
    // The command keeps the writing end open.
    drop(command);
    let mut output = Vec::new();
    reader.read_to_end(&mut output)?;
    let status = child.wait()?;
    let output = String::from_utf8_lossy(&output).into_owned();
    Ok(match status.code() {
        Some(0) => Ok(output),
        status => Err(ExecuteError::Failed { status: status.unwrap_or(1), output }),
    })
}
