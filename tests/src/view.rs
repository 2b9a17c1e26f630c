//! What one side says about a source.

use crate::{Code, Issue, issue};

/// What one side, Puppet or Kukla, says about a source.
#[derive(Clone, Debug, Default)]
pub struct View {
    /// The tree as `dump --format pn` prints it; `None` when the source does not parse.
    pub pn: Option<String>,
    /// The tree as `dump --format json` prints it.
    pub json: Option<String>,
    /// Every node with its place, one a line: `LiteralString 5 3`.
    pub nodes: Option<String>,
    /// The complaints, cut and ordered so that both sides can be compared.
    pub issues: Vec<Issue>,
    /// Why there is no answer at all: a panic, or an oracle that failed.
    pub failure: Option<String>,
}

impl View {
    /// A view with these complaints, in the order of the side that has them.
    pub fn with_issues(issues: Vec<Issue>) -> Self {
        Self { issues: issue::comparable(issues), ..Self::default() }
    }

    /// Whether the source can be used.
    pub fn is_valid(&self) -> bool {
        !self.issues.iter().any(Issue::is_error)
    }

    /// Whether Puppet broke on the source, so that only its verdict counts.
    pub fn is_crash(&self) -> bool {
        self.issues.iter().any(|issue| matches!(issue.code, Code::Crash(_)))
    }

    /// The complaints, one a line as specs keep them.
    pub fn issue_lines(&self) -> String {
        self.issues.iter().map(|issue| format!("{issue}\n")).collect()
    }
}
