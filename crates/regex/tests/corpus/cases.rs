//! The cases of `patterns.txt`.
//!
//! A line `== topic` begins a topic. A line that begins with `>` has the texts for the patterns below it, as a list in JSON;
//! `options` and `replace` are set in the same way, as `> options: "i"`. All remaining lines are patterns, in JSON if they
//! begin with a quotation mark.

use serde_json::{Map, Value, json};

/// Returns all cases, in order.
pub(crate) fn cases() -> Vec<Value> {
    let text = include_str!("patterns.txt");
    let mut settings = Map::new();
    let mut cases = Vec::new();
    for line in text.lines().filter(|line| !line.is_empty()) {
        if line.starts_with("== ") {
            settings.clear();
        } else if let Some(setting) = line.strip_prefix("> options: ") {
            settings.insert("options".to_owned(), parsed(setting));
        } else if let Some(setting) = line.strip_prefix("> replace: ") {
            settings.insert("replace".to_owned(), parsed(setting));
        } else if let Some(subjects) = line.strip_prefix("> ") {
            settings.insert("subjects".to_owned(), parsed(subjects));
        } else {
            let pattern = if line.starts_with('"') { parsed(line) } else { json!(line) };
            let mut case = settings.clone();
            case.insert("pattern".to_owned(), pattern);
            cases.push(Value::Object(case));
        }
    }
    cases
}

fn parsed(json: &str) -> Value {
    serde_json::from_str(json).expect("settings are JSON")
}
