//! Commands of a small fleet.

use kukla_store::{Command, Outcome, Receipt, Store, time};
use serde_json::{Value, json};

/// Returns a time of a day.
pub(crate) fn at(minute: u32) -> String {
    format!("2026-11-18T10:{minute:02}:00.000Z")
}

/// Reads a command.
pub(crate) fn command(name: &str, version: i64, payload: &Value) -> Command {
    Command::read(name, version, payload.to_string().as_bytes()).expect("a command")
}

/// Stores a command that came just now.
pub(crate) fn apply(store: &Store, command: &Command) -> Outcome {
    let receipt = Receipt { received: time::now(), keeps_exports: false };
    let mut applied = store.apply(&[(command, receipt)]).expect("applied");
    applied.remove(0).expect("stored")
}

/// Returns the facts of a node.
pub(crate) fn facts(node: &str, minute: u32, values: &Value) -> Command {
    let payload = json!({
        "certname": node, "environment": "production", "producer": "puppet",
        "producer_timestamp": at(minute), "values": values,
        "package_inventory": [["bash", "5.2", "apt"]],
    });
    command("replace facts", 5, &payload)
}

/// Returns the catalog of a node.
pub(crate) fn catalog(node: &str, minute: u32, resources: &Value) -> Command {
    let payload = json!({
        "certname": node, "version": "1", "environment": "production", "producer": "puppet",
        "producer_timestamp": at(minute), "resources": resources, "edges": [{
            "source": { "type": "Stage", "title": "main" },
            "target": { "type": "Class", "title": "Main" }, "relationship": "contains",
        }],
    });
    command("replace catalog", 9, &payload)
}

/// Returns a report of a node.
pub(crate) fn report(node: &str, minute: u32, status: &str) -> Command {
    let payload = json!({
        "certname": node, "puppet_version": "8.0", "report_format": 12,
        "configuration_version": "1", "start_time": at(minute), "end_time": at(minute),
        "producer_timestamp": at(minute), "producer": "puppet", "environment": "production",
        "status": status, "noop": false, "logs": [{ "level": "notice", "message": "m" }],
        "metrics": [{ "category": "time", "name": "total", "value": 1.5 }],
        "resources": [{
            "timestamp": at(minute), "resource_type": "File", "resource_title": "/x",
            "skipped": false, "containment_path": ["Stage[main]", "Role::Web", "File[/x]"],
            "events": [{ "status": "success", "timestamp": at(minute), "property": "ensure",
                "new_value": "file", "old_value": "absent", "message": "made" }],
        }, {
            "timestamp": at(minute), "resource_type": "Exec", "resource_title": "y",
            "skipped": true, "events": [],
        }],
    });
    command("store report", 8, &payload)
}

/// Returns the deactivation of a node.
pub(crate) fn deactivation(node: &str, minute: u32) -> Command {
    let payload = json!({ "certname": node, "producer_timestamp": at(minute) });
    command("deactivate node", 3, &payload)
}

/// Returns a resource.
pub(crate) fn file(title: &str, mode: &str) -> Value {
    json!({
        "type": "File", "title": title, "exported": false, "tags": ["file", "Web"],
        "file": "/site.pp", "line": 3, "parameters": { "mode": mode },
    })
}
