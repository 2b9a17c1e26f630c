//! Questions and answers, one a line.

use std::io::{self, BufRead, Write};

use anyhow::Context;
use kukla_compiler::answer;
use serde_json::{Value as Json, json};

use super::{NODE, facts_of, session};
use crate::Outcome;
use crate::shell::Shell;

/// The file that code believes to be in.
const FILE: &str = "/case.pp";

/// Answers the questions on standard input until it ends.
pub(super) fn run(_shell: &Shell) -> anyhow::Result<Outcome> {
    let mut out = io::stdout().lock();
    for line in io::stdin().lock().lines() {
        let line = line.context("cannot read standard input")?;
        if line.trim().is_empty() {
            continue;
        }
        let answer = match serde_json::from_str(&line) {
            Ok(question) => answer_to(&question),
            Err(error) => json!({ "error": format!("the question is not JSON: {error}") }),
        };
        writeln!(out, "{answer}").and_then(|()| out.flush()).context("cannot answer")?;
    }
    Ok(Outcome::Fine)
}

fn answer_to(question: &Json) -> Json {
    let facts = match question.get("facts").map(facts_of).transpose() {
        Ok(facts) => facts.unwrap_or_default(),
        Err(error) => return json!({ "id": question["id"], "error": error.to_string() }),
    };
    let Some(code) = question["code"].as_str() else {
        return json!({ "id": question["id"], "error": "the question has no code" });
    };
    let evaluated = session(&facts).evaluate(code, FILE);
    let mut answer = serde_json::Map::new();
    answer.insert("id".to_owned(), question["id"].clone());
    if let Json::Object(rest) = answer::json(&evaluated, NODE) {
        answer.extend(rest);
    }
    Json::Object(answer)
}
