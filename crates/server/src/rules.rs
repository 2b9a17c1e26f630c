//! Programs that are exchanged while they are in use.

use std::path::{Path, PathBuf};
use std::sync::{Arc, PoisonError, RwLock};
use std::time::{Duration, SystemTime};

use kukla_base::Source;
use kukla_plang::check::Options;
use kukla_plang::check_bytes;
use kukla_plang::compiled::Compiled;

/// A program that is live.
#[derive(Debug)]
pub struct Live {
    /// What decides.
    pub compiled: Compiled,
    /// Its text, to name lines of it.
    pub source: Source,
    /// Which version it is, from 1.
    pub version: u64,
}

/// A program of a file, exchanged when the file changes.
#[derive(Debug)]
pub struct Rules {
    path: PathBuf,
    options: Options,
    live: RwLock<Arc<Live>>,
    /// A program that decides too, without effect.
    pub shadow: Option<Box<Rules>>,
}

/// Why a program does not go live.
#[derive(Debug)]
pub enum RulesError {
    /// It can't be read.
    Unreadable(std::io::Error),
    /// It has errors: the first, and how many.
    Invalid(String, usize),
}

impl std::fmt::Display for RulesError {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Unreadable(error) => error.fmt(out),
            Self::Invalid(first, 1) => write!(out, "{first}"),
            Self::Invalid(first, n) => write!(out, "{first} (and {} more errors)", n - 1),
        }
    }
}

impl std::error::Error for RulesError {}

impl Rules {
    /// Reads a program, which must check.
    pub fn open(path: &Path, options: Options) -> Result<Self, RulesError> {
        let live = load(path, &options, 1)?;
        let live = RwLock::new(Arc::new(live));
        Ok(Self { path: path.to_owned(), options, live, shadow: None })
    }

    /// The program that decides now. Whoever holds it keeps it, also when another goes live.
    pub fn live(&self) -> Arc<Live> {
        Arc::clone(&self.live.read().unwrap_or_else(PoisonError::into_inner))
    }

    /// Reads the program again; one that does not check never goes live.
    pub fn reload(&self) -> Result<u64, RulesError> {
        let version = self.live().version + 1;
        let live = Arc::new(load(&self.path, &self.options, version)?);
        *self.live.write().unwrap_or_else(PoisonError::into_inner) = live;
        Ok(version)
    }

    /// Looks at the file again and again, and calls `changed` with what came of each reload.
    pub async fn watch(&self, changed: impl Fn(&Path, Result<u64, RulesError>)) {
        let mut seen = stamp(&self.path);
        loop {
            tokio::time::sleep(Duration::from_millis(200)).await;
            let now = stamp(&self.path);
            if now.is_some() && now != seen {
                seen = now;
                changed(&self.path, self.reload());
            }
        }
    }
}

/// What tells a changed file: its time and its size.
fn stamp(path: &Path) -> Option<(SystemTime, u64)> {
    let metadata = std::fs::metadata(path).ok()?;
    Some((metadata.modified().ok()?, metadata.len()))
}

fn load(path: &Path, options: &Options, version: u64) -> Result<Live, RulesError> {
    let bytes = std::fs::read(path).map_err(RulesError::Unreadable)?;
    let checked = check_bytes(&bytes, options);
    let source = Source::new(path.to_string_lossy(), String::from_utf8_lossy(&bytes));
    match checked.program {
        Some(program) => Ok(Live { compiled: Compiled::new(program), source, version }),
        None => {
            let mut errors = checked.diagnostics.iter().filter(|d| d.is_error());
            let n_errors = errors.clone().count();
            let first = errors.next().map_or_else(String::new, |error| {
                let at = source.line_column(error.span.start);
                format!("line {}, column {}: {}", at.line, at.column, error.message)
            });
            Err(RulesError::Invalid(first, n_errors))
        }
    }
}
