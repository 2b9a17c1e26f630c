//! Exported resources as compilations collect them.

use ecow::EcoString;
use kukla_catalog::exports::{ExportSearch, Exported, Stored};
use kukla_catalog::json;
use kukla_pcore::{Hash, Value, data};
use kukla_rubytext::json as text;

use crate::command::Catalog;
use crate::sql::{Cell, Insert, Sql, SqlError};

const EXPORTED: Insert = Insert {
    table: "exported",
    columns: &["node_id", "position", "type", "title", "tags", "parameters"],
    keeps_existing: false,
};

/// Removes the exports of a node; returns whether there were any.
pub(crate) fn remove(sql: &mut dyn Sql, node: i64) -> Result<bool, SqlError> {
    Ok(sql.execute("DELETE FROM exported WHERE node_id = ?1", &[Cell::Int(node)])? > 0)
}

/// Replaces the exports of a node.
pub(crate) fn replace(
    sql: &mut dyn Sql,
    node: i64,
    resources: &[Exported],
) -> Result<(), SqlError> {
    remove(sql, node)?;
    let texts: Vec<(String, String)> = resources
        .iter()
        .map(|resource| (resource.tags.join(" "), written(&resource.parameters)))
        .collect();
    let heads = resources.iter().map(|it| (it.type_.as_str(), it.title.as_str()));
    insert(sql, node, heads, &texts)
}

/// Replaces the exports of a node by those of a catalog that another server has compiled.
pub(crate) fn replace_by_catalog(
    sql: &mut dyn Sql,
    node: i64,
    catalog: &Catalog,
) -> Result<(), SqlError> {
    remove(sql, node)?;
    let exported = || catalog.resources.iter().filter(|resource| resource.is_exported);
    let texts: Vec<(String, String)> = exported()
        .map(|resource| {
            let mut parameters = String::new();
            crate::json::object(&resource.parameters, &mut parameters);
            let is_tag = |tag: &&String| !tag.contains(char::is_whitespace);
            let tags: Vec<&str> = resource.tags.iter().filter(is_tag).map(String::as_str).collect();
            (tags.join(" "), parameters)
        })
        .collect();
    let heads = exported().map(|it| (it.type_.as_str(), it.title.as_str()));
    insert(sql, node, heads, &texts)
}

fn insert<'a>(
    sql: &mut dyn Sql,
    node: i64,
    heads: impl Iterator<Item = (&'a str, &'a str)>,
    texts: &[(String, String)],
) -> Result<(), SqlError> {
    let mut rows = Vec::with_capacity(texts.len() * EXPORTED.columns.len());
    for ((position, (type_, title)), (tags, parameters)) in (0..).zip(heads).zip(texts) {
        rows.extend([
            Cell::Int(node),
            Cell::Int(position),
            Cell::Text(type_),
            Cell::Text(title),
            Cell::Text(tags),
            Cell::Text(parameters),
        ]);
    }
    sql.insert(&EXPORTED, &rows)
}

/// Finds the resources of active nodes that match a collector.
pub(crate) fn search(
    sql: &mut dyn Sql,
    search: &ExportSearch<'_>,
) -> Result<Vec<Stored>, SqlError> {
    let mut found = Vec::new();
    sql.each(
        "SELECT certname, type, title, tags, parameters FROM exported \
         JOIN nodes ON nodes.id = exported.node_id \
         WHERE type = ?1 AND certname <> ?2 AND deactivated IS NULL AND expired IS NULL \
         ORDER BY certname, position",
        &[Cell::Text(search.type_), Cell::Text(search.node)],
        &mut |row| {
            // Parsing parameters is the expensive part, and most queries are about tags.
            let by_head = match search.filter {
                Some(filter) => filter.accepts_head(at(row, 2)?, &tags(row, 3)?),
                None => Some(true),
            };
            if by_head == Some(false) {
                return Ok(());
            }
            let stored = Stored { node: at(row, 0)?.into(), resource: resource(row, 1)? };
            if by_head == Some(true) || search.accepts(&stored) {
                found.push(stored);
            }
            Ok(())
        },
    )?;
    // Engines order texts by rules of their own.
    found.sort_by(|one, other| one.node.cmp(&other.node));
    Ok(found)
}

/// Returns the nodes with exports, and the number of their exports.
pub(crate) fn nodes(sql: &mut dyn Sql) -> Result<Vec<(String, usize)>, SqlError> {
    let mut nodes = Vec::new();
    sql.each(
        "SELECT certname, count(*) FROM exported JOIN nodes ON nodes.id = exported.node_id \
         GROUP BY certname ORDER BY certname",
        &[],
        &mut |row| {
            let n_resources = row.get(1).and_then(|cell| cell.int()).unwrap_or(0);
            nodes.push((at(row, 0)?.to_owned(), usize::try_from(n_resources).unwrap_or(0)));
            Ok(())
        },
    )?;
    nodes.sort_unstable();
    Ok(nodes)
}

/// Returns the exports of a node.
pub(crate) fn of_node(sql: &mut dyn Sql, node: &str) -> Result<Vec<Exported>, SqlError> {
    let mut found = Vec::new();
    sql.each(
        "SELECT type, title, tags, parameters FROM exported \
         JOIN nodes ON nodes.id = exported.node_id WHERE certname = ?1 ORDER BY position",
        &[Cell::Text(node)],
        &mut |row| {
            found.push(resource(row, 0)?);
            Ok(())
        },
    )?;
    Ok(found)
}

/// Returns the resource whose columns begin at an index.
fn resource(row: &[Cell<'_>], index: usize) -> Result<Exported, SqlError> {
    Ok(Exported {
        type_: at(row, index)?.into(),
        title: at(row, index + 1)?.into(),
        tags: tags(row, index + 2)?,
        parameters: parameters(at(row, index + 3)?)?,
    })
}

fn at<'a>(row: &'a [Cell<'_>], index: usize) -> Result<&'a str, SqlError> {
    let text = row.get(index).and_then(Cell::text);
    text.ok_or_else(|| SqlError::Damaged("an exported resource has no text".to_owned()))
}

fn tags(row: &[Cell<'_>], index: usize) -> Result<Vec<EcoString>, SqlError> {
    Ok(at(row, index)?.split_ascii_whitespace().map(EcoString::from).collect())
}

fn parameters(json: &str) -> Result<Vec<(EcoString, Value)>, SqlError> {
    let wrong = SqlError::Damaged;
    match text::parse(json).and_then(data::value).map_err(|error| wrong(error.message))? {
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
