//! The store as commands: those that make such a store anew.

use std::io::Read as _;

use flate2::read::ZlibDecoder;
use serde_json::{Map, Value, json};

use crate::sql::{Cell, Sql, SqlError, numbers};
use crate::{Store, StoreError, time};

/// A command that has the same result as one that was stored.
#[derive(Clone, Debug, PartialEq)]
pub struct ArchivedCommand {
    /// Its name.
    pub name: &'static str,
    /// Its version.
    pub version: i64,
    /// When it came, in milliseconds since 1970.
    pub received: i64,
    /// Its payload.
    pub payload: Value,
}

/// Receives commands; returns whether to go on.
type Receive<'a> = &'a mut dyn FnMut(ArchivedCommand) -> bool;

impl Store {
    /// Hands over everything that the store has as commands, node by node.
    pub fn export(&self, receive: Receive<'_>) -> Result<(), StoreError> {
        self.read(|sql| {
            for node in numbers(sql, "SELECT id FROM nodes ORDER BY certname", &[])? {
                let certname = one(sql, "SELECT certname FROM nodes WHERE id = ?1", node)?;
                let certname = certname.first().cloned().unwrap_or_default();
                let commands = [facts, catalog, inputs, deactivation];
                for command in commands {
                    if let Some(command) = command(sql, node, &certname)?
                        && !receive(command)
                    {
                        return Ok(());
                    }
                }
                let query = "SELECT id FROM reports WHERE node_id = ?1 ORDER BY producer_timestamp";
                for report in numbers(sql, query, &[Cell::Int(node)])? {
                    if !receive(self::report(sql, report, &certname)?) {
                        return Ok(());
                    }
                }
            }
            Ok(())
        })
    }
}

/// Returns the columns of the only row as JSON; nothing if there is none.
fn one(sql: &mut dyn Sql, query: &str, id: i64) -> Result<Vec<Value>, SqlError> {
    Ok(rows(sql, query, id)?.into_iter().next().unwrap_or_default())
}

/// Returns rows as JSON.
fn rows(sql: &mut dyn Sql, query: &str, id: i64) -> Result<Vec<Vec<Value>>, SqlError> {
    let mut found = Vec::new();
    sql.each(query, &[Cell::Int(id)], &mut |row| {
        found.push(row.iter().map(|cell| value(*cell)).collect::<Result<_, _>>()?);
        Ok(())
    })?;
    Ok(found)
}

fn value(cell: Cell<'_>) -> Result<Value, SqlError> {
    Ok(match cell {
        Cell::Null => Value::Null,
        Cell::Bool(flag) => flag.into(),
        Cell::Int(number) => number.into(),
        Cell::Real(number) => number.into(),
        Cell::Text(text) | Cell::Json(text) => text.into(),
        Cell::Bytes(bytes) => {
            let mut text = String::new();
            let read = ZlibDecoder::new(bytes).read_to_string(&mut text);
            read.map_err(|_| SqlError::Damaged("the body of a report is damaged".to_owned()))?;
            parsed(&text)?
        }
    })
}

/// Returns the JSON that a column has as a text.
fn parsed(text: &str) -> Result<Value, SqlError> {
    serde_json::from_str(text).map_err(|error| SqlError::Damaged(error.to_string()))
}

fn parsed_value(value: &Value) -> Result<Value, SqlError> {
    value.as_str().map_or(Ok(Value::Null), parsed)
}

fn written(value: &Value) -> Value {
    value.as_i64().map_or(Value::Null, |time| time::written(time).into())
}

type Made = Result<Option<ArchivedCommand>, SqlError>;

fn facts(sql: &mut dyn Sql, node: i64, certname: &Value) -> Made {
    let head = one(
        sql,
        "SELECT timestamp, producer_timestamp, environments.name, producers.name FROM factsets \
         LEFT JOIN environments ON environments.id = environment_id \
         LEFT JOIN producers ON producers.id = producer_id WHERE node_id = ?1",
        node,
    )?;
    let [received, time, environment, producer] = head.as_slice() else { return Ok(None) };
    let facts = rows(
        sql,
        "SELECT name, value FROM facts JOIN fact_values ON fact_values.id = value_id \
         JOIN fact_names ON fact_names.id = name_id WHERE node_id = ?1 ORDER BY name",
        node,
    )?;
    let mut values = Map::new();
    for fact in &facts {
        if let [Value::String(name), value] = fact.as_slice() {
            values.insert(name.clone(), parsed_value(value)?);
        }
    }
    let packages = rows(
        sql,
        "SELECT package_name, version, provider FROM node_packages \
         JOIN packages ON packages.id = package_id WHERE node_id = ?1 ORDER BY 1, 2, 3",
        node,
    )?;
    let payload = json!({
        "certname": certname, "environment": environment, "producer": producer,
        "producer_timestamp": written(time), "values": values, "package_inventory": packages,
    });
    let received = received.as_i64().unwrap_or_default();
    Ok(Some(ArchivedCommand { name: "replace facts", version: 5, received, payload }))
}

fn catalog(sql: &mut dyn Sql, node: i64, certname: &Value) -> Made {
    let head = one(
        sql,
        "SELECT timestamp, producer_timestamp, environments.name, producers.name, version, \
         transaction_uuid, catalog_uuid, code_id, job_id FROM catalogs \
         LEFT JOIN environments ON environments.id = environment_id \
         LEFT JOIN producers ON producers.id = producer_id WHERE node_id = ?1",
        node,
    )?;
    let [received, time, environment, producer, version, run, uuid, code, job] = head.as_slice()
    else {
        return Ok(None);
    };
    let mut resources = Vec::new();
    for row in rows(
        sql,
        "SELECT type, title, exported, file, line, tags, parameters FROM catalog_resources \
         JOIN resources ON resources.id = resource_id WHERE node_id = ?1 ORDER BY type, title",
        node,
    )? {
        let [type_, title, exported, file, line, tags, parameters] = row.as_slice() else {
            continue;
        };
        resources.push(json!({
            "type": type_, "title": title, "exported": is_true(exported), "file": file,
            "line": line, "tags": parsed_value(tags)?, "parameters": parsed_value(parameters)?,
        }));
    }
    let edges = rows(
        sql,
        "SELECT source_type, source_title, target_type, target_title, relationship \
         FROM catalog_edges JOIN edges ON edges.id = edge_id WHERE node_id = ?1 \
         ORDER BY 1, 2, 3, 4, 5",
        node,
    )?;
    let edge = |edge: &Vec<Value>| {
        let of = |n: usize| edge.get(n).cloned().unwrap_or_default();
        json!({
            "source": { "type": of(0), "title": of(1) },
            "target": { "type": of(2), "title": of(3) },
            "relationship": of(4),
        })
    };
    let edges: Vec<Value> = edges.iter().map(edge).collect();
    let data = rows(
        sql,
        "SELECT file, line, name FROM node_data JOIN data_set_lines USING (set_id) \
         JOIN data_lines ON data_lines.id = line_id WHERE node_id = ?1 ORDER BY 1, 2, 3",
        node,
    )?;
    let payload = json!({
        "certname": certname, "environment": environment, "producer": producer,
        "producer_timestamp": written(time), "version": version, "transaction_uuid": run,
        "catalog_uuid": uuid, "code_id": code, "job_id": job, "resources": resources,
        "edges": edges, "data": data,
    });
    let received = received.as_i64().unwrap_or_default();
    Ok(Some(ArchivedCommand { name: "replace catalog", version: 9, received, payload }))
}

/// Returns a truth value, which SQLite has as a number.
fn is_true(value: &Value) -> bool {
    value.as_bool().unwrap_or_else(|| value.as_i64() == Some(1))
}

fn inputs(sql: &mut dyn Sql, node: i64, certname: &Value) -> Made {
    let head = one(sql, "SELECT inputs_timestamp, inputs_uuid FROM nodes WHERE id = ?1", node)?;
    let [time, uuid] = head.as_slice() else { return Ok(None) };
    let Some(received) = time.as_i64() else { return Ok(None) };
    let query = "SELECT type, name FROM catalog_inputs WHERE node_id = ?1 ORDER BY position";
    let payload = json!({
        "certname": certname, "catalog_uuid": uuid, "producer_timestamp": written(time),
        "inputs": rows(sql, query, node)?,
    });
    Ok(Some(ArchivedCommand { name: "replace catalog inputs", version: 1, received, payload }))
}

fn deactivation(sql: &mut dyn Sql, node: i64, certname: &Value) -> Made {
    let head = one(sql, "SELECT deactivated FROM nodes WHERE id = ?1", node)?;
    let Some(received) = head.first().and_then(Value::as_i64) else { return Ok(None) };
    let time = time::written(received);
    let payload = json!({ "certname": certname, "producer_timestamp": time });
    Ok(Some(ArchivedCommand { name: "deactivate node", version: 3, received, payload }))
}

fn report(sql: &mut dyn Sql, report: i64, certname: &Value) -> Result<ArchivedCommand, SqlError> {
    let head = one(
        sql,
        "SELECT receive_time, producer_timestamp, environments.name, producers.name, type, \
         puppet_version, report_format, configuration_version, start_time, end_time, \
         transaction_uuid, catalog_uuid, code_id, job_id, cached_catalog_status, status, noop, \
         noop_pending, logs, metrics FROM reports \
         JOIN report_bodies ON report_bodies.report_id = reports.id \
         LEFT JOIN environments ON environments.id = environment_id \
         LEFT JOIN producers ON producers.id = producer_id WHERE reports.id = ?1",
        report,
    )?;
    let of = |n: usize| head.get(n).cloned().unwrap_or_default();
    let flag = |n: usize| if of(n).is_null() { Value::Null } else { is_true(&of(n)).into() };
    let payload = json!({
        "certname": certname, "producer_timestamp": written(&of(1)), "environment": of(2),
        "producer": of(3), "type": of(4), "puppet_version": of(5), "report_format": of(6),
        "configuration_version": of(7), "start_time": written(&of(8)),
        "end_time": written(&of(9)), "transaction_uuid": of(10), "catalog_uuid": of(11),
        "code_id": of(12), "job_id": of(13), "cached_catalog_status": of(14), "status": of(15),
        "noop": flag(16), "noop_pending": flag(17), "logs": of(18), "metrics": of(19),
        "resources": events(sql, report)?,
    });
    let received = of(0).as_i64().unwrap_or_default();
    Ok(ArchivedCommand { name: "store report", version: 8, received, payload })
}

/// Returns the events of a report, each with its resource.
fn events(sql: &mut dyn Sql, report: i64) -> Result<Vec<Value>, SqlError> {
    let mut resources = Vec::new();
    for row in rows(
        sql,
        "SELECT status, timestamp, resource_type, resource_title, property, name, new_value, \
         old_value, message, file, line, containment_path FROM events WHERE report_id = ?1 \
         ORDER BY position",
        report,
    )? {
        let of = |n: usize| row.get(n).cloned().unwrap_or_default();
        let is_skipped = of(0) == "skipped" && of(4).is_null();
        let event = json!({
            "status": of(0), "timestamp": written(&of(1)), "property": of(4), "name": of(5),
            "new_value": parsed_value(&of(6))?, "old_value": parsed_value(&of(7))?,
            "message": of(8),
        });
        let events = if is_skipped { Vec::new() } else { vec![event] };
        resources.push(json!({
            "timestamp": written(&of(1)), "resource_type": of(2), "resource_title": of(3),
            "skipped": is_skipped, "file": of(9), "line": of(10),
            "containment_path": parsed_value(&of(11))?, "events": events,
        }));
    }
    Ok(resources)
}
