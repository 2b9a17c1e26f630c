//! Counts of equal and different catalogs, with the causes of differences.

use std::collections::BTreeMap;
use std::fmt;

use serde_json::Value;

use super::difference::{Cause, differences};

/// `equal / different / failed` of some cases.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Count {
    /// Equal catalogs or messages.
    pub equal: usize,
    /// A different catalog or message, or a catalog where Puppet fails.
    pub different: usize,
    /// No catalog where Puppet has one.
    pub failed: usize,
}

impl fmt::Display for Count {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { equal, different, failed } = self;
        write!(out, "{equal} equal / {different} different / {failed} failed")
    }
}

/// Kind of case.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Kind {
    /// Puppet has a catalog, and needs neither ERB nor Ruby functions of modules.
    Plain,
    /// Puppet has a catalog, and needs ERB or Ruby functions of modules.
    NeedsRuby,
    /// Puppet fails.
    Fails,
}

impl Kind {
    /// All kinds with their names.
    pub const ALL: [(Self, &'static str); 3] = [
        (Self::Plain, "without Ruby"),
        (Self::NeedsRuby, "with ERB or Ruby functions"),
        (Self::Fails, "that Puppet refuses"),
    ];

    /// Returns the kind of a case.
    pub fn of(is_catalog: bool, needs_ruby: bool) -> Self {
        match (is_catalog, needs_ruby) {
            (false, _) => Self::Fails,
            (true, true) => Self::NeedsRuby,
            (true, false) => Self::Plain,
        }
    }
}

/// The counts, and the causes of all differences.
#[derive(Debug, Default)]
pub struct Score {
    counts: BTreeMap<Kind, Count>,
    causes: BTreeMap<String, CauseCount>,
}

/// Cases that differ for one cause.
#[derive(Debug)]
pub struct CauseCount {
    /// Number of cases.
    pub n_cases: usize,
    /// Number of cases in which it is the only cause.
    pub n_alone: usize,
    /// The smallest kind of case that has it.
    pub kind: Kind,
    /// One of the cases.
    pub example: String,
    /// The difference in that case.
    pub cause: Cause,
}

impl Score {
    /// Counts a case with the answers of both sides.
    pub fn add(&mut self, name: &str, puppet: &Value, kukla: &Value) {
        let kind = Kind::of(puppet.get("catalog").is_some(), puppet.get("ruby").is_some());
        let causes = differences(puppet, kukla);
        self.count(kind, causes.is_empty(), kukla.get("catalog").is_some());
        let is_alone = causes.len() == 1;
        for cause in causes {
            self.note(name, kind, cause, is_alone);
        }
    }

    /// Counts a case whose causes are unknown.
    pub fn count(&mut self, kind: Kind, is_equal: bool, is_catalog: bool) {
        let count = self.counts.entry(kind).or_default();
        match (is_equal, kind, is_catalog) {
            (true, ..) => count.equal += 1,
            (false, Kind::Plain | Kind::NeedsRuby, false) => count.failed += 1,
            _ => count.different += 1,
        }
    }

    fn note(&mut self, name: &str, kind: Kind, cause: Cause, is_alone: bool) {
        let example = name.to_owned();
        let found = self.causes.entry(cause.kind.clone()).or_insert_with(|| CauseCount {
            n_cases: 0,
            n_alone: 0,
            kind,
            example: example.clone(),
            cause: cause.clone(),
        });
        found.n_cases += 1;
        if kind < found.kind || (is_alone && found.n_alone == 0) {
            (found.kind, found.example, found.cause) = (found.kind.min(kind), example, cause);
        }
        found.n_alone += usize::from(is_alone);
    }

    /// Returns the counts of one kind.
    pub fn of(&self, kind: Kind) -> Count {
        self.counts.get(&kind).copied().unwrap_or_default()
    }

    /// Returns the counts of all kinds.
    pub fn all(&self) -> Count {
        self.counts.values().fold(Count::default(), |all, count| Count {
            equal: all.equal + count.equal,
            different: all.different + count.different,
            failed: all.failed + count.failed,
        })
    }

    /// Returns the causes, most frequent first.
    pub fn causes(&self) -> Vec<&CauseCount> {
        let mut causes: Vec<&CauseCount> = self.causes.values().collect();
        causes.sort_by_key(|found| std::cmp::Reverse((found.n_cases, found.n_alone)));
        causes
    }
}

impl fmt::Display for Score {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (kind, name) in Kind::ALL {
            writeln!(out, "catalogs {name}: {}", self.of(kind))?;
        }
        write!(out, "all: {}", self.all())
    }
}
