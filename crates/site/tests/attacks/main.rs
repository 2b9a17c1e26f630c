//! Code that tries to use up memory, stack and time: it ends with an error that names a limit, and the process stays.
//!
//! All attacks run in one test, one after the other, since the memory that is measured is that of the process.

#![expect(
    clippy::disallowed_methods,
    clippy::print_stderr,
    reason = "tests read and write files, measure time and memory, and print both in their long form"
)]

#[path = "../alive/code.rs"]
#[expect(dead_code, reason = "the other tests need more of it")]
mod code;
mod data;
mod generated;
mod written;

use std::time::{Duration, Instant};

use kukla_base::cancel::Cancel;
use kukla_compiler::Limits;
use kukla_site::Site;

use code::{Code, compile, hash};

/// The memory that the process may use; a build of the tests alone takes a tenth of it.
const MEMORY: u64 = 400 << 20;

/// The time after which a compilation is stopped: no attack needs it in an optimized build.
const TIME: Duration = Duration::from_secs(4);

/// The CPU time after which a compilation has ended, so that other programs on the machine don't count; a build without
/// optimization has slower steps.
const LATEST: Duration = Duration::from_secs(if cfg!(debug_assertions) { 60 } else { 5 });

/// Parts of the errors that name a limit.
const LIMITS: &[&str] = &[
    "stack level too deep",
    "looped more than",
    "steps",
    " MB",
    " parts",
    "deadline",
    "elements",
    "levels",
    "too big",
    "too many",
    "very long",
    " bits",
];

/// How an attack is expected to end.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Expected {
    /// With an error that names a limit.
    Limit,
    /// With another error.
    Error,
    /// With a catalog or any error.
    Ends,
}

/// How an attack ended.
pub(crate) enum Outcome {
    Catalog,
    /// An error that names a limit.
    Limit,
    /// Another error, such as a type mismatch.
    Other(String),
}

/// A place for attacks.
pub(crate) struct Arena {
    code: Code,
    problems: Vec<String>,
    /// The time after which a compilation is stopped.
    time: Duration,
}

impl Arena {
    pub(crate) fn new() -> Self {
        let code = Code::new(&[("envs/e/manifests/site.pp", "")]);
        Self { code, problems: Vec::new(), time: TIME }
    }

    pub(crate) fn write(&self, path: &str, text: &str) {
        self.code.write(&format!("envs/e/{path}"), text);
    }

    pub(crate) fn remove(&self, path: &str) {
        self.code.remove(&format!("envs/e/{path}"));
    }

    fn site(&self) -> Site {
        self.code.site(&[("ruby_worker", "off")])
    }

    /// Compiles a manifest, and notes a problem unless it ends as expected and within its bounds.
    pub(crate) fn check(&mut self, name: &str, expected: Expected, manifest: &str) {
        let (outcome, time, peak) = self.attack(manifest);
        if std::env::var_os("SHOW").is_some() {
            let word = match &outcome {
                Outcome::Catalog => "catalog",
                Outcome::Limit => "limit",
                Outcome::Other(text) => text,
            };
            eprintln!("{:6} ms {:4} MB {name}: {word}", time.as_millis(), peak >> 20);
        }
        self.bounds(name, time, peak);
        match (outcome, expected) {
            (Outcome::Limit, Expected::Limit)
            | (_, Expected::Ends)
            | (Outcome::Other(_), Expected::Error) => (),
            (Outcome::Catalog, _) => self.problems.push(format!("a catalog: {name}")),
            (Outcome::Limit, _) => self.problems.push(format!("a limit: {name}")),
            (Outcome::Other(text), _) => self.problems.push(format!("{text}: {name}")),
        }
    }

    /// Fails if there were problems, or if the process can't go on.
    fn finish(&mut self) {
        self.time = TIME;
        assert!(matches!(self.attack("notify { 'alive': }").0, Outcome::Catalog));
        let problems = &self.problems;
        assert!(problems.is_empty(), "{} problems:\n{}", problems.len(), problems.join("\n"));
    }

    /// Notes a problem if an attack took too much time or memory.
    fn bounds(&mut self, name: &str, time: Duration, peak: u64) {
        if peak > MEMORY + MEMORY / 10 {
            self.problems.push(format!("{} MB: {name}", peak >> 20));
        }
        if time > LATEST {
            self.problems.push(format!("{time:?}: {name}"));
        }
    }

    /// Compiles a manifest; returns also the CPU time and the most memory that it took.
    fn attack(&mut self, manifest: &str) -> (Outcome, Duration, u64) {
        self.write("manifests/site.pp", manifest);
        let site = self.site();
        // Resets the peak that the system remembers.
        let _ = std::fs::write("/proc/self/clear_refs", "5");
        let start = cpu_time();
        let limits = Limits {
            steps: 300_000,
            deadline: Some(Instant::now() + self.time),
            memory: Some(MEMORY),
            ..Limits::default()
        };
        let cancel = Cancel::after_visits(300_000);
        let compiled =
            compile(&site, "e", hash(&[]), limits, |request| request.cancel = cancel.clone());
        let outcome = match &compiled.catalog {
            Ok(_) => Outcome::Catalog,
            Err(failure) => {
                let text = failure.to_string();
                let is_limit = LIMITS.iter().any(|limit| text.contains(limit));
                if is_limit { Outcome::Limit } else { Outcome::Other(text) }
            }
        };
        drop(compiled);
        (outcome, cpu_time().saturating_sub(start), peak())
    }
}

/// Returns the CPU time that the process has used, in steps of 10 ms.
fn cpu_time() -> Duration {
    let text = std::fs::read_to_string("/proc/self/stat").unwrap_or_default();
    // The name of the program is in parentheses, and may have blanks.
    let fields = text.rsplit(')').next().unwrap_or_default().split_whitespace();
    let ticks: u64 = fields.skip(11).take(2).filter_map(|field| field.parse::<u64>().ok()).sum();
    Duration::from_millis(10 * ticks)
}

/// Returns the most memory that the process has used since that was reset.
fn peak() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find(|line| line.starts_with("VmHWM:")).unwrap_or_default();
    let kilobytes = line.split_whitespace().nth(1).and_then(|number| number.parse::<u64>().ok());
    kilobytes.unwrap_or_default() << 10
}

#[test]
fn attacks_end_with_an_error_that_names_the_limit() {
    let mut arena = Arena::new();
    written::run(&mut arena, written::Extent::Quick);
    arena.finish();
}

#[test]
#[ignore = "takes minutes without optimization"]
fn all_attacks_end() {
    let mut arena = Arena::new();
    if std::env::var_os("ATTACKS").is_none() {
        written::run(&mut arena, written::Extent::All);
        data::run(&mut arena);
    }
    generated::run(&mut arena);
    arena.finish();
}
