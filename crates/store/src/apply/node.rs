//! Nodes and names.

use super::Outcome;
use crate::sql::{Cell, Sql, SqlError, number};

/// Returns the identifier of a node, which is made if it is new.
pub(crate) fn id(sql: &mut dyn Sql, certname: &str) -> Result<i64, SqlError> {
    let cells = [Cell::Text(certname)];
    let select = "SELECT id FROM nodes WHERE certname = ?1";
    if let Some(id) = number(sql, select, &cells)? {
        return Ok(id);
    }
    sql.execute("INSERT INTO nodes (certname) VALUES (?1) ON CONFLICT DO NOTHING", &cells)?;
    let found = number(sql, select, &cells)?;
    found.ok_or_else(|| SqlError::Damaged(format!("the node `{certname}` can't be stored")))
}

/// Returns the identifier of a node that said something at a time, and makes it active.
pub(super) fn active_id(sql: &mut dyn Sql, certname: &str, time: i64) -> Result<i64, SqlError> {
    // Nearly always the node is known and active, which one query says.
    let query =
        "SELECT id FROM nodes WHERE certname = ?1 AND deactivated IS NULL AND expired IS NULL";
    if let Some(node) = number(sql, query, &[Cell::Text(certname)])? {
        return Ok(node);
    }
    let node = id(sql, certname)?;
    activate(sql, node, time)?;
    Ok(node)
}

/// Returns the identifier of a name that may be missing in one of the tables of names.
pub(super) fn optional_id(
    sql: &mut dyn Sql,
    table: &'static str,
    name: Option<&str>,
) -> Result<Option<i64>, SqlError> {
    name.map(|name| sql.name_id(table, name)).transpose()
}

/// Makes a node active if it was deactivated, or expired, before a time.
pub(crate) fn activate(sql: &mut dyn Sql, node: i64, time: i64) -> Result<(), SqlError> {
    let cells = [Cell::Int(node), Cell::Int(time)];
    sql.execute(
        "UPDATE nodes SET deactivated = NULL, expired = NULL WHERE id = ?1 \
         AND (deactivated IS NOT NULL OR expired IS NOT NULL) \
         AND coalesce(deactivated, 0) < ?2 AND coalesce(expired, 0) < ?2",
        &cells,
    )?;
    Ok(())
}

/// Deactivates a node unless something newer is known of it.
pub(super) fn deactivate(sql: &mut dyn Sql, node: i64, time: i64) -> Result<Outcome, SqlError> {
    let newer = number(
        sql,
        "SELECT 1 FROM factsets WHERE node_id = ?1 AND producer_timestamp > ?2 \
         UNION ALL SELECT 1 FROM catalogs WHERE node_id = ?1 AND producer_timestamp > ?2 \
         UNION ALL SELECT 1 FROM reports WHERE node_id = ?1 AND producer_timestamp > ?2 LIMIT 1",
        &[Cell::Int(node), Cell::Int(time)],
    )?;
    if newer.is_some() {
        return Ok(Outcome::Stale);
    }
    sql.execute(
        "UPDATE nodes SET deactivated = ?2 WHERE id = ?1 \
         AND (deactivated IS NULL OR deactivated < ?2)",
        &[Cell::Int(node), Cell::Int(time)],
    )?;
    Ok(Outcome::Stored)
}
