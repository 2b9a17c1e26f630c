//! Conversion between resources and rows.

use ecow::EcoString;
use kukla_catalog::exports::{ExportSearch, Exported, Stored};
use kukla_catalog::json;
use kukla_pcore::{Hash, Value, data};
use kukla_rubytext::json as text;
use rusqlite::types::Type;
use rusqlite::{Connection, Row, params};

use crate::Exporter;

/// Removes the exports of a node; returns whether there were any.
pub(crate) fn remove(connection: &Connection, node: &str) -> rusqlite::Result<bool> {
    let mut statement = connection.prepare_cached("DELETE FROM exported WHERE node = ?1")?;
    Ok(statement.execute([node])? > 0)
}

/// Adds the exports of a node.
pub(crate) fn insert(connection: &Connection, exporter: &Exporter<'_>) -> rusqlite::Result<()> {
    let mut statement = connection.prepare_cached(
        "INSERT INTO exported (node, position, type, title, tags, parameters) \
         VALUES (?1, ?2, ?3, ?4, ?5, ?6)",
    )?;
    for (position, resource) in (0_i64..).zip(exporter.resources) {
        let (type_, title) = (resource.type_.as_str(), resource.title.as_str());
        let tags = resource.tags.join(" ");
        let parameters = written(&resource.parameters);
        statement.execute(params![exporter.node, position, type_, title, tags, parameters])?;
    }
    Ok(())
}

/// Finds the resources that match a collector.
pub(crate) fn search(
    connection: &Connection,
    search: &ExportSearch<'_>,
) -> rusqlite::Result<Vec<Stored>> {
    let mut statement = connection.prepare_cached(
        "SELECT node, type, title, tags, parameters FROM exported \
         WHERE type = ?1 AND node <> ?2 ORDER BY node, position",
    )?;
    let mut rows = statement.query([search.type_, search.node])?;
    let mut found = Vec::new();
    while let Some(row) = rows.next()? {
        // Parsing parameters is the expensive part, and most queries are about tags.
        let by_head = match search.filter {
            Some(filter) => filter.accepts_head(row.get_ref(2)?.as_str()?, &tags(row, 3)?),
            None => Some(true),
        };
        if by_head == Some(false) {
            continue;
        }
        let stored = Stored { node: get(row, 0)?, resource: resource(row, 1)? };
        if by_head == Some(true) || search.accepts(&stored) {
            found.push(stored);
        }
    }
    Ok(found)
}

/// Returns the nodes with exports, and the number of their exports.
pub(crate) fn nodes(connection: &Connection) -> rusqlite::Result<Vec<(String, usize)>> {
    let mut statement = connection
        .prepare_cached("SELECT node, count(*) FROM exported GROUP BY node ORDER BY node")?;
    let rows = statement.query_map([], |row| {
        let n_resources: i64 = row.get(1)?;
        Ok((row.get(0)?, usize::try_from(n_resources).unwrap_or(0)))
    })?;
    rows.collect()
}

/// Returns the exports of a node.
pub(crate) fn of_node(connection: &Connection, node: &str) -> rusqlite::Result<Vec<Exported>> {
    let mut statement = connection.prepare_cached(
        "SELECT type, title, tags, parameters FROM exported WHERE node = ?1 ORDER BY position",
    )?;
    let rows = statement.query_map([node], |row| resource(row, 0))?;
    rows.collect()
}

/// Returns the resource whose columns begin at an index.
fn resource(row: &Row<'_>, at: usize) -> rusqlite::Result<Exported> {
    Ok(Exported {
        type_: get(row, at)?,
        title: get(row, at + 1)?,
        tags: tags(row, at + 2)?,
        parameters: parameters(row, at + 3)?,
    })
}

fn get(row: &Row<'_>, at: usize) -> rusqlite::Result<EcoString> {
    Ok(row.get_ref(at)?.as_str()?.into())
}

fn tags(row: &Row<'_>, at: usize) -> rusqlite::Result<Vec<EcoString>> {
    let tags = row.get_ref(at)?.as_str()?.split_ascii_whitespace();
    Ok(tags.map(EcoString::from).collect())
}

fn parameters(row: &Row<'_>, at: usize) -> rusqlite::Result<Vec<(EcoString, Value)>> {
    let wrong =
        |message: String| rusqlite::Error::FromSqlConversionFailure(at, Type::Text, message.into());
    let read = text::parse(row.get_ref(at)?.as_str()?).and_then(data::value);
    match read.map_err(|error| wrong(error.message))? {
        Value::Hash(hash) => Ok(hash
            .iter()
            .map(|(name, value)| (name.as_str().unwrap_or_default().into(), value.clone()))
            .collect()),
        _ => Err(wrong("parameters are not an object".to_owned())),
    }
}

fn written(parameters: &[(EcoString, Value)]) -> String {
    let pairs = parameters.iter().map(|(name, value)| (name.as_str().into(), value.clone()));
    let mut out = String::new();
    json::value(&Value::hash(pairs.collect::<Hash>()), &mut out);
    out
}
