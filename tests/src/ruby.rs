//! Ruby code of modules, run by the interpreter and by a real Ruby in the same compilation.
//!
//! [`templates`] finds variables that reach every part of a template before both sides render it; [`functions`] makes
//! arguments of the types that a function takes. The real Ruby runs untrusted code, so it has neither network nor
//! writable files ([`sandboxed`]).

pub mod functions;
mod host;
mod module;
pub mod templates;
mod uses;
mod values;

use std::fmt;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use anyhow::{Context, Result};
use kukla_foreign::{ErrorKind, RubyError, Unsupported};
use kukla_worker::{Config, Pool};

/// Directory of the modules of Debian's packages.
pub const MODULES: &str = "/usr/share/puppet/modules";

/// Shell code that starts Ruby without did_you_mean: no network, no other processes, no writes outside of an empty directory.
const SANDBOX: &str = "mount -o remount,bind,ro / 2>/dev/null; mount -t tmpfs tmpfs /tmp; cd /tmp; \
     touch /etc/kukla-can-write 2>/dev/null && exit 9; exec ruby --disable-did_you_mean --disable-error_highlight \"$@\"";

/// Returns the command line of a sandboxed Ruby.
fn sandbox() -> Vec<String> {
    let command = ["unshare", "-rmnpf", "--kill-child", "sh", "-c", SANDBOX, "ruby"];
    command.map(str::to_owned).to_vec()
}

/// Starts sandboxed Rubies, with the modules of a directory.
pub fn sandboxed(modules: &str) -> Result<Arc<Pool>> {
    let path = PathBuf::from(modules);
    let modules = std::fs::read_dir(modules).context("no module is installed")?;
    let libraries = modules.flatten().map(|entry| entry.path().join("lib"));
    let config = Config {
        command: sandbox(),
        modulepath: vec![path],
        libraries: libraries.filter(|path| path.is_dir()).collect(),
        timeout: Duration::from_secs(60),
        ..Config::default()
    };
    let pool = Arc::new(Pool::new(config, String::new));
    pool.ruby().context("no Ruby can be started in a sandbox")?;
    Ok(pool)
}

/// Result of the comparison.
#[derive(Clone, Debug, Default)]
pub struct Score {
    /// Files that the interpreter refuses, in whole or for some arguments, with the reason.
    pub refused: Vec<String>,
    /// Files for which all answers are equal.
    pub n_equal: usize,
    /// Files without any compared answer, with the reason.
    pub skipped: Vec<String>,
    /// Files with equal answers except for messages that are printed only once per process.
    pub once: Vec<String>,
    /// Files whose answers change from call to call, with two of them: they can't be compared.
    pub changing: Vec<String>,
    /// Files with a difference.
    pub different: Vec<String>,
    /// Number of compared answers.
    pub n_answers: usize,
    /// Number of parts of templates.
    pub n_parts: usize,
    /// Parts that no set of variables reached.
    pub unreached: Vec<String>,
}

impl Score {
    /// Compares files one by one; `one` returns the difference of a file, or the reason why the interpreter refuses it.
    fn of(
        files: &[PathBuf],
        done: &mut dyn FnMut(usize),
        mut one: impl FnMut(&str, &str, &mut Self) -> Result<Option<String>, Unsupported>,
    ) -> Result<Self> {
        let mut score = Self::default();
        for (n, path) in files.iter().enumerate() {
            let text = std::fs::read_to_string(path)?;
            let name = path.to_string_lossy();
            let (n_before, n_changing) = (score.n_answers, score.changing.len());
            let n_skipped = score.skipped.len();
            match one(&name, &text, &mut score) {
                Err(reason) => score.refused.push(format!("{name}: {reason}")),
                Ok(Some(difference)) => score.different.push(format!("{name}: {difference}")),
                Ok(None) if score.changing.len() > n_changing => (),
                Ok(None) if score.skipped.len() > n_skipped => (),
                Ok(None) if score.once.last().is_some_and(|last| *last == name) => (),
                Ok(None) if score.n_answers == n_before => {
                    score.skipped.push(format!("{name}: no arguments are found for it"));
                }
                Ok(None) => score.n_equal += 1,
            }
            done(n + 1);
        }
        Ok(score)
    }
}

impl fmt::Display for Score {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (n_different, n_changing) = (self.different.len(), self.changing.len());
        let (n_worker, n_skipped) = (self.refused.len(), self.skipped.len());
        let n_once = self.once.len();
        let n_native = self.n_equal + n_once + n_different + n_changing;
        let n = n_native + n_worker + n_skipped;
        let share = |part: usize| 100.0 * part as f64 / n.max(1) as f64;
        writeln!(
            f,
            "{n} files: {n_native} native ({:.1} %) / {n_worker} with the worker / {n_skipped} not compared",
            share(n_native)
        )?;
        write!(
            f,
            "native: {} equal / {n_once} equal but for a warning that is said once / {n_different} different / {n_changing} never the same twice; {} answers compared",
            self.n_equal, self.n_answers
        )?;
        match self.n_parts {
            0 => Ok(()),
            all => {
                let reached = all - self.unreached.len();
                write!(f, "; {reached} of {all} parts of templates reached")
            }
        }
    }
}

/// Fails if the interpreter gave up before any effect: then a real Ruby runs the code.
fn given_up<T>(result: &Result<T, RubyError>) -> Result<(), Unsupported> {
    match result {
        Err(error) if error.kind == ErrorKind::Unsupported => {
            let reason = format!("for some arguments: {}", error.message);
            Err(Unsupported { reason, line: error.line.max(1) })
        }
        _ => Ok(()),
    }
}

fn without_guesses(text: &str) -> String {
    let Some((before, guesses)) = text.split_once("\nDid you mean?") else {
        return text.to_owned();
    };
    // Further guesses are on separate lines, below the first.
    let further = guesses.split_inclusive('\n').skip(1).take_while(|line| line.starts_with("   "));
    let first = guesses.find('\n').map_or(guesses.len(), |at| at + 1);
    let length = (first + further.map(str::len).sum::<usize>()).min(guesses.len());
    let (guesses, rest) = guesses.split_at(length);
    // The place of the call follows the last one.
    let place = guesses.trim_end().rfind(" (").map_or("", |at| &guesses[at..]);
    let end = if guesses.ends_with('\n') && place.is_empty() { "\n" } else { "" };
    without_guesses(&format!("{before}{place}{end}{rest}"))
}

/// Returns the part of an answer that both sides must share; `Err` if the interpreter gave up.
fn answer<T: fmt::Debug>(result: &Result<T, RubyError>) -> Result<String, String> {
    match result {
        Ok(value) => Ok(normal(&format!("{value:?}"))),
        Err(error) if error.kind == ErrorKind::Raised => {
            Ok(format!("{}: {}", error.class, normal(&error.message)))
        }
        Err(error) => Err(error.message.clone()),
    }
}

/// Removes addresses and Ruby's guesses of names, which are off in the real Ruby.
fn normal(text: &str) -> String {
    let text = without_guesses(text);
    let mut out = String::new();
    let mut rest = text.as_str();
    while let Some(at) = rest.find("#<") {
        let (before, object) = rest.split_at(at);
        out.push_str(before);
        out.push_str("#<>");
        // An object's content may be shown within, including arrows of hashes.
        let is_end = |at: &usize| object[..*at].ends_with(|c| c != '=');
        let mut ends = object.match_indices('>').map(|(at, _)| at);
        let end = ends.find(is_end).map_or(object.len(), |end| end + 1);
        rest = &object[end..];
    }
    out + rest
}
