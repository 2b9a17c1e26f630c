//! Output, and running of programs.

use std::ffi::OsStr;
use std::io::{BufRead, BufReader, IsTerminal, Write as _, stderr};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use anyhow::{Context, Result};

/// Returns the folder of the workspace.
pub(crate) fn root() -> PathBuf {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    here.parent().unwrap_or(here).to_owned()
}

/// Returns the `cargo` that started this program.
pub(crate) fn cargo() -> Command {
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let mut command = Command::new(cargo);
    command.current_dir(root());
    command
}

/// Prints a line to standard error; used for everything but results.
pub(crate) fn say(line: &str) {
    // If standard error is closed, there is nowhere left to report.
    let _ = writeln!(stderr(), "{line}");
}

/// Shows progress on one line that is overwritten.
pub(crate) fn progress(what: &str, done: usize, all: usize) {
    if stderr().is_terminal() && (done.is_multiple_of(20) || done == all) {
        let end = if done == all { "\n" } else { "" };
        let _ = write!(stderr(), "\r  {what}: {done}/{all}{end}");
    }
}

/// Whether a program can be started with these arguments and succeeds.
pub(crate) fn succeeds(program: &str, arguments: &[&str]) -> bool {
    let mut command = Command::new(program);
    command.args(arguments).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    command.status().is_ok_and(|status| status.success())
}

/// Returns the output of a program.
pub(crate) fn output_of(program: &str, arguments: &[&str]) -> Result<String> {
    let output = Command::new(program)
        .args(arguments)
        .output()
        .with_context(|| format!("cannot start `{program}`"))?;
    Ok(String::from_utf8_lossy(&output.stdout).into_owned())
}

/// Runs a program; `Ok(false)` if it fails.
pub(crate) fn run(command: &mut Command) -> Result<bool> {
    let name = command.get_program().to_owned();
    let status = command.status().with_context(|| cannot_start(&name))?;
    Ok(status.success())
}

/// Runs a program, prints its standard output, and passes each line to `hear`.
pub(crate) fn run_heard(command: &mut Command, mut hear: impl FnMut(&str)) -> Result<bool> {
    let name = command.get_program().to_owned();
    let mut child = command.stdout(Stdio::piped()).spawn().with_context(|| cannot_start(&name))?;
    let output = child.stdout.take().context("the output is piped")?;
    for line in BufReader::new(output).split(b'\n') {
        let line = String::from_utf8_lossy(&line?).into_owned();
        say(&line);
        hear(&line);
    }
    Ok(child.wait()?.success())
}

fn cannot_start(name: &OsStr) -> String {
    format!("cannot start `{}`", name.to_string_lossy())
}
