//! The answers of `kukla eval --jsonl`.

use kukla_pcore::{Value, format, richdata, types};
use serde_json::{Value as Json, json};

use crate::Outcome;
use crate::log::{Entry, Level};

/// An outcome as JSON: value (rich data), type, text and log, or the error with the name of the node.
pub fn json(outcome: &Outcome, node: &str) -> Json {
    let mut answer = serde_json::Map::new();
    let with_data = outcome.value.as_ref().map_err(ToString::to_string).and_then(|value| {
        let data = data(value)?;
        Ok((value, data))
    });
    match with_data {
        Ok((value, data)) => {
            answer.insert("type".to_owned(), types::infer_set(value).text().into());
            let text = format::convert(value, &Value::from("%p"));
            answer.insert("string".to_owned(), text.ok().into());
            // What is not a number has no JSON.
            if !matches!(data, Value::Float(number) if !number.is_finite()) {
                answer.insert("value".to_owned(), plain(&data));
            }
        }
        Err(message) => {
            answer.insert("error".to_owned(), format!("{message} on node {node}").into());
        }
    }
    let entries = outcome.log.iter().filter(|entry| entry.level != Level::Debug);
    answer.insert("logs".to_owned(), entries.map(log).collect());
    Json::Object(answer)
}

/// The rich data of a value, or why it has none.
fn data(value: &Value) -> Result<Value, String> {
    let mut refuse = |issue: &richdata::DataLoss| {
        Err(richdata::DataError::Refused(format!("Evaluation Error: {issue}")))
    };
    richdata::to_data(value, &richdata::Options::default(), &mut refuse)
        .map_err(|error| error.to_string())
}

/// Data as JSON.
fn plain(data: &Value) -> Json {
    match data {
        Value::Boolean(value) => (*value).into(),
        Value::Integer(value) => (*value).into(),
        Value::Float(value) => (*value).into(),
        Value::String(text) => text.as_str().into(),
        Value::Array(values) => values.iter().map(plain).collect(),
        Value::Hash(hash) => {
            let entries = hash
                .iter()
                .filter_map(|(key, value)| Some((key.as_str()?.to_owned(), plain(value))));
            Json::Object(entries.collect())
        }
        _ => Json::Null,
    }
}

/// A message as JSON.
pub fn log(entry: &Entry) -> Json {
    let mut json = json!({ "level": entry.level.as_str(), "message": entry.message });
    if let Some(source) = &entry.source {
        json["source"] = source.to_string().into();
    }
    if let Some(file) = &entry.file {
        json["file"] = file.to_string().into();
    }
    if let Some(line) = entry.line {
        json["line"] = line.into();
    }
    json
}
