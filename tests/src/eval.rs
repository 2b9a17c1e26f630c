//! Specs of evaluation: expressions with their values, logs and errors.
//!
//! A Markdown file below `spec/eval/` has blocks of code. In a `pp` block every line is a case; a `pp whole` block is one
//! case. The `answers` block after it is recorded from real Puppet and never edited by hand: one line of JSON per case,
//! in the protocol of `kukla eval --jsonl`.

use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use anyhow::{Context, Result, ensure};
use data_encoding::BASE64;
use kukla_compiler::{Functions, Limits, NODE, Session};
use kukla_pcore::Hash;
use kukla_stdlib::module::{self, Generation};
use serde_json::{Value, json};
use walkdir::WalkDir;

use crate::ROOM;
use crate::edition::strict_rules;

/// The file name of code in messages.
pub const FILE: &str = "/case.pp";

/// Variable with the folder of a module `stdlib` of version 9; Debian has none.
pub const STDLIB_9: &str = "KUKLA_STDLIB_9";

/// Modules that cases can use.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Modules {
    /// None.
    None,
    /// Those of Debian, stdlib 8 among them: for the topics below `eval/stdlib/`.
    Stdlib,
    /// stdlib 9: for the topics below `eval/stdlib9/`.
    Stdlib9,
}

impl Modules {
    fn of_topic(topic: &str) -> Self {
        match topic.split('/').nth(1) {
            Some("stdlib") => Self::Stdlib,
            Some("stdlib9") => Self::Stdlib9,
            _ => Self::None,
        }
    }

    /// Returns Puppet's module path; `None` if the modules are not installed.
    pub fn path(self) -> Option<Vec<String>> {
        let path = match self {
            Self::None => return Some(Vec::new()),
            Self::Stdlib => "/usr/share/puppet/modules".to_owned(),
            Self::Stdlib9 => std::env::var(STDLIB_9).ok()?,
        };
        Path::new(&path).join("stdlib").is_dir().then(|| vec![path])
    }

    /// Returns the version of stdlib, such as `stdlib 8.5.0`.
    pub fn version(self) -> Option<String> {
        let path = self.path()?.into_iter().next()?;
        let text = std::fs::read_to_string(Path::new(&path).join("stdlib/metadata.json")).ok()?;
        let metadata: Value = serde_json::from_str(&text).ok()?;
        Some(format!("stdlib {}", metadata["version"].as_str()?))
    }

    /// Returns the generation of stdlib, if there is one.
    pub fn generation(self) -> Generation {
        if self == Self::Stdlib9 { Generation::Nine } else { Generation::Eight }
    }

    fn functions(self) -> Functions {
        let built_in = Functions::new(kukla_stdlib::BUILT_IN);
        match self {
            Self::None => built_in,
            Self::Stdlib | Self::Stdlib9 => built_in.with(module::functions(self.generation())),
        }
    }

    /// Returns the types that the module defines, for live comparisons: recorded cases don't use them.
    pub fn types(self) -> String {
        let Some(path) = self.path().and_then(|path| path.into_iter().next()) else {
            return String::new();
        };
        let files = WalkDir::new(Path::new(&path).join("stdlib/types")).sort_by_file_name();
        let text = |entry: walkdir::DirEntry| std::fs::read_to_string(entry.path()).ok();
        files.into_iter().flatten().filter_map(text).collect()
    }
}

/// Prefix of the line with the versions that gave the answers.
const RECORDED_FROM: &str = "Recorded from ";

/// One Markdown file.
#[derive(Debug)]
pub struct EvalSpec {
    /// The file.
    pub path: PathBuf,
    /// `eval/operators/addition`
    pub topic: String,
    /// The modules that its cases can use.
    pub modules: Modules,
    lines: Vec<String>,
    /// Its blocks of code, in order.
    pub blocks: Vec<EvalBlock>,
}

/// A block of code.
#[derive(Debug)]
pub struct EvalBlock {
    /// The heading above it, with a number if there are several blocks below it.
    pub title: String,
    /// The modules that its cases can use.
    modules: Modules,
    /// The cases.
    pub cases: Vec<String>,
    /// The recorded answers: one per case, or none yet.
    pub answers: Vec<String>,
    /// The lines after the code with the recorded answers.
    record: std::ops::Range<usize>,
}

/// Returns the spec files whose topic is wanted, in the order of their names.
pub fn specs(wanted: impl Fn(&str) -> bool) -> Result<Vec<EvalSpec>> {
    let folder = Path::new(ROOM).join("spec/eval");
    let mut found = Vec::new();
    for entry in WalkDir::new(&folder).sort_by_file_name() {
        let path = match entry {
            Ok(entry) => entry.into_path(),
            // The folder may not exist yet.
            Err(_) => continue,
        };
        let is_spec = path.extension().is_some_and(|extension| extension == "md");
        if !is_spec || path.file_stem().is_some_and(|stem| stem == "README") {
            continue;
        }
        let below = path.strip_prefix(Path::new(ROOM).join("spec"))?.with_extension("");
        let topic = below.to_string_lossy().into_owned();
        if wanted(&topic) {
            found.push(EvalSpec::read(path, topic)?);
        }
    }
    Ok(found)
}

impl EvalSpec {
    fn read(path: PathBuf, topic: String) -> Result<Self> {
        let text = std::fs::read_to_string(&path)
            .with_context(|| format!("cannot read `{}`", path.display()))?;
        let lines: Vec<String> = text.split('\n').map(str::to_owned).collect();
        let modules = Modules::of_topic(&topic);
        let blocks = blocks(&lines, modules).with_context(|| format!("in `{}`", path.display()))?;
        Ok(Self { path, topic, modules, lines, blocks })
    }

    /// Returns the versions that gave the answers: `Puppet 7.23.0, stdlib 8.5.0.`
    pub fn recorded_from(&self) -> Option<&str> {
        self.lines.iter().find_map(|line| line.strip_prefix(RECORDED_FROM))
    }

    /// Iterates over all cases.
    pub fn cases(&self) -> impl Iterator<Item = &String> {
        self.blocks.iter().flat_map(|block| &block.cases)
    }

    /// Returns the text of the file with new answers, one per case, and the versions that gave them.
    pub fn with_answers(&self, answers: &[String], versions: &str) -> String {
        let mut out: Vec<String> = Vec::new();
        let (mut copied, mut rest) = (0, answers);
        for block in &self.blocks {
            let (own, others) = rest.split_at(block.cases.len());
            rest = others;
            out.extend_from_slice(&self.lines[copied..block.record.start]);
            out.push("```answers".to_owned());
            out.extend_from_slice(own);
            out.push("```".to_owned());
            copied = block.record.end;
        }
        out.extend_from_slice(&self.lines[copied..]);
        let said = format!("{RECORDED_FROM}{versions}.");
        match out.iter_mut().find(|line| line.starts_with(RECORDED_FROM)) {
            Some(line) => *line = said,
            // Below the title.
            None => drop(out.splice(1..1, [String::new(), said])),
        }
        out.join("\n")
    }
}

fn blocks(lines: &[String], modules: Modules) -> Result<Vec<EvalBlock>> {
    let mut blocks: Vec<EvalBlock> = Vec::new();
    let (mut title, mut n_below, mut at) = (String::new(), 0, 0);
    while at < lines.len() {
        let line = &lines[at];
        if let Some(words) = line.strip_prefix("```") {
            let end = (at + 1..lines.len())
                .find(|&line| lines[line] == "```")
                .with_context(|| format!("the block of line {} has no end", at + 1))?;
            let text = &lines[at + 1..end];
            at = end + 1;
            if words == "answers" {
                let block = blocks.last_mut().context("answers without code")?;
                block.answers = text.to_vec();
                block.record.end = at;
            } else if words == "pp" || words == "pp whole" {
                n_below += 1;
                let title =
                    if n_below > 1 { format!("{title} ({n_below})") } else { title.clone() };
                let cases = match words {
                    "pp" => text.iter().filter(|line| !line.is_empty()).cloned().collect(),
                    _ => vec![text.join("\n")],
                };
                blocks.push(EvalBlock {
                    title,
                    modules,
                    cases,
                    answers: Vec::new(),
                    record: at..at,
                });
            }
            continue;
        }
        if let Some(heading) = line.strip_prefix('#') {
            title = heading.trim_start_matches('#').trim().to_owned();
            n_below = 0;
        }
        at += 1;
    }
    Ok(blocks)
}

impl EvalBlock {
    /// Compares our answers with the recorded ones; an error describes the difference.
    pub fn check(&self) -> Result<()> {
        ensure!(
            self.answers.len() == self.cases.len(),
            "{} answers for {} cases; run `cargo xtask record eval`",
            self.answers.len(),
            self.cases.len()
        );
        let mut differences = String::new();
        for (case, answer) in self.cases.iter().zip(&self.answers) {
            let recorded: Value = serde_json::from_str(answer).context("an answer is not JSON")?;
            let ours = answer_of(case, self.modules);
            if let Some(difference) = difference(&recorded, &ours) {
                let _ = writeln!(differences, "{case}\n{difference}");
            }
        }
        ensure!(differences.is_empty(), "{differences}");
        Ok(())
    }
}

/// Returns the difference between Puppet's answer and ours, if there is one.
///
/// Puppet's text of some values contains addresses, and some values have no JSON; these are not compared.
pub fn difference(puppet: &Value, ours: &Value) -> Option<String> {
    let is_value = puppet.get("error").is_none();
    // Puppet fails to show some values of types and iterators.
    if puppet["error"].as_str().is_some_and(|error| error.contains("`implementation_class'")) {
        return None;
    }
    let mut out = String::new();
    for key in ["value", "type", "string", "error", "logs"] {
        let (theirs, own) = (&puppet[key], &ours[key]);
        let is_same = match key {
            "value" => resolved(theirs, theirs) == resolved(own, own),
            "logs" => without_locations(theirs) == without_locations(own),
            "error" => same_error(theirs, own),
            _ => theirs == own,
        };
        let is_recorded = !is_value
            || key == "error"
            || puppet.get(key).is_some_and(|said| key != "string" || !said.is_null());
        if !is_same && is_recorded {
            let _ = writeln!(out, "  puppet {key}: {theirs}\n  kukla  {key}: {own}");
        }
    }
    if out.is_empty() { None } else { Some(out) }
}

/// Removes the places in Ruby's files that Puppet adds to deprecations from a log.
fn without_locations(logs: &Value) -> Value {
    let mut logs = logs.clone();
    for entry in logs.as_array_mut().into_iter().flatten() {
        let text = entry["message"].as_str().unwrap_or_default();
        for mark in ["\n   (location: ", "\n   (file & line not available)"] {
            if let Some(at) = text.find(mark) {
                entry["message"] = Value::from(&text[..at]);
                break;
            }
        }
    }
    logs
}

/// Whether two errors are equal, up to the address of a Ruby object in Puppet's message.
fn same_error(puppet: &Value, ours: &Value) -> bool {
    match (puppet.as_str(), ours.as_str()) {
        (Some(puppet), Some(ours)) if puppet.contains(":0x0000") => {
            puppet.split_once("#<").is_none_or(|(before, _)| ours.starts_with(before))
        }
        // Our message also has the depth.
        (Some("stack level too deep"), Some(ours)) => ours.starts_with("stack level too deep"),
        _ => puppet == ours,
    }
}

/// Replaces references in rich data by their targets: whether two types are one object in Ruby is not compared.
/// Catalogs have no such references.
fn resolved(data: &Value, root: &Value) -> Value {
    match data {
        Value::Array(values) => values.iter().map(|value| resolved(value, root)).collect(),
        Value::Object(entries) => match (entries.get("__ptype"), entries.get("__pvalue")) {
            (Some(Value::String(name)), Some(Value::String(path))) if name == "LocalRef" => {
                match at(root, path) {
                    Some(target) if !contains(target, data) => resolved(target, root),
                    _ => data.clone(),
                }
            }
            // Text that Ruby holds as bytes; the type distinguishes it from binary data.
            (Some(Value::String(name)), Some(Value::String(bytes))) if name == "Binary" => {
                match BASE64
                    .decode(bytes.as_bytes())
                    .ok()
                    .and_then(|bytes| String::from_utf8(bytes).ok())
                {
                    Some(text) => Value::from(text),
                    None => data.clone(),
                }
            }
            _ => entries.iter().map(|(k, v)| (k.clone(), resolved(v, root))).collect(),
        },
        other => other.clone(),
    }
}

/// Whether data contains a part: types may contain themselves.
fn contains(data: &Value, part: &Value) -> bool {
    let inside = |value: &Value| value == part || contains(value, part);
    match data {
        Value::Array(values) => values.iter().any(inside),
        Value::Object(entries) => entries.values().any(inside),
        _ => false,
    }
}

/// Returns the part at `$[0]['key']`.
fn at<'a>(root: &'a Value, path: &str) -> Option<&'a Value> {
    let mut part = root;
    for key in path.strip_prefix('$')?.split(']').filter(|key| !key.is_empty()) {
        let key = key.strip_prefix('[')?;
        part = match key.strip_prefix('\'').and_then(|key| key.strip_suffix('\'')) {
            Some(name) => part.get(name)?,
            None => part.get(key.parse::<usize>().ok()?)?,
        };
    }
    Some(part)
}

/// Returns our answer to a case.
pub fn answer_of(code: &str, modules: Modules) -> Value {
    answer_with(code, modules, "")
}

/// Returns our answer to a case after some definitions.
pub fn answer_with(code: &str, modules: Modules, definitions: &str) -> Value {
    let library = Arc::new(modules.functions());
    let mut session = Session::new(library, strict_rules(), Limits::default(), &Hash::default());
    if !definitions.is_empty() {
        session.evaluate(definitions, "/definitions.pp");
    }
    let outcome = session.evaluate(code, FILE);
    kukla_compiler::answer::json(&outcome, NODE)
}

/// Returns the question for the oracle.
pub fn question(code: &str, modules: Modules) -> Value {
    json!({ "id": 0, "code": code, "modulepath": modules.path().unwrap_or_default() })
}
