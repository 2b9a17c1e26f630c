//! Kukla's XPP files, read by real Puppet: with the plugin `puppet-xpp`, and alone.
//!
//! Puppet compares every node that it reads with the tree of its own parser (`oracle/xpp.rb`).

use anyhow::{Context, Result};
use data_encoding::BASE64;
use kukla_base::Diagnostic;
use kukla_syntax::{check, parse};
use kukla_xpp::{Encoding, encode};
use serde_json::{Map, Value, json};

use crate::oracle::{Oracle, ask_each};
use crate::{Case, modules};

const SCRIPT: &str = "xpp.rb";
const ENCODINGS: [(&str, Encoding); 3] =
    [("flat", Encoding::Flat), ("json", Encoding::Json), ("msgpack", Encoding::Msgpack)];

/// A source whose files are read.
#[derive(Clone, Debug)]
pub struct Question {
    /// Its name in messages.
    pub name: String,
    /// The source.
    pub case: Case,
    /// Whether a source with errors has files if it parses. Otherwise it has none, as with `kukla xpp build`.
    pub parse_only: bool,
    /// Whether Puppet alone reads the file in `json` too. That takes ten times as long as all the rest.
    pub stock: bool,
}

/// Result of reading the files of one source.
#[derive(Clone, Debug, Default)]
pub struct Reading {
    /// Number of readers that gave the same tree.
    pub n_same: usize,
    /// `reader: first difference`.
    pub differences: Vec<String>,
}

/// Lets Puppet read the files of all these sources, on all cores; calls `done` with their number.
///
/// A source with errors has no file; its [`Reading`] is empty.
pub fn read_all(questions: &[Question], done: &(dyn Fn(usize) + Sync)) -> Result<Vec<Reading>> {
    ask_each(SCRIPT, questions, &ask, done)
}

/// Returns the plugin's own edge cases.
pub fn edges() -> Result<Vec<Question>> {
    let answer = Oracle::start_script(SCRIPT)?.ask_json(&json!({"edges": true}))?;
    answer.as_array().context("Puppet knows no edge cases")?.iter().map(edge).collect()
}

/// Returns the manifests of Debian's module packages; templates are never loaded from files.
pub fn manifests() -> Result<Vec<Question>> {
    let files = modules::installed().into_iter().filter(|file| file.name.ends_with(".pp"));
    let question = |file: modules::ModuleFile| {
        let case = file.case()?;
        Ok(Question { name: file.name, case, parse_only: true, stock: false })
    };
    files.map(question).collect()
}

fn edge(answer: &Value) -> Result<Question> {
    let name = answer["name"].as_str().context("an edge case has no name")?;
    let text = answer["text"].as_str().context("an edge case has no text")?;
    let is = |key: &str| answer[key].as_bool().unwrap_or_default();
    let case = Case {
        template: is("epp"),
        tasks: is("tasks"),
        ..Case::manifest(BASE64.decode(text.as_bytes())?)
    };
    Ok(Question { name: format!("edge case {name}"), case, parse_only: true, stock: true })
}

fn ask(oracle: &mut Oracle, question: &Question) -> Result<Reading> {
    let case = &question.case;
    let documents = documents(question);
    if documents.is_empty() && !question.parse_only {
        return Ok(Reading::default());
    }
    let stock = documents.get("json").filter(|_| question.stock);
    let answer = oracle.ask_json(&json!({
        "text": BASE64.encode(&case.bytes),
        "epp": case.template,
        "tasks": case.tasks,
        "file": case.file_name(),
        "documents": documents,
        "stock": stock,
    }))?;
    reading(&answer, !documents.is_empty())
}

/// Returns the files of a source in every encoding; none if it has no tree.
fn documents(question: &Question) -> Map<String, Value> {
    let case = &question.case;
    let Ok(text) = std::str::from_utf8(&case.bytes) else { return Map::new() };
    let read = if question.parse_only { parse } else { check };
    let parsed = read(text, &case.options());
    if parsed.diagnostics.iter().any(Diagnostic::is_error) {
        return Map::new();
    }
    let document = |(name, encoding): (&str, Encoding)| {
        let bytes = encode(&parsed.ast, &case.file_name(), &[], encoding);
        (name.to_owned(), Value::from(BASE64.encode(&bytes)))
    };
    ENCODINGS.into_iter().map(document).collect()
}

/// Converts an answer; `has_tree`: whether Kukla parses the source.
fn reading(answer: &Value, has_tree: bool) -> Result<Reading> {
    let verdicts = answer.as_object().context("Puppet's answer is no object")?;
    let mut reading = Reading::default();
    if verdicts.is_empty() {
        reading.differences.push("only Puppet parses it".to_owned());
    }
    for (reader, verdict) in verdicts {
        match verdict.as_str() {
            None => reading.n_same += 1,
            Some(_) if reader == "unparsed" && !has_tree => (),
            Some(difference) => reading.differences.push(format!("{reader}: {difference}")),
        }
    }
    Ok(reading)
}
