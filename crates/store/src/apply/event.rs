//! Events of a report: rows, counts, and the text that answers show.

use super::content::Parts;
use crate::command::Event;
use crate::sql::{Cell, Insert, Sql, SqlError};
use crate::{json, time};

const EVENTS: Insert = Insert {
    table: "events",
    columns: &[
        "report_id",
        "position",
        "node_id",
        "status",
        "timestamp",
        "resource_type",
        "resource_title",
        "property",
        "name",
        "new_value",
        "old_value",
        "message",
        "file",
        "line",
        "containment_path",
        "containing_class",
    ],
    keeps_existing: false,
};

const COUNTS: Insert = Insert {
    table: "report_counts",
    columns: &["report_id", "failures", "skips", "successes", "noops"],
    keeps_existing: false,
};

/// Stores the events of a report.
pub(super) fn store(
    sql: &mut dyn Sql,
    node: i64,
    report: i64,
    events: &[Event],
) -> Result<(), SqlError> {
    if events.is_empty() {
        return Ok(());
    }
    let count = |status: &str| events.iter().filter(|event| event.status == status).count();
    let statuses = ["failure", "skipped", "success", "noop"];
    let mut counts = vec![Cell::Int(report)];
    counts.extend(statuses.map(|status| Cell::Int(i64::try_from(count(status)).unwrap_or(0))));
    sql.insert(&COUNTS, &counts)?;
    let paths: Vec<Option<String>> = events.iter().map(path).collect();
    let mut rows = Vec::with_capacity(events.len() * EVENTS.columns.len());
    for ((position, event), path) in (0..).zip(events).zip(&paths) {
        rows.extend([
            Cell::Int(report),
            Cell::Int(position),
            Cell::Int(node),
            Cell::Text(&event.status),
            Cell::Int(event.timestamp),
            Cell::Text(&event.resource_type),
            Cell::Text(&event.resource_title),
            event.property.as_deref().into(),
            event.name.as_deref().into(),
            json_cell(event.new_value.as_deref()),
            json_cell(event.old_value.as_deref()),
            event.message.as_deref().into(),
            event.file.as_deref().into(),
            event.line.into(),
            json_cell(path.as_deref()),
            event.containing_class().into(),
        ]);
    }
    sql.insert(&EVENTS, &rows)
}

fn json_cell(text: Option<&str>) -> Cell<'_> {
    text.map_or(Cell::Null, Cell::Json)
}

/// Returns the containers of a resource as JSON.
fn path(event: &Event) -> Option<String> {
    let path = event.containment_path.as_ref()?;
    let mut text = String::from("[");
    for (n, name) in path.iter().enumerate() {
        text.push_str(if n == 0 { "" } else { "," });
        json::string(name, &mut text);
    }
    text.push(']');
    Some(text)
}

/// Returns the events of a report as answers show them.
pub(super) fn shown(events: &[Event]) -> String {
    let mut out = String::with_capacity(events.len() * 512);
    for (n, event) in events.iter().enumerate() {
        out.push(if n == 0 { '[' } else { ',' });
        show(event, &mut out);
    }
    out.push(']');
    out
}

fn show(event: &Event, out: &mut String) {
    let path = path(event);
    let line = event.line.map(|line| line.to_string());
    let text = |name: &str, text: Option<&str>, out: &mut String| {
        out.push_str(name);
        match text {
            Some(text) => json::string(text, out),
            None => out.push_str("null"),
        }
    };
    let value = |name: &str, value: Option<&str>, out: &mut String| {
        out.push_str(name);
        out.push_str(value.unwrap_or("null"));
    };
    text("{\"status\":", Some(&event.status), out);
    text(",\"timestamp\":", Some(&time::within_json(event.timestamp)), out);
    text(",\"resource_type\":", Some(&event.resource_type), out);
    text(",\"resource_title\":", Some(&event.resource_title), out);
    text(",\"property\":", event.property.as_deref(), out);
    text(",\"name\":", event.name.as_deref(), out);
    value(",\"corrective_change\":", None, out);
    value(",\"new_value\":", event.new_value.as_deref(), out);
    value(",\"old_value\":", event.old_value.as_deref(), out);
    text(",\"message\":", event.message.as_deref(), out);
    text(",\"file\":", event.file.as_deref(), out);
    value(",\"line\":", line.as_deref(), out);
    value(",\"containment_path\":", path.as_deref(), out);
    text(",\"containing_class\":", event.containing_class(), out);
    out.push('}');
}

/// Adds everything that the producer says of an event to a digest.
pub(super) fn describe(event: &Event, parts: &mut Parts) {
    let Event { status, resource_type, resource_title, .. } = event;
    [status, resource_type, resource_title].into_iter().for_each(|text| parts.text(Some(text)));
    let named = [
        &event.property,
        &event.name,
        &event.new_value,
        &event.old_value,
        &event.message,
        &event.file,
    ];
    named.into_iter().for_each(|text| parts.text(text.as_deref()));
    parts.number(Some(event.timestamp));
    parts.number(event.line);
    let path = event.containment_path.as_deref();
    parts.number(path.and_then(|path| i64::try_from(path.len()).ok()));
    path.unwrap_or_default().iter().for_each(|name| parts.text(Some(name)));
}
