//! Recorded cases, and Kukla's answers to them.

mod host;

use std::cell::RefCell;
use std::path::Path;
use std::rc::Rc;
use std::sync::Arc;

use ecow::EcoString;
use kukla_lookup::{
    Fault, FaultKind, Layers, ModulePlace, Places, Query, Session, Trace, not_found,
};
use kukla_pcore::{Hash, Value, richdata, types};
use kukla_syntax::Strict;
use kukla_world::Memory;
use serde_json::{Value as Json, json};

pub(crate) use host::TestHost;

const ENVIRONMENT: &str = "/w/code/environments/production";

/// Compares all recorded answers of a subject with Kukla's.
#[track_caller]
pub(crate) fn check(subject: &str) {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    check_file(&root.join(format!("tests/recorded/{subject}.jsonl")));
}

/// Compares all recorded answers of a file with Kukla's.
#[track_caller]
pub(crate) fn check_file(path: &Path) {
    let text = std::fs::read_to_string(path).expect("answers are recorded");
    let (mut n_queries, mut variables, mut wrong) = (0, json!({}), Vec::new());
    for line in text.lines() {
        let case: Json = serde_json::from_str(line).expect("a line is JSON");
        if let Some(own) = case.get("variables") {
            variables = own.clone();
        }
        let answers = answers(&case, &variables);
        let queries = case["queries"].as_array().expect("queries");
        for (index, query) in queries.iter().enumerate() {
            n_queries += 1;
            let theirs = &case["answers"][index];
            if answers[index] != *theirs {
                wrong.push(difference(&case, query, theirs, &answers[index]));
            }
        }
    }
    assert!(n_queries > 0, "no questions");
    let shown = std::env::var("KUKLA_SHOW").ok().and_then(|n| n.parse().ok()).unwrap_or(5);
    assert!(
        wrong.is_empty(),
        "{} of {n_queries} differ:\n{}",
        wrong.len(),
        wrong[..wrong.len().min(shown)].join("\n")
    );
}

/// Returns the first differing line of each differing field.
fn difference(case: &Json, query: &Json, theirs: &Json, ours: &Json) -> String {
    let mut lines = vec![format!("---- {query}")];
    for (path, text) in case["files"].as_object().expect("files") {
        if path.ends_with("hiera.yaml") {
            lines.push(format!("{path}: {text}"));
        }
    }
    for key in ["value", "error", "logs", "explain"] {
        let text = |answer: &Json| match answer.get(key) {
            Some(Json::String(text)) => text.clone(),
            Some(other) => other.to_string(),
            None => "nothing".to_owned(),
        };
        let (theirs, ours) = (text(theirs), text(ours));
        let same = theirs.lines().zip(ours.lines()).take_while(|(a, b)| a == b).count();
        if theirs != ours {
            let line = |text: &str| text.lines().nth(same).unwrap_or("(end)").to_owned();
            lines.push(format!("{key}: {}\n ours: {}", line(&theirs), line(&ours)));
        }
    }
    lines.join("\n")
}

fn answers(case: &Json, variables: &Json) -> Vec<Json> {
    let layers = Arc::new(layers(case));
    let queries = case["queries"].as_array().expect("queries");
    let mut session = Session::new(Arc::clone(&layers));
    let mut host = TestHost::new(value(variables));
    let mut answers = Vec::new();
    for query in queries {
        if case["together"] != json!(true) {
            session = Session::new(Arc::clone(&layers));
        }
        answers.push(answer(&session, &mut host, query));
    }
    answers
}

pub(crate) fn layers(case: &Json) -> Layers {
    let mut files = Memory::default();
    let mut places = Places {
        hiera_config: "/w/hiera.yaml".into(),
        codedir: "/w/code".into(),
        directory: Some(ENVIRONMENT.into()),
        ..Places::default()
    };
    for (path, text) in case["files"].as_object().expect("files") {
        let (path, text) = (format!("/w/{path}"), text.as_str().expect("a text"));
        if let Some(rest) = path.strip_prefix(&format!("{ENVIRONMENT}/modules/")) {
            let name = rest.split('/').next().expect("a name");
            let place = ModulePlace {
                directory: format!("{ENVIRONMENT}/modules/{name}").into(),
                data_provider: None,
            };
            places.modules.insert(name.into(), place);
        }
        if path.ends_with("/environment.conf") {
            places.data_provider = text.split(" = ").nth(1).map(|name| name.trim().into());
        }
        files.insert(path, text);
    }
    places.edition = kukla_base::Edition::Seven;
    places.strict = match case["strict"].as_str() {
        Some("off") => Strict::Off,
        Some("warning") => Strict::Warning,
        _ => Strict::Error,
    };
    Layers::new(Arc::new(files), places)
}

fn answer(session: &Rc<Session>, host: &mut TestHost, query: &Json) -> Json {
    host.logs.clear();
    let trace = match &query["explain"] {
        Json::Null => None,
        Json::Bool(_) => Some(Trace::new().revealing()),
        only => Some(Trace::of_options(only == "options").revealing()),
    };
    let trace = trace.map(|trace| Rc::new(RefCell::new(trace)));
    let found = ask(session, host, query, trace.as_ref());
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
    if !host.logs.is_empty() {
        answer.insert("logs".into(), json!(host.logs));
    }
    Json::Object(answer)
}

fn ask(
    session: &Rc<Session>,
    host: &mut TestHost,
    query: &Json,
    trace: Option<&Rc<RefCell<Trace>>>,
) -> Result<Value, Fault> {
    if query.get("call").is_some() {
        return host::call(session, host, query);
    }
    let names: Vec<EcoString> = query["names"]
        .as_array()
        .expect("names")
        .iter()
        .map(|n| n.as_str().expect("a name").into())
        .collect();
    let type_ = match query["type"].as_str() {
        Some(text) => {
            Some(types::parse(text, &types::NoNames).map_err(|error| Fault::other(error.0))?)
        }
        None => None,
    };
    let merge = query.get("merge").map(value);
    let hash = |key: &str| match query.get(key).map(value) {
        Some(Value::Hash(hash)) => Some(Rc::new((*hash).clone())),
        _ => None,
    };
    let asked = Query {
        type_: type_.as_ref(),
        merge: merge.as_ref(),
        default: query.get("default").map(value),
        overrides: hash("override"),
        default_values: hash("defaults"),
        ..Query::new(&names)
    };
    match session.lookup(host, &asked, trace)? {
        Some(found) => Ok(found.value),
        None => Err(not_found(&names)),
    }
}

/// Converts JSON to a value.
pub(crate) fn value(json: &Json) -> Value {
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
