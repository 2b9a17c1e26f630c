//! Digests of Puppet's answers about corpora that are too large to store.

use std::path::{Path, PathBuf};

use anyhow::{Context, Result, ensure};
use sha2::{Digest as _, Sha256};

use crate::{ROOM, View};

/// Replacement of a missing tree.
const NONE: &str = "-";
/// Replacement of the diagnostics when Puppet crashed: only the verdict counts.
const CRASH: &str = "crash";

/// A file of digests: a head, then one line per source.
#[derive(Debug, Default)]
pub struct Digests {
    /// The lines on top, without their `# `.
    pub head: Vec<String>,
    /// The sources.
    pub lines: Vec<Line>,
}

/// Digests of one source.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Line {
    /// Its name: a path or a seed.
    pub name: String,
    /// The digest of the source.
    pub source: String,
    /// The digests of the answer.
    pub view: Summary,
}

/// The digests of a view.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Summary {
    /// Of the PN.
    pub pn: String,
    /// Of the JSON.
    pub json: String,
    /// Of the nodes.
    pub nodes: String,
    /// Of the diagnostics.
    pub issues: String,
}

impl Summary {
    /// Digests a view.
    pub fn of(view: &View) -> Self {
        let tree = |text: &Option<String>| match text {
            Some(text) if !view.is_crash() => digest(text),
            _ => NONE.to_owned(),
        };
        let issues = if view.is_crash() { CRASH.to_owned() } else { digest(code_free(view)) };
        Self { pn: tree(&view.pn), json: tree(&view.json), nodes: tree(&view.nodes), issues }
    }

    /// Returns the parts of Kukla's view that differ from this summary of Puppet's.
    pub fn differences(&self, ours: &View) -> Vec<&'static str> {
        let got = Self::of(ours);
        let issues = match self.issues.as_str() {
            CRASH => !ours.is_valid(),
            _ => self.issues == got.issues,
        };
        [
            ("failure", ours.failure.is_none()),
            ("issues", issues),
            ("pn", self.pn == NONE || self.pn == got.pn),
            ("json", self.json == NONE || self.json == got.json),
            ("nodes", self.nodes == NONE || self.nodes == got.nodes),
        ]
        .into_iter()
        .filter_map(|(name, same)| (!same).then_some(name))
        .collect()
    }
}

/// Returns the diagnostics without their codes, since Puppet has none for some.
fn code_free(view: &View) -> String {
    let line =
        |issue: &crate::Issue| format!("{:?} {} {}\n", issue.severity, issue.place, issue.message);
    view.issues.iter().map(line).collect()
}

impl Digests {
    /// Reads a file of `digests/`.
    pub fn read(name: &str) -> Result<Self> {
        let path = path(name);
        let text = std::fs::read_to_string(&path)
            .with_context(|| format!("cannot read `{}`", path.display()))?;
        let mut digests = Self::default();
        for line in text.lines() {
            match line.strip_prefix('#') {
                Some(head) => digests.head.push(head.trim().to_owned()),
                None => digests.lines.push(Line::parse(line)?),
            }
        }
        Ok(digests)
    }

    /// Writes a file of `digests/`.
    pub fn write(&self, name: &str) -> Result<()> {
        let head = self.head.iter().map(|line| format!("# {line}\n"));
        let lines = self.lines.iter().map(|line| format!("{line}\n"));
        let path = path(name);
        std::fs::create_dir_all(path.parent().context("a file has a folder")?)?;
        std::fs::write(&path, head.chain(lines).collect::<String>())
            .with_context(|| format!("cannot write `{}`", path.display()))
    }
}

impl Line {
    /// Digests a source and the answer about it.
    pub fn new(name: String, source: &[u8], view: &View) -> Self {
        Self { name, source: digest(source), view: Summary::of(view) }
    }

    fn parse(line: &str) -> Result<Self> {
        let words: Vec<&str> = line.splitn(6, ' ').collect();
        ensure!(words.len() == 6, "`{line}` is no line of digests");
        let word = |index: usize| words[index].to_owned();
        let view = Summary { pn: word(1), json: word(2), nodes: word(3), issues: word(4) };
        Ok(Self { name: word(5), source: word(0), view })
    }
}

impl std::fmt::Display for Line {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Summary { pn, json, nodes, issues } = &self.view;
        write!(out, "{} {pn} {json} {nodes} {issues} {}", self.source, self.name)
    }
}

/// Returns the first 16 hexadecimal digits of the SHA-256.
pub fn digest(bytes: impl AsRef<[u8]>) -> String {
    let hash = Sha256::digest(bytes.as_ref());
    hash.iter().take(8).map(|byte| format!("{byte:02x}")).collect()
}

fn path(name: &str) -> PathBuf {
    Path::new(ROOM).join("digests").join(name)
}
