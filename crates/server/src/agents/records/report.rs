//! The command `store report`, made of a report as an agent sends it.

use serde_json::{Map, Value, json};

use super::now;

/// The text that stands for a secret.
const REDACTED: &str = "[redacted]";

/// Returns the payload for a report; nothing if it is none.
pub(super) fn payload(report: &[u8], producer: &str) -> Option<String> {
    let Ok(Value::Object(report)) = serde_json::from_slice(report) else { return None };
    let of = |name: &str| report.get(name).cloned().unwrap_or(Value::Null);
    let start = of("time");
    let end = end(&report);
    let resources: Vec<Value> = each(&report, "resource_statuses").map(resource).collect();
    let logs: Vec<Value> = report.get("logs")?.as_array()?.iter().map(log).collect();
    let payload = json!({
        "certname": of("host"),
        "puppet_version": of("puppet_version"),
        "report_format": of("report_format"),
        "configuration_version": label(&of("configuration_version")),
        "start_time": start,
        "end_time": end.unwrap_or_else(|| start.clone()),
        "producer_timestamp": now(),
        "producer": producer,
        "environment": of("environment"),
        "transaction_uuid": of("transaction_uuid"),
        "catalog_uuid": of("catalog_uuid"),
        "code_id": of("code_id"),
        "job_id": of("job_id"),
        "cached_catalog_status": of("cached_catalog_status"),
        "status": of("status"),
        "noop": of("noop"),
        "noop_pending": of("noop_pending"),
        "corrective_change": of("corrective_change"),
        "logs": logs,
        "metrics": metrics(&report),
        "resources": resources,
    });
    Some(payload.to_string())
}

/// Returns the values of an object, or the elements of an array.
fn each<'a>(
    report: &'a Map<String, Value>,
    name: &str,
) -> Box<dyn Iterator<Item = &'a Value> + 'a> {
    match report.get(name) {
        Some(Value::Object(members)) => Box::new(members.values()),
        Some(Value::Array(elements)) => Box::new(elements.iter()),
        _ => Box::new(std::iter::empty()),
    }
}

/// Returns the end of a run: its beginning and the total of its times.
fn end(report: &Map<String, Value>) -> Option<Value> {
    let start = kukla_store::time::read(report.get("time")?.as_str()?)?;
    let times = report.get("metrics")?.get("time")?.get("values")?.as_array()?;
    let total = times.iter().find(|entry| entry.get(0).and_then(Value::as_str) == Some("total"))?;
    let seconds = total.get(2)?.as_f64().filter(|seconds| (0.0..1e9).contains(seconds))?;
    let milliseconds = (seconds * 1000.0).round();
    let end = i64::try_from(
        std::time::Duration::try_from_secs_f64(milliseconds / 1000.0).ok()?.as_millis(),
    );
    Some(kukla_store::time::written(start.checked_add(end.ok()?)?).into())
}

/// Returns a text: versions are numbers or texts.
fn label(value: &Value) -> Value {
    match value {
        Value::Number(number) => number.to_string().into(),
        Value::Null => "".into(),
        other => other.clone(),
    }
}

fn metrics(report: &Map<String, Value>) -> Vec<Value> {
    let Some(Value::Object(metrics)) = report.get("metrics") else { return Vec::new() };
    let mut all = Vec::new();
    for (category, metric) in metrics {
        let values = metric.get("values").and_then(Value::as_array);
        for entry in values.into_iter().flatten() {
            let of = |n: usize| entry.get(n).cloned().unwrap_or(Value::Null);
            all.push(json!({ "category": category, "name": of(0), "value": of(2) }));
        }
    }
    all
}

fn log(log: &Value) -> Value {
    let of = |name: &str| log.get(name).cloned().unwrap_or(Value::Null);
    json!({
        "file": of("file"), "line": of("line"), "level": of("level"), "message": of("message"),
        "source": of("source"), "tags": of("tags"), "time": of("time"),
    })
}

fn resource(status: &Value) -> Value {
    let of = |name: &str| status.get(name).cloned().unwrap_or(Value::Null);
    let events: Vec<Value> =
        status.get("events").and_then(Value::as_array).into_iter().flatten().map(event).collect();
    json!({
        "timestamp": of("time"),
        "resource_type": of("resource_type"),
        "resource_title": label(&of("title")),
        "skipped": of("skipped"),
        "file": of("file"),
        "line": of("line"),
        "containment_path": of("containment_path"),
        "corrective_change": of("corrective_change"),
        "events": events,
    })
}

fn event(event: &Value) -> Value {
    let of = |name: &str| event.get(name).cloned().unwrap_or(Value::Null);
    // Agents have replaced the values of Sensitive parameters already; others are shown as they are.
    let is_redacted = of("redacted") == Value::Bool(true);
    let value = |name: &str| match is_redacted && of(name) != Value::Null {
        true => REDACTED.into(),
        false => of(name),
    };
    json!({
        "status": of("status"),
        "timestamp": of("time"),
        "name": of("name"),
        "property": of("property"),
        "new_value": value("desired_value"),
        "old_value": value("previous_value"),
        "message": of("message"),
        "corrective_change": of("corrective_change"),
    })
}
