//! Requests that were recorded from Puppet Server, and its answers.

use std::collections::BTreeMap;

use regex::Regex;
use serde_json::Value;

use crate::fixture::{Fixture, site};

const RECORDED: &str = include_str!("recorded.jsonl");
/// Requests that are answered otherwise on purpose: name, and the status of our answer.
const DIFFERENCES: &str = include_str!("differences.txt");

#[test]
fn recorded_requests_are_answered_as_puppet_server_does() {
    let fixture = Fixture::start();
    let mut differences: BTreeMap<&str, u16> = DIFFERENCES
        .lines()
        .filter(|line| !line.starts_with('#') && !line.is_empty())
        .filter_map(|line| {
            let (status, rest) = line.split_once(' ')?;
            Some((rest.split(" # ").next()?.trim(), status.parse().ok()?))
        })
        .collect();
    let mut problems = Vec::new();
    for line in RECORDED.lines() {
        let request: Value = serde_json::from_str(line).expect("a line of JSON");
        let name = request["name"].as_str().expect("a name");
        let (status, problem) = replay(&fixture, &request);
        match (differences.remove(name), problem) {
            (None, None) => (),
            (None, Some(problem)) => problems.push(format!("{name}: {problem}")),
            (Some(expected), Some(_)) if status == expected => (),
            (Some(expected), Some(_)) => {
                problems.push(format!("{name}: {status}, not {expected} as listed"));
            }
            (Some(_), None) => problems.push(format!("{name}: listed, but no longer different")),
        }
    }
    problems.extend(differences.keys().map(|name| format!("{name}: listed, but not recorded")));
    assert!(problems.is_empty(), "{} problems:\n{}", problems.len(), problems.join("\n"));
}

/// Sends a recorded request, and returns the status and how the answer differs.
fn replay(fixture: &Fixture, request: &Value) -> (u16, Option<String>) {
    let headers = request["headers"].as_object().expect("headers");
    let headers: Vec<(&str, &str)> = headers
        .iter()
        .map(|(name, value)| (name.as_str(), value.as_str().unwrap_or_default()))
        .filter(|(name, value)| *name != "Content-Type" || !value.is_empty())
        .collect();
    let body = request["body"].as_str().map(str::as_bytes);
    // Ruby's client sends a type with every body.
    let mut all = headers.clone();
    if body.is_some() && !headers.iter().any(|(name, _)| *name == "Content-Type") {
        all.push(("Content-Type", "application/x-www-form-urlencoded"));
    }
    let (method, path) = (request["method"].as_str(), request["path"].as_str());
    let (method, path) = (method.expect("a method"), path.expect("a path"));
    let mut connection = fixture.connect(request["client"].as_str()).expect("a connection");
    let received = connection.request(method, path, &all, body).expect("an answer");
    let answer = &request["answer"];
    let status = received.status;
    if u64::from(status) != answer["status"].as_u64().unwrap_or_default() {
        return (status, Some(format!("{status} {}, not {answer}", received.text())));
    }
    let is_html = answer["type"].as_str().is_some_and(|kind| kind.starts_with("text/html"));
    let is_missing = status == 404 && !answer["puppet"].as_bool().unwrap_or(false);
    if is_html || is_missing || status == 414 || status == 431 {
        // Pages of the web server itself, which no client reads.
        return (status, None);
    }
    let kind = |text: &str| text.replace("; ", ";").to_lowercase();
    let own_kind = received.header("content-type").map(kind);
    let their_kind = answer["type"].as_str().map(kind);
    let has_body = status != 204 && status != 304;
    if own_kind != their_kind && status != 400 && has_body {
        return (status, Some(format!("type {own_kind:?}, not {their_kind:?}")));
    }
    let is_puppet = received.header("x-puppet-version").is_some();
    if is_puppet != answer["puppet"].as_bool().unwrap_or(false) {
        return (status, Some(format!("X-Puppet-Version: {is_puppet}")));
    }
    let own = normal(&received.text());
    let theirs = normal(answer["body"].as_str().unwrap_or_default());
    match method == "HEAD" || own == theirs {
        true => (status, None),
        false => (status, Some(format!("\n  own    {own}\n  theirs {theirs}"))),
    }
}

/// Returns a body without what differs by itself, and with the same order of tags.
fn normal(text: &str) -> String {
    let code = site().display().to_string();
    let text = text.replace(&code, "CODE");
    let text = without_pem(&text);
    match serde_json::from_str::<Value>(&text) {
        Ok(mut value) => {
            settle(&mut value);
            value.to_string()
        }
        Err(_) => text,
    }
}

/// Returns a text with the kinds of PEM sections in place of them.
fn without_pem(text: &str) -> String {
    let section = Regex::new("(?s)-----BEGIN ([A-Z0-9 ]+)-----.*?-----END [A-Z0-9 ]+-----\\n*");
    let times =
        Regex::new(r#"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dUTC|\{ctime\}[^"]*"#).expect("a pattern");
    let text = section.expect("a pattern").replace_all(text, "PEM $1\n").into_owned();
    times.replace_all(&text, "TIME").into_owned()
}

fn settle(value: &mut Value) {
    match value {
        Value::Object(fields) => {
            settle_certificate(fields);
            settle_file(fields);
            for name in ["catalog_uuid", "service_version", "version", "time"] {
                if fields.get(name).is_some_and(|value| !value.is_null()) {
                    fields.insert(name.to_owned(), Value::from("X"));
                }
            }
            if let Some(Value::Array(tags)) = fields.get_mut("tags") {
                tags.sort_by_key(ToString::to_string);
            }
            for (name, field) in fields.iter_mut() {
                if name == "environments" || name == "services" {
                    sort_keys(field);
                }
                settle(field);
            }
        }
        Value::Array(items) => {
            items.iter_mut().for_each(settle);
            if items.iter().all(|item| item.get("fingerprint").is_some()) {
                items.sort_by_key(|item| item["name"].to_string());
            }
        }
        _ => (),
    }
}

/// Certificates have other digests; those of recorded requests are the same.
fn settle_certificate(fields: &mut serde_json::Map<String, Value>) {
    let is_status = fields.contains_key("fingerprint");
    if is_status && fields.get("state") != Some(&Value::from("requested")) {
        for name in ["fingerprint", "fingerprints"] {
            fields.insert(name.to_owned(), Value::from("X"));
        }
    }
    if is_status {
        fields.sort_keys();
    }
}

/// Files belong to the user who runs the server.
fn settle_file(fields: &mut serde_json::Map<String, Value>) {
    if fields.contains_key("relative_path") {
        for name in ["owner", "group"] {
            fields.insert(name.to_owned(), Value::from("X"));
        }
    }
}

fn sort_keys(value: &mut Value) {
    if let Value::Object(fields) = value {
        fields.sort_keys();
    }
}
