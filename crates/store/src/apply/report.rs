//! Reports of a node.

use std::io::Write as _;

use flate2::Compression;
use flate2::write::ZlibEncoder;

use super::content::sha1;
use super::{Outcome, node};
use crate::command::{Command, Event, Report};
use crate::json;
use crate::sql::{Cell, Insert, Sql, SqlError, number};

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

const ADD: &str = "INSERT INTO reports (hash, node_id, type, puppet_version, report_format, \
    configuration_version, start_time, end_time, receive_time, producer_timestamp, producer_id, \
    environment_id, transaction_uuid, catalog_uuid, code_id, job_id, cached_catalog_status, status, \
    noop, noop_pending) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, \
    ?16, ?17, ?18, ?19, ?20) ON CONFLICT DO NOTHING RETURNING id";

/// Stores a report, unless it is stored already.
pub(super) fn store(
    sql: &mut dyn Sql,
    node: i64,
    command: &Command,
    received: i64,
    report: &Report,
) -> Result<Outcome, SqlError> {
    let hash = hash(command, report);
    if is_repeated(sql, node, report)? {
        return Ok(Outcome::Duplicate);
    }
    let Some(id) = add(sql, node, command.producer_timestamp, received, report, &hash)? else {
        return Ok(Outcome::Duplicate);
    };
    let (logs, metrics) = (compressed(&report.logs)?, compressed(&report.metrics)?);
    sql.execute(
        "INSERT INTO report_bodies (report_id, logs, metrics) VALUES (?1, ?2, ?3)",
        &[Cell::Int(id), Cell::Bytes(&logs), Cell::Bytes(&metrics)],
    )?;
    add_events(sql, node, id, &report.events)?;
    sql.execute(
        "UPDATE nodes SET latest_report_id = ?2 WHERE id = ?1 AND (latest_report_id IS NULL OR \
         (SELECT producer_timestamp FROM reports WHERE id = nodes.latest_report_id) <= ?3)",
        &[Cell::Int(node), Cell::Int(id), Cell::Int(command.producer_timestamp)],
    )?;
    Ok(Outcome::Stored)
}

/// Returns whether the report of a run is stored already, though it came with another time or by another server: an agent,
/// or a proxy, sends a report again if a server was killed before it answered.
fn is_repeated(sql: &mut dyn Sql, node: i64, report: &Report) -> Result<bool, SqlError> {
    let Some(run) = report.transaction_uuid.as_deref() else { return Ok(false) };
    let known = "SELECT id FROM reports WHERE transaction_uuid = ?1 AND node_id = ?2 \
        AND start_time = ?3 AND end_time = ?4 AND configuration_version = ?5";
    let (start, end) = (Cell::Int(report.start_time), Cell::Int(report.end_time));
    let version = Cell::Text(&report.configuration_version);
    let cells = [Cell::Text(run), Cell::Int(node), start, end, version];
    Ok(number(sql, known, &cells)?.is_some())
}

fn add(
    sql: &mut dyn Sql,
    node: i64,
    time: i64,
    received: i64,
    report: &Report,
    hash: &str,
) -> Result<Option<i64>, SqlError> {
    let known = "SELECT id FROM reports WHERE hash = ?1";
    if number(sql, known, &[Cell::Text(hash)])?.is_some() {
        return Ok(None);
    }
    let environment = node::optional_id(sql, "environments", report.environment.as_deref())?;
    let producer = node::optional_id(sql, "producers", report.producer.as_deref())?;
    number(
        sql,
        ADD,
        &[
            Cell::Text(hash),
            Cell::Int(node),
            Cell::Text(&report.type_),
            Cell::Text(&report.puppet_version),
            Cell::Int(report.report_format),
            Cell::Text(&report.configuration_version),
            Cell::Int(report.start_time),
            Cell::Int(report.end_time),
            Cell::Int(received),
            Cell::Int(time),
            producer.into(),
            environment.into(),
            report.transaction_uuid.as_deref().into(),
            report.catalog_uuid.as_deref().into(),
            report.code_id.as_deref().into(),
            report.job_id.as_deref().into(),
            report.cached_catalog_status.as_deref().into(),
            report.status.as_deref().into(),
            report.noop.into(),
            report.noop_pending.into(),
        ],
    )
}

fn add_events(sql: &mut dyn Sql, node: i64, report: i64, events: &[Event]) -> Result<(), SqlError> {
    let path = |event: &Event| {
        event
            .containment_path
            .as_ref()
            .map(|path| json::text(&serde_json::Value::from(path.as_slice())))
    };
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

/// Returns the hash of everything that the producer says of a report.
fn hash(command: &Command, report: &Report) -> String {
    let events = report.events.iter().map(|event| {
        serde_json::json!([
            event.status,
            event.timestamp,
            event.resource_type,
            event.resource_title,
            event.property,
            event.name,
            event.new_value,
            event.old_value,
            event.message,
            event.file,
            event.line,
            event.containment_path,
        ])
    });
    let events: Vec<serde_json::Value> = events.collect();
    let content = serde_json::json!([
        command.certname,
        command.producer_timestamp,
        report.environment,
        report.producer,
        report.type_,
        report.puppet_version,
        report.report_format,
        report.configuration_version,
        report.start_time,
        report.end_time,
        report.transaction_uuid,
        report.catalog_uuid,
        report.code_id,
        report.job_id,
        report.cached_catalog_status,
        report.status,
        report.noop,
        report.noop_pending,
        report.logs,
        report.metrics,
        events,
    ]);
    sha1(&content.to_string())
}

fn compressed(text: &str) -> Result<Vec<u8>, SqlError> {
    let mut encoder = ZlibEncoder::new(Vec::new(), Compression::fast());
    let written = encoder.write_all(text.as_bytes()).and_then(|()| encoder.finish());
    written.map_err(|error| SqlError::Damaged(error.to_string()))
}
