//! Questions and answers, one per line.

use std::collections::HashMap;
use std::io::{self, BufRead, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use anyhow::Context;
use kukla_base::Edition;
use kukla_compiler::{Library, Limits, Session, answer};
use kukla_pcore::Value;
use kukla_site::{Environment, NodeFacts, Options, Snapshot};
use kukla_syntax::Strict;
use serde_json::{Value as Json, json};

use super::{NODE, library, strictness};
use crate::Exit;

/// The file name of evaluated code.
const FILE: &str = "/case.pp";

/// Answers the questions on standard input until it ends.
pub(super) fn run(edition: Edition) -> anyhow::Result<Exit> {
    let mut out = io::stdout().lock();
    let mut libraries = Libraries::default();
    for line in io::stdin().lock().lines() {
        let line = line.context("cannot read standard input")?;
        if line.trim().is_empty() {
            continue;
        }
        let answer = match serde_json::from_str(&line) {
            Ok(question) => answer_to(&question, edition, &mut libraries),
            Err(error) => json!({ "error": format!("the question is not JSON: {error}") }),
        };
        writeln!(out, "{answer}").and_then(|()| out.flush()).context("cannot answer")?;
    }
    Ok(Exit::Success)
}

fn answer_to(question: &Json, default: Edition, libraries: &mut Libraries) -> Json {
    let facts = match question.get("facts").map(|facts| kukla_site::json(&facts.to_string())) {
        None => Arc::default(),
        Some(Ok(Value::Hash(facts))) => NodeFacts::of(&facts).values,
        Some(Ok(_)) => return json!({ "id": question["id"], "error": "facts are not a hash" }),
        Some(Err(error)) => return json!({ "id": question["id"], "error": error.to_string() }),
    };
    let Some(code) = question["code"].as_str() else {
        return json!({ "id": question["id"], "error": "the question has no code" });
    };
    let edition = match question["edition"].as_str() {
        None => default,
        Some(name) => match Edition::named(name) {
            Some(edition) => edition,
            None => return json!({ "id": question["id"], "error": "there is no such edition" }),
        },
    };
    let library = libraries.of(&question["modulepath"], edition);
    let mut session = Session::new(library, strictness(edition), Limits::default(), &facts);
    let evaluated = session.evaluate(code, FILE);
    let mut answer = serde_json::Map::new();
    answer.insert("id".to_owned(), question["id"].clone());
    if let Json::Object(rest) = answer::json(&evaluated, NODE) {
        answer.extend(rest);
    }
    Json::Object(answer)
}

/// Libraries by module path and edition; modules are read once.
#[derive(Default)]
struct Libraries(HashMap<(Vec<PathBuf>, Edition), Arc<dyn Library>>);

impl Libraries {
    /// Returns the library of a module path; without modules, the built-in functions.
    fn of(&mut self, modulepath: &Json, edition: Edition) -> Arc<dyn Library> {
        let directories = modulepath.as_array().into_iter().flatten();
        let modulepath: Vec<PathBuf> =
            directories.filter_map(Json::as_str).map(PathBuf::from).collect();
        if modulepath.is_empty() {
            return library();
        }
        let library =
            self.0.entry((modulepath, edition)).or_insert_with_key(|(modulepath, edition)| {
                // The environment itself is empty.
                let mut environment =
                    Environment::new(Path::new("/dev/null/none"), "", &[], &kukla_world::Disk);
                environment.modulepath.clone_from(modulepath);
                let (name, strict, edition) = ("test".to_owned(), Strict::Error, *edition);
                let options = Options { name, strict, edition, ..Options::default() };
                Arc::new(Snapshot::new(environment, options, &mut Vec::new()))
            });
        Arc::clone(library)
    }
}
