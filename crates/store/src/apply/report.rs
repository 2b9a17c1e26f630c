//! Reports of a node.

use std::io::Write as _;

use flate2::Compression;
use flate2::write::ZlibEncoder;

use super::content::Parts;
use super::{Outcome, event, node};
use crate::command::{Command, Report};
use crate::sql::{Cell, Sql, SqlError, number};

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
    let events = match report.events.is_empty() {
        true => Vec::new(),
        false => compressed(&event::shown(&report.events))?,
    };
    sql.execute(
        "INSERT INTO report_bodies (report_id, logs, metrics, events) VALUES (?1, ?2, ?3, ?4)",
        &[Cell::Int(id), Cell::Bytes(&logs), Cell::Bytes(&metrics), Cell::Bytes(&events)],
    )?;
    event::store(sql, node, id, &report.events)?;
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

/// Returns the hash of everything that the producer says of a report.
fn hash(command: &Command, report: &Report) -> String {
    let mut parts = Parts::default();
    parts.text(Some(&command.certname));
    for time in [command.producer_timestamp, report.start_time, report.end_time] {
        parts.number(Some(time));
    }
    parts.number(Some(report.report_format));
    for text in [&report.type_, &report.puppet_version, &report.configuration_version] {
        parts.text(Some(text));
    }
    let named = [
        &report.environment,
        &report.producer,
        &report.transaction_uuid,
        &report.catalog_uuid,
        &report.code_id,
        &report.job_id,
        &report.cached_catalog_status,
        &report.status,
    ];
    named.into_iter().for_each(|text| parts.text(text.as_deref()));
    for flag in [report.noop, report.noop_pending] {
        parts.number(flag.map(i64::from));
    }
    parts.text(Some(&report.logs));
    parts.text(Some(&report.metrics));
    report.events.iter().for_each(|event| event::describe(event, &mut parts));
    parts.digest()
}

fn compressed(text: &str) -> Result<Vec<u8>, SqlError> {
    let mut encoder = ZlibEncoder::new(Vec::new(), Compression::fast());
    let written = encoder.write_all(text.as_bytes()).and_then(|()| encoder.finish());
    written.map_err(|error| SqlError::Damaged(error.to_string()))
}
