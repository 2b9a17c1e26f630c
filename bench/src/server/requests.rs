//! Requests as agents send them.

use std::fmt::Write as _;
use std::sync::atomic::{AtomicU64, Ordering};

use serde_json::{Value, json};

use super::site::SERVER;

const FORMATS: &str = "application/vnd.puppet.rich+json, application/json, text/pson";

/// The number of runs: as those of real agents, each has times, facts and an identifier of its own.
static RUNS: AtomicU64 = AtomicU64::new(0);

/// Returns the number of the next run, and its identifier.
fn next_run() -> (u64, String) {
    let run = RUNS.fetch_add(1, Ordering::Relaxed);
    (run, format!("5c0cdd2e-5c7e-4d3b-8a6a-{run:012x}"))
}

/// Returns a time of a run, of which there is one each ten seconds.
fn time(run: u64) -> String {
    let (days, seconds) = (run / 8640, run % 8640 * 10);
    let (hours, minutes) = (seconds / 3600, seconds / 60 % 60);
    let (month, day) = (days / 28 % 12 + 1, days % 28 + 1);
    format!("2026-{month:02}-{day:02}T{hours:02}:{minutes:02}:{:02}.123456789+00:00", seconds % 60)
}

/// Changes the facts that are others in each run.
fn age(facts: &mut Value, run: u64) {
    let seconds = 259_200 + run * 10;
    facts["system_uptime"]["seconds"] = json!(seconds);
    facts["uptime_seconds"] = json!(seconds);
    facts["load_averages"]["1m"] = json!((run % 97) as f64 / 100.0);
    let free = 7_516_192_768 - run % 1000 * 4096;
    facts["memory"]["system"]["available_bytes"] = json!(free);
    facts["memoryfree_mb"] = json!(free as f64 / 1_048_576.0);
}

/// Returns the bytes of a request.
fn request(method: &str, target: &str, accept: &str, body: Option<(&str, &[u8])>) -> Vec<u8> {
    let mut text = format!(
        "{method} {target} HTTP/1.1\r\nHost: {SERVER}\r\nAccept: {accept}\r\n\
         Accept-Encoding: gzip;q=1.0,deflate;q=0.6,identity;q=0.3\r\n\
         X-Puppet-Version: 7.23.0\r\nUser-Agent: Puppet/7.23.0 Ruby/3.1.2-p20 (x86_64-linux-gnu)\r\n"
    );
    let (kind, bytes) = body.unwrap_or_default();
    if body.is_some() {
        let _ = write!(text, "Content-Type: {kind}\r\nContent-Length: {}\r\n", bytes.len());
    }
    [text.as_bytes(), b"\r\n", bytes].concat()
}

/// Returns the request for a catalog with facts, which are encoded twice.
pub(super) fn catalog(node: &str, facts: &Value) -> Vec<u8> {
    let mut facts = facts.clone();
    facts["clientcert"] = json!(node);
    let (run, uuid) = next_run();
    age(&mut facts, run);
    let document = json!({
        "name": node, "values": facts,
        "timestamp": time(run),
        "expiration": "2036-01-01T00:00:00.000000000+00:00",
    });
    let facts = encoded(&encoded(&document.to_string()));
    let form = format!(
        "facts_format=application%2Fjson&facts={facts}&environment=production\
         &configured_environment=production&check_environment=true\
         &transaction_uuid={uuid}&job_uuid=&static_catalog=true\
         &checksum_type=sha256.sha384.sha512.sha224.md5"
    );
    let target = format!("/puppet/v3/catalog/{node}?environment=production");
    request("POST", &target, FORMATS, Some(("application/x-www-form-urlencoded", form.as_bytes())))
}

/// Returns a request that lists all files below a mount.
pub(super) fn plugins(mount: &str) -> Vec<u8> {
    let target = format!(
        "/puppet/v3/file_metadatas/{mount}?environment=production&recurse=true&max_files=-1\
         &ignore=.svn&ignore=CVS&ignore=.git&ignore=.hg&links=follow&checksum_type=sha256\
         &source_permissions=ignore"
    );
    request("GET", &target, "application/json, text/pson", None)
}

/// Returns the request for the metadata of a file.
pub(super) fn metadata(path: &str) -> Vec<u8> {
    let target = format!(
        "/puppet/v3/file_metadata/{path}?environment=production&links=manage\
         &checksum_type=sha256&source_permissions=ignore"
    );
    request("GET", &target, "application/json, text/pson", None)
}

/// Returns the request for a file.
pub(super) fn content(path: &str) -> Vec<u8> {
    let target = format!("/puppet/v3/file_content/{path}?environment=production");
    request("GET", &target, "application/octet-stream", None)
}

/// Returns a request that needs no rights.
pub(super) fn status() -> Vec<u8> {
    request("GET", "/status/v1/simple", "*/*", None)
}

/// Returns the report of a run that changed nothing.
pub(super) fn report(node: &str, n_resources: usize) -> Vec<u8> {
    let (run, uuid) = next_run();
    let time = time(run);
    let statuses: serde_json::Map<String, Value> = (0..n_resources)
        .map(|n| {
            let title = format!("/etc/load/file{n}");
            let status = json!({
                "title": title, "file": "/etc/code/environments/production/manifests/site.pp",
                "line": n, "resource": format!("File[{title}]"), "resource_type": "File",
                "provider_used": "posix", "containment_path": ["Stage[main]", "Load", format!("File[{title}]")],
                "evaluation_time": 0.000_512, "tags": ["file", "class", "load", "node"],
                "time": time, "failed": false,
                "failed_to_restart": false, "changed": false, "out_of_sync": false,
                "skipped": false, "change_count": 0, "out_of_sync_count": 0, "events": [],
                "corrective_change": false,
            });
            (format!("File[{title}]"), status)
        })
        .collect();
    let report = json!({
        "host": node, "time": time,
        "configuration_version": 1_700_000_000, "transaction_uuid": uuid,
        "report_format": 12, "puppet_version": "7.23.0", "status": "unchanged",
        "transaction_completed": true, "noop": false, "noop_pending": false,
        "environment": "production", "logs": [], "corrective_change": false,
        "cached_catalog_status": "not_used", "code_id": null, "catalog_uuid": null, "job_id": null,
        "server_used": SERVER,
        "metrics": { "resources": { "name": "resources", "label": "Resources",
            "values": [["total", "Total", n_resources], ["changed", "Changed", 0]] } },
        "resource_statuses": statuses,
    });
    let target = format!("/puppet/v3/report/{node}?environment=production");
    let body = report.to_string();
    request(
        "PUT",
        &target,
        "application/json, text/pson",
        Some(("application/json", body.as_bytes())),
    )
}

/// Encodes a text for a form.
fn encoded(text: &str) -> String {
    let mut out = String::with_capacity(text.len() * 2);
    for byte in text.bytes() {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'-' | b'.' | b'_' | b'~' => {
                out.push(char::from(byte));
            }
            _ => drop(write!(out, "%{byte:02X}")),
        }
    }
    out
}
