//! Recorded lookups, made by the compiler in environments on the disk: functions that give data are really called.
//!
//! The answers are those of `kukla-lookup`'s own tests, where a host stands in for the compiler.

#![expect(
    clippy::disallowed_methods,
    reason = "tests read and write files, run programs and measure time"
)]

use std::cell::RefCell;
use std::path::{Path, PathBuf};
use std::rc::Rc;
use std::sync::Arc;

use ecow::EcoString;
use kukla_base::Edition;
use kukla_compiler::compile::{Lookups, Request};
use kukla_compiler::{Strict, Strictness};
use kukla_lookup::{Fault, FaultKind, Query, Trace, not_found};
use kukla_pcore::{Hash, Value, richdata};
use kukla_site::Environment;
use kukla_site::{Options, RubyWorker, Snapshot};
use serde_json::{Value as Json, json};

#[test]
fn functions_of_puppet_and_ruby_give_data() {
    check("functions");
}

#[test]
fn functions_of_puppet_with_options_and_locations() {
    check("backends");
}

/// Compares all recorded answers of a subject with ours.
#[track_caller]
fn check(subject: &str) {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let path = root.join(format!("../lookup/tests/recorded/{subject}.jsonl"));
    let text = std::fs::read_to_string(path).expect("answers are recorded");
    let (mut n_queries, mut variables, mut wrong) = (0, json!({}), Vec::new());
    for line in text.lines() {
        let case: Json = serde_json::from_str(line).expect("a line is JSON");
        if let Some(own) = case.get("variables") {
            variables = own.clone();
        }
        let folder = Folder::new(subject);
        let ours = answers(&case, &variables, &folder.0);
        for (index, query) in case["queries"].as_array().expect("queries").iter().enumerate() {
            n_queries += 1;
            let theirs = &case["answers"][index];
            if ours[index] != *theirs {
                let files = &case["files"];
                wrong.push(format!("---- {query}\n{files}\n{theirs}\n{}", ours[index]));
            }
        }
    }
    assert!(n_queries > 0, "no questions");
    let shown = std::env::var("KUKLA_SHOW").ok().and_then(|n| n.parse().ok()).unwrap_or(5);
    let some = wrong[..wrong.len().min(shown)].join("\n");
    assert!(wrong.is_empty(), "{} of {n_queries} differ:\n{some}", wrong.len());
}

/// A directory that goes away at the end.
struct Folder(PathBuf);

impl Folder {
    fn new(name: &str) -> Self {
        let path = std::env::temp_dir().join(format!("kukla-{name}-{}", std::process::id()));
        std::fs::create_dir_all(path.join("code/environments/production/modules"))
            .expect("a directory can be made");
        Self(path)
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

fn answers(case: &Json, variables: &Json, root: &Path) -> Vec<Json> {
    let shown = root.to_str().expect("a plain path");
    for (path, text) in case["files"].as_object().expect("files") {
        let path = root.join(path);
        std::fs::create_dir_all(path.parent().expect("a directory")).expect("it can be made");
        let text = text.as_str().expect("a text").replace("'/w/", &format!("'{shown}/"));
        std::fs::write(path, text).expect("it can be written");
    }
    let strict = match case["strict"].as_str() {
        Some("off") => Strict::Off,
        Some("warning") => Strict::Warning,
        _ => Strict::Error,
    };
    let directory = root.join("code/environments/production");
    let environment =
        Environment::open(&directory, &[], &kukla_world::Disk).expect("an environment");
    let options = Options {
        name: "production".to_owned(),
        hiera_config: Some(root.join("hiera.yaml")),
        codedir: Some(root.join("code")),
        ruby_worker: RubyWorker::Off,
        strict,
        edition: Edition::Seven,
        ..Options::default()
    };
    let snapshot = Arc::new(Snapshot::new(environment, options, &mut Vec::new()));
    let strictness =
        Strictness { strict, editions: Edition::Seven.into(), ..Strictness::default() };
    let request = request(variables);
    let start = || snapshot.lookups(strictness, &request).expect("it starts");
    let mut lookups = start();
    let mut answers = Vec::new();
    for query in case["queries"].as_array().expect("queries") {
        if case["together"] != json!(true) {
            lookups = start();
        }
        answers.push(relative(answer(&mut lookups, query), shown));
    }
    answers
}

fn request(variables: &Json) -> Request {
    let hash = |json: &Json| match value(json) {
        Value::Hash(hash) => hash,
        _ => Arc::default(),
    };
    let facts = hash(&variables["facts"]);
    Request {
        node: "web1.example.com".to_owned(),
        environment: "production".to_owned(),
        trusted: hash(&variables["trusted"]),
        parameters: Arc::clone(&facts),
        facts,
        ..Request::default()
    }
}

/// Texts with the root as it is recorded.
fn relative(json: Json, root: &str) -> Json {
    match json {
        Json::String(text) => Json::String(text.replace(root, "/w")),
        Json::Array(items) => items.into_iter().map(|item| relative(item, root)).collect(),
        Json::Object(entries) => Json::Object(
            entries
                .into_iter()
                .map(|(key, item)| (key.replace(root, "/w"), relative(item, root)))
                .collect(),
        ),
        other => other,
    }
}

fn answer(lookups: &mut Lookups, query: &Json) -> Json {
    let trace =
        (!query["explain"].is_null()).then(|| Rc::new(RefCell::new(Trace::new().revealing())));
    let found = ask(lookups, query, trace.as_ref());
    let mut answer = serde_json::Map::new();
    match found {
        Ok(found) => {
            let options =
                richdata::Options { local_references: false, ..richdata::Options::default() };
            let data = richdata::to_data(&found, &options, &mut |_| Ok(())).expect("it is data");
            answer.insert("value".into(), to_json(&data));
        }
        Err(fault) => {
            let kind = match fault.kind {
                FaultKind::Lookup => "lookup",
                FaultKind::Puppet => "puppet",
                FaultKind::Other => "other",
            };
            if let (Some(trace), FaultKind::Lookup) = (&trace, fault.kind) {
                trace.borrow_mut().text(fault.to_string());
            }
            answer.insert("error".into(), json!([kind, fault.to_string()]));
        }
    }
    if let Some(trace) = trace {
        answer.insert("explain".into(), json!(trace.borrow().explain()));
    }
    let log: Vec<Json> = lookups
        .take_log()
        .iter()
        .filter(|entry| entry.level.as_str() == "warning")
        .map(|entry| json!([entry.level.as_str(), entry.message]))
        .collect();
    if !log.is_empty() {
        answer.insert("logs".into(), json!(log));
    }
    Json::Object(answer)
}

fn ask(
    lookups: &mut Lookups,
    query: &Json,
    trace: Option<&Rc<RefCell<Trace>>>,
) -> Result<Value, Fault> {
    let names = query["names"].as_array().expect("names").iter();
    let names: Vec<EcoString> = names.map(|n| n.as_str().expect("a name").into()).collect();
    let merge = query.get("merge").map(value);
    let asked = Query { merge: merge.as_ref(), ..Query::new(&names) };
    match lookups.lookup(&asked, trace)? {
        Some(found) => Ok(found.value),
        None => Err(not_found(&names)),
    }
}

/// JSON as a value.
fn value(json: &Json) -> Value {
    match json {
        Json::Null => Value::Undef,
        Json::Bool(value) => Value::from(*value),
        Json::Number(number) => match number.as_i64() {
            Some(number) => Value::from(number),
            None => Value::from(number.as_f64().expect("a number")),
        },
        Json::String(text) => Value::from(text.as_str()),
        Json::Array(items) => Value::array(items.iter().map(value)),
        Json::Object(entries) => Value::from(
            entries.iter().map(|(k, v)| (Value::from(k.as_str()), value(v))).collect::<Hash>(),
        ),
    }
}

fn to_json(data: &Value) -> Json {
    match data {
        Value::Undef => Json::Null,
        Value::Boolean(value) => json!(value),
        Value::Integer(number) => json!(number),
        Value::Float(number) if number.is_finite() => json!(number),
        Value::Float(number) => {
            json!({ "__float": kukla_pcore::ruby::to_s(&Value::Float(*number)) })
        }
        Value::String(text) => json!(text.as_str()),
        Value::Array(items) => items.iter().map(to_json).collect(),
        Value::Hash(hash) => Json::Object(
            hash.iter()
                .map(|(k, v)| (k.as_str().expect("a text").to_owned(), to_json(v)))
                .collect(),
        ),
        other => panic!("{other:?} is no data"),
    }
}
