//! View of one side on a source.

use crate::{Code, Issue, issue};

/// View of one side, Puppet or Kukla, on a source.
#[derive(Clone, Debug, Default)]
pub struct View {
    /// The tree as `dump --format pn` prints it; `None` when the source does not parse.
    pub pn: Option<String>,
    /// The tree as `dump --format json` prints it.
    pub json: Option<String>,
    /// Every node with its place, one per line: `LiteralString 5 3`.
    pub nodes: Option<String>,
    /// The diagnostics, cut and sorted for comparison.
    pub issues: Vec<Issue>,
    /// The reason why there is no answer: a panic, or an oracle that failed.
    pub failure: Option<String>,
}

impl View {
    /// Creates a view with these diagnostics, in the order of their side.
    pub fn with_issues(issues: Vec<Issue>) -> Self {
        Self { issues: issue::comparable(issues), ..Self::default() }
    }

    /// Whether the source is valid.
    pub fn is_valid(&self) -> bool {
        !self.issues.iter().any(Issue::is_error)
    }

    /// Whether Puppet crashed on the source, so that only its verdict counts.
    pub fn is_crash(&self) -> bool {
        self.issues.iter().any(|issue| matches!(issue.code, Code::Crash(_)))
    }

    /// Returns the diagnostics, one per line as in specs.
    pub fn issue_lines(&self) -> String {
        self.issues.iter().map(|issue| format!("{issue}\n")).collect()
    }
}
