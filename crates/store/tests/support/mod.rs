//! A store with the commands of the recorded fleet, and the comparison of answers.

#[expect(dead_code, reason = "other tests kill the server")]
pub(crate) mod postgres;

use std::collections::HashMap;
use std::path::PathBuf;
use std::sync::atomic::{AtomicUsize, Ordering};

use kukla_store::query::{Answer, Limits, QueryError, Request};
use kukla_store::{Command, Receipt, Store};
use serde_json::{Value, json};

const COMMANDS: &str = include_str!("../puppetdb/commands.jsonl");
/// The fleet's own times are before this day, and those of receipt after it.
const RECEIPT: &str = "2026-11-16";
/// 2026-11-18, when the fleet's commands are received.
const RECEIVED: i64 = 1_795_000_000_000;

/// The engine of a store.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Engine {
    /// A file.
    Sqlite,
    /// A database of PostgreSQL.
    Postgres,
}

/// A store with the fleet.
pub(crate) struct Fleet {
    store: Store,
    limits: Limits,
    directory: PathBuf,
    /// The address of a database.
    address: Option<String>,
}

/// Makes tables of version 5 those of version 4.
const BEFORE_5: &str = "ALTER TABLE report_bodies DROP COLUMN events; DROP TABLE report_counts; \
    DROP INDEX reports_by_start; CREATE INDEX events_by_node ON events (node_id); DROP TABLE fact_changes;";

/// A recorded request with its answer.
pub(crate) struct Recorded {
    /// Its name.
    pub(crate) name: String,
    request: Value,
}

/// How an answer compares with the recorded one.
pub(crate) enum Verdict {
    /// They are equal.
    Equal,
    /// PuppetDB failed, and the store refuses the request or answers it.
    Refused,
    /// They differ.
    Different(String),
}

impl Fleet {
    /// Makes a store without any node.
    pub(crate) fn new_empty(engine: Engine) -> Self {
        static NEXT: AtomicUsize = AtomicUsize::new(0);
        let number = NEXT.fetch_add(1, Ordering::Relaxed);
        let name = format!("kukla-queries-{}-{number}", std::process::id());
        let directory = std::env::temp_dir().join(name);
        std::fs::create_dir_all(&directory).expect("a directory");
        let address = match engine {
            Engine::Sqlite => None,
            Engine::Postgres => Some(postgres::database()),
        };
        let store = match &address {
            None => Store::open(&directory.join("store.sqlite")).expect("a store"),
            Some(address) => postgres::connect(address),
        };
        let limits = Limits { inactive_since: RECEIVED, ..Limits::default() };
        Self { store, limits, directory, address }
    }

    /// Makes a store with the fleet that version 4 has stored, and opens it.
    pub(crate) fn of_version_4(engine: Engine) -> Self {
        let mut fleet = Self::new(engine);
        match &fleet.address {
            None => {
                let path = fleet.directory.join("store.sqlite");
                let connection = rusqlite::Connection::open(&path).expect("opened");
                connection.execute_batch(BEFORE_5).expect("changed");
                connection.execute_batch("PRAGMA user_version = 4").expect("changed");
                fleet.store = Store::open(&path).expect("opened again");
            }
            Some(address) => {
                postgres::ask(address, BEFORE_5);
                postgres::ask(address, "UPDATE kukla_schema SET version = 4");
                fleet.store = postgres::connect(address);
            }
        }
        fleet
    }

    /// Makes a store with the fleet.
    pub(crate) fn new(engine: Engine) -> Self {
        let fleet = Self::new_empty(engine);
        for line in COMMANDS.lines() {
            let line: Value = serde_json::from_str(line).expect("JSON");
            let name = line["command"].as_str().expect("a command").replace(' ', "_");
            let version = line["version"].as_i64().expect("a version");
            let payload = line["payload"].to_string();
            let command = Command::read(&name, version, payload.as_bytes()).expect("a command");
            let applied = fleet
                .store
                .apply(&[(&command, Receipt { received: RECEIVED, keeps_exports: false })])
                .expect("stored");
            assert!(applied.iter().all(Result::is_ok), "{applied:?}");
        }
        fleet
    }

    /// Asks a GET below `/pdb/query/v4/`.
    pub(crate) fn get(
        &self,
        path: &str,
        parameters: &[(&str, &str)],
    ) -> Result<Answer, QueryError> {
        let segments: Vec<String> = path.split('/').map(decoded).collect();
        let segments: Vec<&str> = segments.iter().map(String::as_str).collect();
        let parameters: Vec<(String, String)> = parameters
            .iter()
            .map(|(name, value)| ((*name).to_owned(), (*value).to_owned()))
            .collect();
        let request = Request::get(&segments, &parameters, &self.limits)?;
        self.store.answer(&request, &self.limits)
    }

    fn post(&self, path: &str, body: &str) -> Result<Answer, QueryError> {
        let segments: Vec<&str> = path.split('/').collect();
        self.store.answer(&Request::post(&segments, body, &self.limits)?, &self.limits)
    }

    /// Puts hashes in place of `$REPORT(…)` and `$RESOURCE(…)`.
    fn resolved(&self, text: &str) -> String {
        let mut out = text.to_owned();
        while let Some(at) = out.find("$RE") {
            let (start, end) =
                (at + out[at..].find('(').expect("("), at + out[at..].find(')').expect(")"));
            let key = out[start + 1..end].to_owned();
            let hash = match out[at..].starts_with("$REPORT") {
                true => self.hash("reports", "hash", &json!(["=", "transaction_uuid", key])),
                false => {
                    let parts: Vec<&str> = key.split('|').collect();
                    let query = json!([
                        "and",
                        ["=", "certname", parts[0]],
                        ["=", "type", parts[1]],
                        ["=", "title", parts[2]]
                    ]);
                    self.hash("resources", "resource", &query)
                }
            };
            out.replace_range(at..=end, &hash);
        }
        out
    }

    fn hash(&self, entity: &str, field: &str, query: &Value) -> String {
        let query = json!(["extract", [field], query]).to_string();
        let answer = self.get(entity, &[("query", &query)]).expect("an answer");
        let rows: Value = serde_json::from_str(&answer.body).expect("JSON");
        rows[0][field].as_str().expect("a hash").to_owned()
    }
}

impl Drop for Fleet {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.directory);
    }
}

impl Recorded {
    /// Reads a line.
    pub(crate) fn read(line: &str) -> Self {
        let request: Value = serde_json::from_str(line).expect("JSON");
        let name = request["name"].as_str().expect("a name").to_owned();
        Self { name, request }
    }

    /// Asks the store, and compares the answers.
    pub(crate) fn compare(&self, fleet: &Fleet) -> Verdict {
        let (status, kind, total, body) = self.asked(fleet);
        let answer = &self.request["answer"];
        let their_status = answer["status"].as_u64().unwrap_or_default();
        let theirs = &answer["body"];
        if their_status == 500 || is_internal(theirs) {
            return match status {
                200 | 400 => Verdict::Refused,
                _ => Verdict::Different(format!("{status} {body}, where PuppetDB fails")),
            };
        }
        if their_status == 302 {
            // A page for people in place of an unknown address.
            return match status {
                404 => Verdict::Equal,
                _ => Verdict::Different(format!("{status}, not 404")),
            };
        }
        if u64::from(status) != their_status {
            return Verdict::Different(format!(
                "{status} {:.300}, not {their_status} {:.300}",
                body,
                theirs.to_string()
            ));
        }
        if Some(kind.as_str()) != answer["type"].as_str() && status != 404 {
            return Verdict::Different(format!("type {kind}, not {}", answer["type"]));
        }
        let their_total = answer["records"].as_str().map(str::to_owned);
        if total != their_total {
            return Verdict::Different(format!("X-Records {total:?}, not {their_total:?}"));
        }
        let is_ordered = self.request["ordered"].as_bool().unwrap_or_default();
        let (own, theirs) = (settled(&body, is_ordered), settled(theirs, is_ordered));
        match own == theirs {
            true => Verdict::Equal,
            false => Verdict::Different(difference(&own, &theirs)),
        }
    }

    /// Asks the store: status, content type, number of all rows and body.
    fn asked(&self, fleet: &Fleet) -> (u16, String, Option<String>, Value) {
        let path = fleet.resolved(self.request["path"].as_str().expect("a path"));
        let path = path.strip_prefix("/pdb/query/v4").expect("a query");
        let path = path.strip_prefix('/').unwrap_or(path);
        let result = match self.request.get("body") {
            Some(body) => fleet.post(path, &fleet.resolved(&body.to_string())),
            None => {
                let parameters =
                    self.request["parameters"].as_object().cloned().unwrap_or_default();
                let parameters: Vec<(String, String)> = parameters
                    .into_iter()
                    .map(|(name, value)| (name, fleet.resolved(value.as_str().expect("a text"))))
                    .collect();
                let parameters: Vec<(&str, &str)> = parameters
                    .iter()
                    .map(|(name, value)| (name.as_str(), value.as_str()))
                    .collect();
                fleet.get(path, &parameters)
            }
        };
        match result {
            Ok(answer) => {
                let body = serde_json::from_str(&answer.body).expect("JSON");
                (
                    200,
                    "application/json;charset=utf-8".to_owned(),
                    answer.total.map(|n| n.to_string()),
                    body,
                )
            }
            Err(error) => {
                let (kind, body) = error.body();
                let body = serde_json::from_str(&body).unwrap_or(Value::from(body));
                (error.status(), kind.to_owned(), None, body)
            }
        }
    }
}

fn decoded(segment: &str) -> String {
    segment.replace("%2F", "/").replace("%20", " ")
}

/// Returns whether an error is one of PuppetDB's own code, without a word about the query.
fn is_internal(body: &Value) -> bool {
    let words = ["No implementation of method", "No matching clause", "Don't know how to create"];
    body.as_str().is_some_and(|text| words.iter().any(|start| text.starts_with(start)))
}

/// Returns a body without what differs between two stores, in one order.
fn settled(body: &Value, is_ordered: bool) -> Value {
    let mut body = body.clone();
    match &mut body {
        Value::String(text) => *text = first_part(text),
        other => settle(other),
    }
    if let Value::Array(rows) = &mut body
        && !is_ordered
    {
        rows.sort_by_key(canonical);
    }
    body
}

/// Returns the part of an error that both have: the list of what PQL expected is the parser's own.
fn first_part(text: &str) -> String {
    if text.starts_with("PQL parse error") {
        return text.split("\n\nExpected").next().unwrap_or_default().to_owned();
    }
    if text.starts_with("Json parse error") {
        return "Json parse error".to_owned();
    }
    if text.starts_with("ERROR: invalid regular expression") {
        return text.lines().next().unwrap_or_default().to_owned();
    }
    text.to_owned()
}

fn settle(value: &mut Value) {
    match value {
        Value::Object(members) => {
            for (name, member) in members.iter_mut() {
                settle(member);
                if let Value::Array(items) = member
                    && (name == "data" || name == "tags")
                {
                    items.sort_by_key(canonical);
                }
            }
        }
        Value::Array(items) => items.iter_mut().for_each(settle),
        Value::String(text) => *text = plain(text),
        Value::Number(number) => {
            if let Some(float) = number.as_f64().filter(|_| number.as_i64().is_none()) {
                // Digits beyond the twelfth depend on how a sum is added up.
                *value = Value::from(format!("{float:.11e}").parse::<f64>().unwrap_or(float));
            }
            if let Some(float) =
                value.as_f64().filter(|float| float.fract() == 0.0 && float.abs() < 1e15)
            {
                *value = Value::from(float);
            }
        }
        Value::Null | Value::Bool(_) => (),
    }
}

fn plain(text: &str) -> String {
    let is_time = text.len() >= 20
        && text.starts_with("20")
        && text.ends_with('Z')
        && text.as_bytes()[10] == b'T';
    if is_time && text > RECEIPT {
        return "TIME".to_owned();
    }
    let is_hash =
        |word: &str| word.len() == 40 && word.bytes().all(|byte| byte.is_ascii_hexdigit());
    let words: Vec<&str> =
        text.split('/').map(|word| if is_hash(word) { "HASH" } else { word }).collect();
    words.join("/")
}

/// Returns JSON with sorted keys.
fn canonical(value: &Value) -> String {
    match value {
        Value::Object(members) => {
            let sorted: std::collections::BTreeMap<&String, String> =
                members.iter().map(|(name, member)| (name, canonical(member))).collect();
            format!("{sorted:?}")
        }
        Value::Array(items) => format!("{:?}", items.iter().map(canonical).collect::<Vec<_>>()),
        other => other.to_string(),
    }
}

/// Returns what differs.
fn difference(own: &Value, theirs: &Value) -> String {
    if let (Value::Array(own), Value::Array(theirs)) = (own, theirs) {
        let counts = |rows: &[Value]| {
            let mut counts: HashMap<String, i64> = HashMap::new();
            rows.iter().for_each(|row| *counts.entry(canonical(row)).or_default() += 1);
            counts
        };
        let (ours, others) = (counts(own), counts(theirs));
        let extra = own
            .iter()
            .find(|row| ours[&canonical(row)] > *others.get(&canonical(row)).unwrap_or(&0));
        let missing = theirs
            .iter()
            .find(|row| others[&canonical(row)] > *ours.get(&canonical(row)).unwrap_or(&0));
        let shown = |row: Option<&Value>| row.map(|row| format!("{:.700}", row.to_string()));
        return format!(
            "{} rows, not {}\n    extra   {:?}\n    missing {:?}",
            own.len(),
            theirs.len(),
            shown(extra),
            shown(missing)
        );
    }
    format!("\n    own    {:.600}\n    theirs {:.600}", own.to_string(), theirs.to_string())
}
