//! Soundness of records: if a change of the world changes a catalog, it changes an answer in the catalog's record.
//!
//! Nodes ([`nodes`]) are compiled with a record. Then files, data, modules, functions, facts and more are added, edited
//! or removed in a copy, one at a time ([`mutation`], [`request`]), at names that the record asks for or near them. If
//! all answers of the record are as before, the catalog has to be so too.

mod content;
pub mod cost;
mod mutation;
mod nodes;
mod overlay;
pub mod repeat;
mod request;
mod subject;
pub mod warm;

use std::fmt;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};

use anyhow::{Result, anyhow, ensure};
use kukla_world::{Answer, Atom};

use crate::generator::Random;
use crate::reduce::reduce;
use mutation::Targets;
use overlay::Change;
use subject::{Outcome, Subject};

/// One of this many mutations that change a record is compiled, to see whether the catalog has changed.
const PRECISION_ONE_IN: usize = 10;

/// Counts of mutations by their outcome.
#[derive(Clone, Debug, Default)]
pub struct Report {
    /// Mutations.
    pub mutations: u64,
    /// Mutations that change no answer, and no catalog.
    pub untouched: u64,
    /// Mutations that change an answer.
    pub touched: u64,
    /// Mutations that change an answer and were compiled.
    pub compiled: u64,
    /// Of these, those that change the catalog.
    pub changed: u64,
    /// Mutations that change the catalog or the record without an answer that shows it.
    pub violations: Vec<String>,
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { mutations, untouched, touched, compiled, changed, violations } = self;
        writeln!(f, "{mutations} mutations: {} violations", violations.len())?;
        writeln!(f, "{untouched} change no answer, and no catalog")?;
        writeln!(
            f,
            "{touched} change an answer; of {compiled} of them that were compiled, {changed} change the catalog"
        )?;
        violations.iter().take(20).try_for_each(|violation| writeln!(f, "violation: {violation}"))
    }
}

/// A node with its record.
struct Recorded {
    name: String,
    subject: Subject,
    outcome: Outcome,
    record: Vec<Atom>,
    targets: Targets,
}

/// Mutations to make.
#[derive(Clone, Copy, Debug)]
pub struct Plan<'a> {
    /// The number of mutations.
    pub mutations: u64,
    /// The number of the first.
    pub seed: u64,
    /// The kind of questions that records are to lack: the check has to find that they are missed.
    pub without: Option<&'a str>,
}

/// Makes mutations on all cores. `done` is called with the number of those that were begun.
pub fn check(plan: Plan<'_>, done: &(dyn Fn(u64) + Sync)) -> Result<Report> {
    let Plan { mutations, seed, without } = plan;
    let subjects = nodes::usual()?.into_iter().chain(nodes::examples()?);
    let mut nodes: Vec<Recorded> =
        subjects.map(|(name, subject)| record(name, subject)).collect::<Result<_>>()?;
    if let Some(kind) = without {
        let lacks = |node: &mut Recorded| node.record.retain(|atom| atom.kind.name() != kind);
        nodes.iter_mut().for_each(lacks);
    }
    let (next, report) = (AtomicU64::new(0), Mutex::new(Report::default()));
    let work = || loop {
        let number = next.fetch_add(1, Ordering::Relaxed);
        if number >= mutations {
            return;
        }
        done(number);
        let node = &nodes[usize::try_from(number).unwrap_or(0) % nodes.len()];
        let verdict = node.mutated(seed.wrapping_add(number));
        verdict.count(&mut report.lock().unwrap_or_else(PoisonError::into_inner));
    };
    std::thread::scope(|scope| {
        let n_threads = std::thread::available_parallelism().map_or(1, usize::from);
        (0..n_threads).for_each(|_| drop(scope.spawn(work)));
    });
    Ok(report.into_inner().unwrap_or_else(PoisonError::into_inner))
}

/// Compiles a node; its own answers have to be those of its record.
fn record(name: String, subject: Subject) -> Result<Recorded> {
    let ready = subject.open().map_err(|error| anyhow!("{name}: {error}"))?;
    let (outcome, record) = ready.compile();
    ensure!(outcome.is_ok(), "{name} has no catalog: {outcome:?}");
    let volatile = record.iter().find(|atom| atom.answer == Answer::Volatile);
    ensure!(volatile.is_none(), "{name} is volatile: {volatile:?}");
    if let Some(atom) = ready.first_change(&record) {
        return Err(anyhow!("{name}: the answer to {atom:?} is not the recorded one"));
    }
    let targets = Targets::of(&record);
    Ok(Recorded { name, subject, outcome, record, targets })
}

/// The outcome of a mutation.
enum Verdict {
    Untouched,
    Touched,
    /// Touched and compiled; whether the catalog has changed.
    Compiled(bool),
    Violation(String),
}

impl Verdict {
    fn count(self, report: &mut Report) {
        report.mutations += 1;
        match self {
            Self::Untouched => report.untouched += 1,
            Self::Touched => report.touched += 1,
            Self::Compiled(is_changed) => {
                report.touched += 1;
                report.compiled += 1;
                report.changed += u64::from(is_changed);
            }
            Self::Violation(text) => report.violations.push(text),
        }
    }
}

impl Recorded {
    fn mutated(&self, seed: u64) -> Verdict {
        let mut random = Random::new(seed);
        let mut subject = self.subject.clone();
        let description = self.targets.mutate(&mut subject, &mut random);
        let Ok(ready) = subject.open() else { return Verdict::Touched };
        if ready.first_change(&self.record).is_some() {
            return match random.below(PRECISION_ONE_IN) {
                0 => Verdict::Compiled(ready.compile().0 != self.outcome),
                _ => Verdict::Touched,
            };
        }
        match self.is_violated(&subject) {
            false => Verdict::Untouched,
            true => Verdict::Violation(self.described(seed, &description, subject)),
        }
    }

    /// Whether a subject has another catalog or record, though no answer has changed.
    fn is_violated(&self, subject: &Subject) -> bool {
        let Ok(ready) = subject.open() else { return false };
        if ready.first_change(&self.record).is_some() {
            return false;
        }
        let (outcome, record) = ready.compile();
        outcome != self.outcome || self.record.iter().any(|atom| !record.contains(atom))
    }

    /// Describes a violation with the smallest content of its file that shows it.
    fn described(&self, seed: u64, description: &str, subject: Subject) -> String {
        let mut smallest = subject;
        for (path, change) in smallest.files.changes.clone() {
            let Change::Put(content) = change else { continue };
            let with = |text: &str| {
                let mut subject = smallest.clone();
                subject.files.change(&path, Change::Put(text.as_bytes().into()));
                subject
            };
            let text = String::from_utf8_lossy(&content);
            let text = reduce(&text, |text| self.is_violated(&with(text)));
            smallest = with(&text);
        }
        let difference = self.difference(&smallest);
        let changes = &smallest.files.changes;
        format!("{} (seed {seed}): {description}\n  {changes:?}\n  {difference}", self.name)
    }

    /// Describes how a catalog or a record differs from the first.
    fn difference(&self, subject: &Subject) -> String {
        let Ok(ready) = subject.open() else { return "it does not open".to_owned() };
        let (outcome, record) = ready.compile();
        let new: Vec<&Atom> = record.iter().filter(|atom| !self.record.contains(atom)).collect();
        let old: Vec<&Atom> = self.record.iter().filter(|atom| !record.contains(atom)).collect();
        let questions = format!("new questions: {new:?}; no longer asked: {old:?}");
        match outcome {
            Err(error) => format!("error: {error}; {questions}"),
            Ok(_) if outcome == self.outcome => format!("the same catalog; {questions}"),
            Ok(_) => format!("another catalog; {questions}"),
        }
    }
}
