//! Specs of catalogs: one rule per heading, with the complete answer of real Puppet.
//!
//! Below a heading, a `pp` block is the environment's `manifests/site.pp`, a block with a path after the language
//! (`pp modules/a/manifests/init.pp`) another of its files, and a `json request` block has more keys of the question.
//! The file `edition-8.md` has answers of edition 8, all others those of edition 7 with `strict=error`.
//! The `answer` block is recorded and never edited by hand.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail, ensure};
use kukla_base::Edition;
use serde_json::{Map, Value, json};

use super::environment::{self, Environments};
use super::markdown::{self, Block};
use super::{Kukla, difference, normal};
use crate::{Oracle, ROOM};

const MANIFEST: &str = "manifests/site.pp";
const ANSWER: &str = "answer";
const CRASH: &str = "stack level too deep";

/// One Markdown file.
#[derive(Debug)]
pub struct CatalogSpec {
    /// The file.
    pub path: PathBuf,
    /// `catalog/classes`
    pub topic: String,
    /// The edition of its answers: that of the name `edition-8`, or else 7.
    pub edition: Edition,
    lines: Vec<String>,
    /// The cases, in order.
    pub cases: Vec<CatalogCase>,
}

/// One heading.
#[derive(Debug)]
pub struct CatalogCase {
    /// The heading.
    pub title: String,
    files: Vec<(String, String)>,
    request: Map<String, Value>,
    /// The recorded answer.
    pub answer: Option<Value>,
    /// The lines of the recorded answer, or the place for them.
    record: std::ops::Range<usize>,
}

/// Returns the spec files whose topic is wanted, in the order of their names.
pub fn specs(wanted: impl Fn(&str) -> bool) -> Result<Vec<CatalogSpec>> {
    let folder = Path::new(ROOM).join("spec/catalog");
    let mut found = Vec::new();
    for entry in walkdir::WalkDir::new(&folder).sort_by_file_name() {
        let path = entry?.into_path();
        let stem = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        let is_spec = path.extension().is_some_and(|extension| extension == "md");
        let topic = format!("catalog/{stem}");
        if is_spec && stem != "README" && wanted(&topic) {
            found.push(CatalogSpec::read(path, topic)?);
        }
    }
    Ok(found)
}

impl CatalogSpec {
    fn read(path: PathBuf, topic: String) -> Result<Self> {
        let text = std::fs::read_to_string(&path)
            .with_context(|| format!("cannot read `{}`", path.display()))?;
        let lines: Vec<String> = text.split('\n').map(str::to_owned).collect();
        let sections = markdown::sections(&lines)?;
        let named = topic.split_once("edition-").and_then(|(_, name)| Edition::named(name));
        let edition = named.unwrap_or(Edition::Seven);
        let cases = sections
            .into_iter()
            .map(|section| CatalogCase::of(section.title, section.blocks, edition))
            .collect::<Result<_>>()
            .with_context(|| format!("in `{}`", path.display()))?;
        Ok(Self { path, topic, edition, lines, cases })
    }

    /// Returns the text of the file with new answers, one per case.
    pub fn with_answers(&self, answers: &[Value]) -> Result<String> {
        let mut out: Vec<String> = Vec::new();
        let mut copied = 0;
        for (case, answer) in self.cases.iter().zip(answers) {
            out.extend_from_slice(&self.lines[copied..case.record.start]);
            out.push(format!("```{ANSWER}"));
            out.extend(laid_out(answer)?);
            out.push("```".to_owned());
            copied = case.record.end;
        }
        out.extend_from_slice(&self.lines[copied..]);
        Ok(out.join("\n"))
    }
}

impl CatalogCase {
    fn of(title: String, blocks: Vec<Block>, edition: Edition) -> Result<Self> {
        let mut files = Vec::new();
        let mut request = Map::new();
        let mut answer = None;
        let mut record = 0..0;
        for block in blocks {
            if block.words == ANSWER {
                answer = Some(serde_json::from_str(&block.text).context("an answer is no JSON")?);
                record.end = block.lines.end;
                continue;
            }
            record = block.lines.end..block.lines.end;
            match block.words.split_once(' ') {
                None if block.words == "pp" => files.push((MANIFEST.to_owned(), block.text)),
                Some(("json", "request")) => {
                    request = serde_json::from_str(&block.text).context("a request is no JSON")?;
                }
                Some((_, path)) => files.push((path.to_owned(), block.text)),
                None => bail!("a block `{}` has no meaning here", block.words),
            }
        }
        request.entry("edition").or_insert_with(|| edition.as_str().into());
        Ok(Self { title, files, request, answer, record })
    }

    /// Creates a case without a recorded answer.
    pub fn generated(
        title: String,
        files: Vec<(String, String)>,
        mut request: Map<String, Value>,
    ) -> Self {
        request.entry("edition").or_insert_with(|| crate::edition().as_str().into());
        Self { title, files, request, answer: None, record: 0..0 }
    }

    /// Returns a description for people: all files.
    pub fn shown(&self) -> String {
        let file = |(path, text): &(String, String)| format!("--- {path}\n{}", text.trim_end());
        self.files.iter().map(file).collect::<Vec<_>>().join("\n")
    }

    /// Compares our answer with that of real Puppet; an error describes the difference.
    pub fn compare(&mut self, oracle: &mut Oracle, kukla: &mut Kukla) -> Result<()> {
        self.answer = Some(self.ask(oracle)?);
        self.check(kukla)
    }

    /// Returns the texts of its manifests.
    pub fn manifests(&self) -> impl Iterator<Item = &str> {
        let manifests = self.files.iter().filter(|(path, _)| path.ends_with(".pp"));
        manifests.map(|(_, text)| text.as_str())
    }

    /// Writes the environment of the case to a temporary directory.
    pub fn environments(&self) -> Result<Environments> {
        Environments::write(self.files.iter().map(|(path, text)| (path.as_str(), text.as_str())))
    }

    /// Returns the question.
    pub fn question(&self, environments: &Environments) -> Value {
        let root = environments.path();
        let mut question = json!({
            "id": self.title,
            "environmentpath": root,
            "environment": environment::NAME,
            "node": "web.example.com",
            "facts": {},
        });
        for (key, value) in &self.request {
            question[key] = value.clone();
        }
        question
    }

    /// Asks real Puppet.
    pub fn ask(&self, oracle: &mut Oracle) -> Result<Value> {
        let environments = self.environments()?;
        let answer = oracle.ask_json(&self.question(&environments))?;
        Ok(normalized(&answer, &environments))
    }

    /// Compares our answer with the recorded one; an error describes the difference.
    pub fn check(&self, kukla: &mut Kukla) -> Result<()> {
        let recorded = self.answer.as_ref().context("run `cargo xtask record catalog-specs`")?;
        let environments = self.environments()?;
        let ours = normalized(&kukla.ask(&self.question(&environments))?, &environments);
        // Where Puppet crashed only the verdict is compared.
        if recorded["error"] == CRASH {
            ensure!(ours.get("error").is_some(), "puppet crashes, and kukla has a catalog");
            return Ok(());
        }
        let found = difference(recorded, &ours);
        ensure!(found.is_none(), "{}", found.map(|cause| cause.to_string()).unwrap_or_default());
        for key in ["exported", "logs"] {
            ensure!(
                recorded[key] == ours[key],
                "{key}:\n  puppet {}\n  kukla  {}",
                recorded[key],
                ours[key]
            );
        }
        Ok(())
    }
}

fn normalized(answer: &Value, environments: &Environments) -> Value {
    normal(answer, &environments.path().to_string_lossy(), environment::DISPLAYED)
}

/// Formats JSON for people and for diffs: one resource, edge or message per line.
fn laid_out(answer: &Value) -> Result<Vec<String>> {
    let object = answer.as_object().context("an answer is an object")?;
    let entry = |(key, value): (&String, &Value)| match value.as_object() {
        Some(catalog) => format!("{}:{{\n{}\n}}", json!(key), rows(catalog)),
        None => row(key, value),
    };
    let entries: Vec<String> = object.iter().map(entry).collect();
    let text = format!("{{\n{}\n}}", entries.join(",\n"));
    Ok(text.split('\n').map(str::to_owned).collect())
}

fn rows(object: &Map<String, Value>) -> String {
    let rows: Vec<String> = object.iter().map(|(key, value)| row(key, value)).collect();
    rows.join(",\n")
}

fn row(key: &str, value: &Value) -> String {
    match value.as_array() {
        Some(items) if items.iter().any(Value::is_object) => {
            let items: Vec<String> = items.iter().map(Value::to_string).collect();
            format!("{}:[\n  {}]", json!(key), items.join(",\n  "))
        }
        _ => format!("{}:{value}", json!(key)),
    }
}

/// Result of comparing many cases.
#[derive(Debug, Default)]
pub struct Comparison {
    /// The names of all cases, `topic: title`.
    pub cases: BTreeSet<String>,
    /// Differences by case.
    pub differences: BTreeMap<String, String>,
}

impl Comparison {
    /// Returns the names of the cases that differ.
    pub fn differing(&self) -> BTreeSet<String> {
        self.differences.keys().cloned().collect()
    }
}

/// Compares all cases of some topics.
pub fn check_all(specs: &[CatalogSpec], start: impl Fn() -> Result<Kukla>) -> Result<Comparison> {
    let mut kukla = start()?;
    let mut comparison = Comparison::default();
    for spec in specs {
        for case in &spec.cases {
            let name = format!("{}: {}", spec.topic, case.title);
            if let Err(error) = case.check(&mut kukla) {
                comparison.differences.insert(name.clone(), format!("{error:#}"));
                if !kukla.is_running() {
                    kukla = start()?;
                }
            }
            comparison.cases.insert(name);
        }
    }
    Ok(comparison)
}
