//! The changes of a node's catalog: which resources it lost and got.

use std::collections::BTreeSet;

use super::node;
use crate::command::Catalog;
use crate::sql::{Cell, Insert, Sql, SqlError, number, numbers};

const RESOURCES: Insert = Insert {
    table: "catalog_change_resources",
    columns: &["change_id", "resource_id", "is_added"],
    keeps_existing: false,
};

/// The resources that a node has before its catalog is replaced.
pub(super) struct Before(BTreeSet<i64>);

impl Before {
    /// Returns what a node has, if its changes are kept and it has a catalog.
    pub(super) fn of(sql: &mut dyn Sql, node: i64, n_kept: u32) -> Result<Option<Self>, SqlError> {
        let query = "SELECT 1 FROM catalogs WHERE node_id = ?1";
        if n_kept == 0 || number(sql, query, &[Cell::Int(node)])?.is_none() {
            return Ok(None);
        }
        resources(sql, node).map(|resources| Some(Self(resources)))
    }

    /// Stores what has changed since, and forgets the oldest changes.
    pub(super) fn store(
        self,
        sql: &mut dyn Sql,
        node: i64,
        time: i64,
        hash: &str,
        catalog: &Catalog,
        n_kept: u32,
    ) -> Result<(), SqlError> {
        let after = resources(sql, node)?;
        let environment =
            node::optional_id(sql, "environments", catalog.head.environment.as_deref())?;
        let change = number(
            sql,
            "INSERT INTO catalog_changes (node_id, hash, version, code_id, producer_timestamp, \
             environment_id) VALUES (?1, ?2, ?3, ?4, ?5, ?6) RETURNING id",
            &[
                Cell::Int(node),
                Cell::Text(hash),
                Cell::Text(&catalog.head.version),
                catalog.head.code_id.as_deref().into(),
                Cell::Int(time),
                environment.into(),
            ],
        )?;
        let change =
            change.ok_or_else(|| SqlError::Damaged("a change can't be stored".to_owned()))?;
        let removed = self.0.difference(&after).map(|id| (*id, false));
        let added = after.difference(&self.0).map(|id| (*id, true));
        let rows: Vec<Cell<'_>> = removed
            .chain(added)
            .flat_map(|(id, is_added)| [Cell::Int(change), Cell::Int(id), Cell::Bool(is_added)])
            .collect();
        sql.insert(&RESOURCES, &rows)?;
        sql.execute(
            "DELETE FROM catalog_changes WHERE node_id = ?1 AND id NOT IN \
             (SELECT id FROM catalog_changes WHERE node_id = ?1 ORDER BY id DESC LIMIT ?2)",
            &[Cell::Int(node), Cell::Int(i64::from(n_kept))],
        )?;
        Ok(())
    }
}

fn resources(sql: &mut dyn Sql, node: i64) -> Result<BTreeSet<i64>, SqlError> {
    let query = "SELECT resource_id FROM catalog_resources WHERE node_id = ?1";
    Ok(numbers(sql, query, &[Cell::Int(node)])?.into_iter().collect())
}
