//! Commands of a fleet that does not exist.

use serde_json::{Value, json};

/// A command, ready to be sent.
pub(super) struct Payload {
    pub(super) path: String,
    pub(super) body: Vec<u8>,
}

/// Returns the time of a run.
fn at(run: u32) -> String {
    format!("2026-11-{:02}T{:02}:{:02}:00.000Z", 1 + run / 24 % 28, run % 24, run % 60)
}

fn payload(command: &str, version: u32, certname: &str, run: u32, body: &Value) -> Payload {
    let time = at(run).replace(':', "%3A");
    let path = format!(
        "/pdb/cmd/v1?command={command}&version={version}&certname={certname}&producer-timestamp={time}"
    );
    Payload { path, body: body.to_string().into_bytes() }
}

/// Facts of about 8 KB.
pub(super) fn facts(node: u32, kind: &str) -> Payload {
    let name = format!("{kind}{node}.test");
    let mut values = json!({
        "kernel": "Linux", "hostname": name, "role": format!("role{}", node % 20),
        "os": { "family": "Debian", "name": "Debian", "release": { "major": "12" } },
        "uptime": { "seconds": node * 37 }, "memory": { "system": { "total_bytes": 8_u64 << 30 } },
    });
    for n in 0..120 {
        let own = if n % 12 == 0 { node } else { n };
        values[format!("fact_{n}")] = json!({ "text": format!("value {own}"), "list": [n, true] });
    }
    let body = json!({
        "certname": name, "environment": "production", "producer": "puppet.test",
        "producer_timestamp": at(0), "values": values,
    });
    payload("replace_facts", 5, &name, 0, &body)
}

/// A catalog; one resource of ten is the node's own.
fn catalog_of(node: u32, kind: &str, n_resources: u32) -> Payload {
    let name = format!("{kind}{node}.test");
    let mut resources = vec![
        json!({ "type": "Stage", "title": "main", "tags": ["stage"], "exported": false, "parameters": {} }),
        json!({ "type": "Class", "title": "Main", "tags": ["class"], "exported": false, "parameters": {} }),
    ];
    let mut edges = vec![json!({
        "source": { "type": "Stage", "title": "main" },
        "target": { "type": "Class", "title": "Main" }, "relationship": "contains",
    })];
    for n in 0..n_resources {
        let own = if n % 10 == 0 { node } else { 0 };
        let title = format!("/etc/service/{n}.conf");
        resources.push(json!({
            "type": "File", "title": title, "exported": false, "file": "/code/manifests/site.pp",
            "line": n, "tags": ["file", "service", "class"],
            "parameters": { "ensure": "file", "mode": "0644", "owner": "root",
                "content": format!("# {own}\n{}", "option = value\n".repeat(12)) },
        }));
        edges.push(json!({
            "source": { "type": "Class", "title": "Main" },
            "target": { "type": "File", "title": title }, "relationship": "contains",
        }));
    }
    let body = json!({
        "certname": name, "version": "1", "environment": "production", "producer": "puppet.test",
        "producer_timestamp": at(0), "transaction_uuid": uuid(node, 0),
        "catalog_uuid": uuid(node, 1), "code_id": null, "job_id": null,
        "resources": resources, "edges": edges,
    });
    payload("replace_catalog", 9, &name, 0, &body)
}

/// The catalog of a large node.
pub(super) fn catalog(node: u32, n_resources: u32) -> Payload {
    catalog_of(node, "large", n_resources)
}

/// The catalog of a node of a large fleet.
pub(super) fn small_catalog(node: u32) -> Payload {
    catalog_of(node, "node", 60)
}

fn uuid(node: u32, run: u32) -> String {
    format!("{node:08x}-0000-4000-8000-{run:012x}")
}

/// A report: large ones have 1 MB.
pub(super) fn report(node: u32, kind: &str, run: u32, is_large: bool) -> Payload {
    let name = format!("{kind}{node}.test");
    let time = at(run);
    let (n_resources, n_logs) = if is_large { (1400, 1700) } else { (4, 4) };
    let resources: Vec<Value> = (0..n_resources)
        .map(|n| {
            json!({
                "timestamp": time, "resource_type": "File", "skipped": false,
                "resource_title": format!("/etc/service/{n}.conf"), "line": n,
                "file": "/code/manifests/site.pp", "corrective_change": false,
                "containment_path": ["Stage[main]", "Main", format!("File[/etc/service/{n}.conf]")],
                "events": [{
                    "status": "success", "timestamp": time, "name": "content_changed",
                    "property": "content", "new_value": format!("{{sha256}}{node:064x}"),
                    "old_value": format!("{{sha256}}{n:064x}"), "message": "content changed",
                    "corrective_change": false,
                }],
            })
        })
        .collect();
    let logs: Vec<Value> = (0..n_logs)
        .map(|n| {
            json!({
                "file": "/code/manifests/site.pp", "line": n, "level": "notice", "time": time,
                "message": format!("content changed '{{sha256}}{node:064x}' to something else"),
                "source": format!("/Stage[main]/Main/File[/etc/service/{n}.conf]/content"),
                "tags": ["notice", "file", "class", "service"],
            })
        })
        .collect();
    let metrics: Vec<Value> = (0..40)
        .map(|n| json!({ "category": "time", "name": format!("metric {n}"), "value": n }))
        .collect();
    let status = if node % 10 == 3 { "failed" } else { "changed" };
    let body = json!({
        "certname": name, "puppet_version": "8.10.0", "report_format": 12,
        "configuration_version": format!("{run}"), "start_time": time, "end_time": time,
        "producer_timestamp": time, "producer": "puppet.test", "environment": "production",
        "transaction_uuid": uuid(node, run), "catalog_uuid": uuid(node, 1), "code_id": null,
        "job_id": null, "status": status, "noop": false, "noop_pending": false,
        "corrective_change": false, "cached_catalog_status": "not_used", "logs": logs,
        "metrics": metrics, "resources": resources,
    });
    payload("store_report", 8, &name, run, &body)
}
