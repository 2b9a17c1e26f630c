//! One run of an agent, and what it did.

use std::fmt::Write as _;
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;
use std::process::Command;

use crate::stage::Stage;

/// Files up to this size are noted with their content.
const MOST_NOTED: usize = 200;

/// A run of an agent.
pub(crate) struct Run {
    pub(crate) agent: String,
    /// 0: nothing to do; 1: no catalog; 2: changes; 4 and 6: failures.
    pub(crate) status: i32,
    /// Everything that it printed.
    pub(crate) text: String,
    /// The events of its report.
    pub(crate) events: Vec<String>,
}

impl Run {
    pub(crate) fn of(stage: &Stage, agent: &str, command: &mut Command) -> Self {
        let report = stage.own(agent).join("vardir/state/last_run_report.yaml");
        let _ = std::fs::remove_file(&report);
        let output = command.output().expect("puppet runs");
        let text = [output.stdout, output.stderr].concat();
        let yaml = std::fs::read_to_string(report).unwrap_or_default();
        Self {
            agent: agent.to_owned(),
            status: output.status.code().unwrap_or(-1),
            text: String::from_utf8_lossy(&text).into_owned(),
            events: events(&yaml),
        }
    }

    /// Fails unless the run ended with this status and printed these words.
    pub(crate) fn expect(&self, status: i32, words: &[&str]) -> &Self {
        assert_eq!(self.status, status, "{}:\n{}", self.agent, self.text);
        for word in words {
            assert!(self.text.contains(word), "{}: no `{word}` in:\n{}", self.agent, self.text);
        }
        self
    }

    /// Fails if the run printed some words.
    pub(crate) fn refuse(&self, words: &str) -> &Self {
        assert!(!self.text.contains(words), "{}: `{words}` in:\n{}", self.agent, self.text);
        self
    }

    /// Returns what two servers must have in common: status, errors, events, files.
    pub(crate) fn notes(&self, stage: &Stage) -> String {
        let mut notes = format!("{}: {}\n", self.agent, self.status);
        // Facts depend on the machine.
        let is_noted = |line: &&str| line.starts_with("Error: ") && !line.contains("Facter: ");
        for line in self.text.lines().filter(is_noted) {
            let _ = writeln!(notes, "  {line}");
        }
        for event in &self.events {
            let _ = writeln!(notes, "  {event}");
        }
        notes + &tree(&stage.target(&self.agent))
    }
}

/// Returns the events of a report, a line each, sorted. The YAML has one `key: value` per line.
fn events(yaml: &str) -> Vec<String> {
    let mut events = Vec::new();
    let mut resource = "";
    let mut lines = yaml.lines().skip_while(|line| *line != "resource_statuses:").skip(1);
    while let Some(line) = lines.next().filter(|line| line.starts_with(' ')) {
        let is_key = line.starts_with("  ") && !line.starts_with("   ");
        if is_key {
            resource = line.trim().trim_end_matches(':');
        }
        let trimmed = line.trim_start();
        let fields = ["property:", "previous_value:", "desired_value:", "message:", "status:"];
        let is_event = line.starts_with("      ") || line.starts_with("    - ");
        if is_event && fields.iter().any(|field| trimmed.starts_with(field)) {
            events.push(format!("{resource} {trimmed}"));
        }
    }
    events
}

/// Returns the files below a directory with modes and contents, sorted.
pub(crate) fn tree(directory: &Path) -> String {
    let mut notes = String::new();
    let entries = std::fs::read_dir(directory).into_iter().flatten().flatten();
    let mut paths: Vec<_> = entries.map(|entry| entry.path()).collect();
    paths.sort();
    for path in paths {
        let status = path.symlink_metadata().expect("a status");
        let mode = status.permissions().mode() & 0o7777;
        let content = if status.is_symlink() {
            format!("-> {}", std::fs::read_link(&path).expect("a link").display())
        } else if status.is_dir() {
            "/".to_owned()
        } else {
            let bytes = std::fs::read(&path).expect("a file");
            match std::str::from_utf8(&bytes) {
                Ok(text) if text.len() <= MOST_NOTED => format!("{text:?}"),
                _ => format!("{} bytes, {:08x}", bytes.len(), crc32fast::hash(&bytes)),
            }
        };
        let _ = writeln!(notes, "  {} {mode:o} {content}", path.display());
        if status.is_dir() {
            notes += &tree(&path);
        }
    }
    notes
}
