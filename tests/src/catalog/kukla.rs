//! Kukla's side: `kukla compile --jsonl`, a warm process.

use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

use anyhow::{Context, Result, bail};
use serde_json::Value;

use crate::edition;

/// A running `kukla compile --jsonl`.
#[derive(Debug)]
pub struct Kukla {
    child: Child,
    questions: Option<ChildStdin>,
    answers: BufReader<ChildStdout>,
}

impl Kukla {
    /// Starts the program built beside this one, or the one that the variable `KUKLA` names.
    pub fn start() -> Result<Self> {
        Self::start_program(&program()?)
    }

    /// Starts this program.
    pub fn start_program(program: &Path) -> Result<Self> {
        let mut child = Command::new(program)
            .args(["compile", "--jsonl", "--edition", edition().as_str()])
            .args(["--strict", "error", "--strict-variables"])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .with_context(|| format!("cannot start `{}`", program.display()))?;
        let questions = child.stdin.take();
        let answers = BufReader::new(child.stdout.take().context("`kukla` has no output")?);
        Ok(Self { child, questions, answers })
    }

    /// Whether the process is still running.
    pub fn is_running(&mut self) -> bool {
        self.child.try_wait().is_ok_and(|status| status.is_none())
    }

    /// Returns its peak memory in bytes, where the system provides it.
    pub fn peak_memory(&self) -> Option<u64> {
        let status = std::fs::read_to_string(format!("/proc/{}/status", self.child.id())).ok()?;
        let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
        let kilobytes: u64 = line.trim().strip_suffix(" kB")?.trim().parse().ok()?;
        Some(kilobytes * 1024)
    }

    /// Sends one question and waits for its answer.
    pub fn ask(&mut self, question: &Value) -> Result<Value> {
        let questions = self.questions.as_mut().context("kukla was stopped")?;
        writeln!(questions, "{question}").context("kukla has gone")?;
        let mut line = String::new();
        if self.answers.read_line(&mut line).context("kukla's answer is not readable")? == 0 {
            bail!("kukla has gone");
        }
        serde_json::from_str(&line).context("kukla's answer is not JSON")
    }
}

impl Drop for Kukla {
    fn drop(&mut self) {
        // The process ends at the end of its input.
        self.questions = None;
        let _ = self.child.wait();
    }
}

/// Returns the binary: `target/debug/kukla` for a program in `target/debug/` or `target/debug/deps/`.
pub fn program() -> Result<PathBuf> {
    if let Some(named) = std::env::var_os("KUKLA") {
        return Ok(named.into());
    }
    let here = std::env::current_exe()?;
    let name = format!("kukla{}", std::env::consts::EXE_SUFFIX);
    let folders = here.ancestors().skip(1).take(2);
    let mut programs = folders.map(|folder| folder.join(&name));
    programs.find(|path| path.exists()).context("there is no `kukla`: run `cargo build -p kukla`")
}
