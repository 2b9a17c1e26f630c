//! What `kukla eval --jsonl` answers.

use kukla_pcore::{format, richdata, types};
use serde_json::{Value as Json, json};

use crate::Outcome;
use crate::log::{Entry, Level};

/// An outcome as JSON: value (rich data), type, text and log, or the error with the name of the node.
pub fn json(outcome: &Outcome, node: &str) -> Json {
    let mut answer = serde_json::Map::new();
    match &outcome.value {
        Ok(value) => {
            answer.insert("type".to_owned(), types::infer_set(value).to_string().into());
            answer.insert("string".to_owned(), format::program(value).into());
            answer.insert("value".to_owned(), richdata::to_json(value));
        }
        Err(message) => {
            answer.insert("error".to_owned(), format!("{message} on node {node}").into());
        }
    }
    let entries = outcome.log.iter().filter(|entry| entry.level != Level::Debug);
    answer.insert("logs".to_owned(), entries.map(log).collect());
    Json::Object(answer)
}

fn log(entry: &Entry) -> Json {
    let mut json = json!({ "level": entry.level.as_str(), "message": entry.message });
    if let Some(file) = &entry.file {
        json["file"] = file.to_string().into();
    }
    if let Some(line) = entry.line {
        json["line"] = line.into();
    }
    json
}
