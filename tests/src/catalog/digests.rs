//! Digests of catalogs that are made from real modules.

use std::fmt;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, ensure};
use serde_json::Value;

use super::corpus::Case;
use crate::ROOM;
use crate::digests::digest;

/// Number of hexadecimal digits per resource: enough to tell which one differs.
const RESOURCE: usize = 4;

/// Digests of one answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Line {
    /// `apache::mod::ssl`
    pub name: String,
    /// Whether Puppet needs ERB or a module's Ruby functions for it.
    pub needs_ruby: bool,
    /// The digest of the catalog, or of the error.
    pub whole: String,
    /// One digest per resource; `None` if Puppet fails.
    pub resources: Option<String>,
}

impl Line {
    /// Digests a [`normal`](super::normal()) answer.
    pub fn of(name: &str, answer: &Value) -> Self {
        let catalog = answer.get("catalog");
        let whole = match catalog {
            Some(catalog) => digest(catalog.to_string()),
            None => digest(answer["error"].as_str().unwrap_or_default()),
        };
        let resources = catalog.map(|catalog| {
            let resources = catalog["resources"].as_array().into_iter().flatten();
            resources.map(|resource| digest(resource.to_string())[..RESOURCE].to_owned()).collect()
        });
        let needs_ruby = answer.get("ruby").is_some();
        Self { name: name.to_owned(), needs_ruby, whole, resources }
    }

    /// Returns the number of resources of the catalog.
    pub fn n_resources(&self) -> usize {
        self.resources.as_ref().map_or(0, String::len) / RESOURCE
    }

    /// Whether our [`normal`](super::normal()) answer is equal.
    pub fn agrees(&self, ours: &Value) -> bool {
        let ours = Self::of(&self.name, ours);
        self.whole == ours.whole && self.resources.is_some() == ours.resources.is_some()
    }

    fn parse(line: &str) -> Result<Self> {
        let words: Vec<&str> = line.splitn(4, '\t').collect();
        ensure!(words.len() == 4, "`{line}` is no line of digests");
        Ok(Self {
            whole: words[0].to_owned(),
            needs_ruby: words[1] == "ruby",
            name: words[2].to_owned(),
            resources: (words[3] != "fails").then(|| words[3].to_owned()),
        })
    }
}

impl fmt::Display for Line {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let ruby = if self.needs_ruby { "ruby" } else { "-" };
        let resources = self.resources.as_deref().unwrap_or("fails");
        write!(out, "{}\t{ruby}\t{}\t{resources}", self.whole, self.name)
    }
}

/// Reads the digests of a set of facts.
pub fn read(facts: &str) -> Result<Vec<Line>> {
    text(facts)?.lines().filter(|line| !line.starts_with('#')).map(Line::parse).collect()
}

/// Returns names and versions of the packages with which the digests of a set of facts were recorded.
pub fn packages(facts: &str) -> Result<Vec<String>> {
    let text = text(facts)?;
    let packages = text.lines().filter_map(|line| line.strip_prefix("# "));
    Ok(packages.filter(|line| line.starts_with("puppet-module-")).map(str::to_owned).collect())
}

fn text(facts: &str) -> Result<String> {
    let path = path(facts);
    std::fs::read_to_string(&path).with_context(|| format!("cannot read `{}`", path.display()))
}

/// Returns the recorded cases of a set of facts.
pub fn cases(facts: &str) -> Result<Vec<Case>> {
    let case = |line: Line| Case { name: line.name, facts: facts.to_owned() };
    Ok(read(facts)?.into_iter().map(case).collect())
}

/// Writes the digests of a set of facts.
pub fn write(facts: &str, head: &[String], lines: &[Line]) -> Result<()> {
    let head = head.iter().map(|line| format!("# {line}\n"));
    let lines = lines.iter().map(|line| format!("{line}\n"));
    let path = path(facts);
    std::fs::create_dir_all(path.parent().context("a file has a folder")?)?;
    std::fs::write(&path, head.chain(lines).collect::<String>())
        .with_context(|| format!("cannot write `{}`", path.display()))
}

fn path(facts: &str) -> PathBuf {
    Path::new(ROOM).join("digests/catalogs").join(format!("{facts}.txt"))
}
