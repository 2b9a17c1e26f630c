//! The Ruby of modules, run by the interpreter and by a real Ruby with the same compilation around it.
//!
//! [`templates`] finds variables that reach every part of a template before both sides render it; [`functions`] makes
//! arguments of the types that a function asks for. The real Ruby runs other people's code, so it has neither network
//! nor files that it could change ([`sandboxed`]).

pub mod functions;
mod host;
mod module;
pub mod templates;
mod values;

use std::fmt;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use anyhow::{Context, Result};
use kukla_ruby::{ErrorKind, RubyError, Unsupported};
use kukla_worker::{Config, Pool};

/// Where Debian's packages have their modules.
pub const MODULES: &str = "/usr/share/puppet/modules";

/// What starts Ruby, without its guesses at what was meant: no network, no other processes, nothing can be written but in an empty directory.
const SANDBOX: &str = "mount -o remount,bind,ro / 2>/dev/null; mount -t tmpfs tmpfs /tmp; cd /tmp; \
     touch /etc/kukla-can-write 2>/dev/null && exit 9; exec ruby --disable-did_you_mean --disable-error_highlight \"$@\"";

/// The program that is a Ruby which can't do harm.
fn sandbox() -> Vec<String> {
    let command = ["unshare", "-rmnpf", "--kill-child", "sh", "-c", SANDBOX, "ruby"];
    command.map(str::to_owned).to_vec()
}

/// Real Rubies that can't do harm, with the modules of a directory.
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
    let pool = Arc::new(Pool::new(config));
    pool.ruby().context("no Ruby can be started in a sandbox")?;
    Ok(pool)
}

/// How it went on both sides.
#[derive(Clone, Debug, Default)]
pub struct Score {
    /// Files that the interpreter does not know, and why.
    pub refused: Vec<String>,
    /// Files with equal answers throughout.
    pub n_equal: usize,
    /// Files of which no answer was compared: they say nothing.
    pub skipped: Vec<String>,
    /// Files whose answers are never the same twice: they can't be compared.
    pub changing: Vec<String>,
    /// Files with a difference, and what it is.
    pub different: Vec<String>,
    /// Answers compared.
    pub n_answers: usize,
    /// Parts of templates, and those that were reached.
    pub parts: (usize, usize),
}

impl Score {
    /// Compares files one by one; `one` gives the difference of a file, or why the interpreter does not know it.
    fn of(
        files: &[PathBuf],
        told: &mut dyn FnMut(usize),
        mut one: impl FnMut(&str, &str, &mut Self) -> Result<Option<String>, Unsupported>,
    ) -> Result<Self> {
        let mut score = Self::default();
        for (n, path) in files.iter().enumerate() {
            let text = std::fs::read_to_string(path)?;
            let name = path.to_string_lossy();
            let (n_before, n_changing) = (score.n_answers, score.changing.len());
            match one(&name, &text, &mut score) {
                Err(reason) => score.refused.push(format!("{name}: {reason}")),
                Ok(Some(difference)) => score.different.push(format!("{name}: {difference}")),
                Ok(None) if score.changing.len() > n_changing => (),
                Ok(None) if score.n_answers == n_before => {
                    score.skipped.push(name.into_owned());
                }
                Ok(None) => score.n_equal += 1,
            }
            told(n + 1);
        }
        Ok(score)
    }
}

impl fmt::Display for Score {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let n_silent = self.skipped.len() + self.changing.len();
        let n = self.n_equal + self.different.len() + self.refused.len() + n_silent;
        write!(
            f,
            "{} of {n} equal / {} different / {} left to a real Ruby / {} never the same twice / {} not compared ({} answers)",
            self.n_equal,
            self.different.len(),
            self.refused.len(),
            self.changing.len(),
            self.skipped.len(),
            self.n_answers
        )?;
        match self.parts {
            (_, 0) => Ok(()),
            (reached, all) => write!(f, "; {reached} of {all} parts reached"),
        }
    }
}

/// What both sides must agree in; `Err` if the interpreter gave up.
fn answer<T: fmt::Debug>(result: &Result<T, RubyError>) -> Result<String, String> {
    match result {
        Ok(value) => Ok(normal(&format!("{value:?}"))),
        Err(error) if error.kind == ErrorKind::Raised => {
            Ok(format!("{}: {}", error.class, normal(&error.message)))
        }
        Err(error) => Err(error.message.clone()),
    }
}

/// Without addresses.
fn normal(text: &str) -> String {
    let mut out = String::new();
    let mut rest = text;
    while let Some(at) = rest.find("#<") {
        let (before, object) = rest.split_at(at);
        out.push_str(before);
        out.push_str("#<>");
        let end = object.find('>').map_or(object.len(), |end| end + 1);
        rest = &object[end..];
    }
    out + rest
}
