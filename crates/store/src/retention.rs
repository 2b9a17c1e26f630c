//! Removal by time: nodes that fell silent, reports that are old, content that no node has any more.

use std::time::Duration;

use crate::sql::{Cell, Sql, SqlError, numbers};
use crate::{Store, StoreError, time};

/// The number of rows that one transaction removes: those who write wait for it.
const BATCH: i64 = 2000;

/// Ages at which things are removed; zero keeps them for ever.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Retention {
    /// Nodes that said nothing for so long are expired: queries don't show them.
    pub node_ttl: Duration,
    /// Nodes that were deactivated or expired so long ago are removed with everything they said.
    pub node_purge_ttl: Duration,
    /// Reports that are older are removed.
    pub report_ttl: Duration,
    /// Content of the file bucket that came last so long ago is removed.
    pub bucket_ttl: Duration,
}

impl Default for Retention {
    /// PuppetDB's ages; nothing is removed from the bucket.
    fn default() -> Self {
        let days = |n: u64| Duration::from_secs(n * 86_400);
        Self {
            node_ttl: days(7),
            node_purge_ttl: days(14),
            report_ttl: days(14),
            bucket_ttl: days(0),
        }
    }
}

/// Numbers of things that were removed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Compacted {
    /// Nodes that have expired.
    pub expired_nodes: u64,
    /// Nodes that were removed.
    pub purged_nodes: u64,
    /// Reports that were removed.
    pub reports: u64,
    /// Rows of content that no node had.
    pub content: u64,
}

/// Tables with rows of nodes, those that belong to other rows first.
const OF_NODES: [&str; 11] = [
    "catalog_changes",
    "fact_changes",
    "node_data",
    "facts",
    "factsets",
    "node_packages",
    "catalog_resources",
    "catalog_edges",
    "catalogs",
    "catalog_inputs",
    "exported",
];

/// Statements that remove content that no row refers to, a batch at a time.
const ORPHANS: [&str; 7] = [
    "DELETE FROM data_sets WHERE id IN (SELECT id FROM data_sets WHERE NOT EXISTS \
     (SELECT 1 FROM node_data WHERE node_data.set_id = data_sets.id) LIMIT ?1)",
    "DELETE FROM data_lines WHERE id IN (SELECT id FROM data_lines WHERE NOT EXISTS \
     (SELECT 1 FROM data_set_lines WHERE data_set_lines.line_id = data_lines.id) LIMIT ?1)",
    "DELETE FROM fact_values WHERE id IN (SELECT id FROM fact_values WHERE NOT EXISTS \
     (SELECT 1 FROM facts WHERE facts.value_id = fact_values.id) LIMIT ?1)",
    "DELETE FROM fact_paths WHERE id IN (SELECT id FROM fact_paths WHERE NOT EXISTS \
     (SELECT 1 FROM fact_leaves WHERE fact_leaves.path_id = fact_paths.id) LIMIT ?1)",
    "DELETE FROM packages WHERE id IN (SELECT id FROM packages WHERE NOT EXISTS \
     (SELECT 1 FROM node_packages WHERE node_packages.package_id = packages.id) LIMIT ?1)",
    "DELETE FROM resources WHERE id IN (SELECT id FROM resources WHERE NOT EXISTS \
     (SELECT 1 FROM catalog_resources WHERE catalog_resources.resource_id = resources.id) \
     AND NOT EXISTS (SELECT 1 FROM catalog_change_resources WHERE \
     catalog_change_resources.resource_id = resources.id) LIMIT ?1)",
    "DELETE FROM edges WHERE id IN (SELECT id FROM edges WHERE NOT EXISTS \
     (SELECT 1 FROM catalog_edges WHERE catalog_edges.edge_id = edges.id) LIMIT ?1)",
];

impl Store {
    /// Removes what is older than it may be, and content without a node.
    pub fn compact(&self, retention: Retention) -> Result<Compacted, StoreError> {
        let now = time::now();
        let before = |age: Duration| {
            let age = i64::try_from(age.as_millis()).unwrap_or(i64::MAX);
            (age > 0).then(|| now.saturating_sub(age))
        };
        let mut done = Compacted::default();
        if let Some(time) = before(retention.node_ttl) {
            done.expired_nodes = self.write(&[], |sql| expire(sql, now, time))?;
        }
        if let Some(time) = before(retention.node_purge_ttl) {
            for certname in self.read(|sql| inactive(sql, time))? {
                done.purged_nodes += self.write(&[&certname], |sql| purge(sql, &certname, time))?;
            }
        }
        if let Some(time) = before(retention.report_ttl) {
            done.reports = self.in_batches(|sql| remove_reports(sql, time))?;
        }
        if let Some(time) = before(retention.bucket_ttl) {
            let remove = "DELETE FROM bucket_files WHERE id IN \
                (SELECT id FROM bucket_files WHERE stored < ?1 LIMIT ?2)";
            let cells = [Cell::Int(time), Cell::Int(BATCH)];
            done.content += self.in_batches(|sql| sql.execute(remove, &cells))?;
        }
        if let Some(time) = before(self.history().age) {
            let remove = "DELETE FROM fact_changes WHERE id IN \
                (SELECT id FROM fact_changes WHERE producer_timestamp < ?1 LIMIT ?2)";
            let cells = [Cell::Int(time), Cell::Int(BATCH)];
            done.content += self.in_batches(|sql| sql.execute(remove, &cells))?;
        }
        for statement in ORPHANS {
            done.content += self.in_batches(|sql| sql.execute(statement, &[Cell::Int(BATCH)]))?;
        }
        Ok(done)
    }

    /// Removes a node with everything that it said; returns whether it was known.
    pub fn purge(&self, certname: &str) -> Result<bool, StoreError> {
        let query = "SELECT id FROM nodes WHERE certname = ?1";
        self.write(&[certname], |sql| {
            let found = numbers(sql, query, &[Cell::Text(certname)])?;
            found.iter().try_for_each(|&node| remove_node(sql, node))?;
            Ok(!found.is_empty())
        })
    }

    /// Gives the space of removed rows back to the file system.
    pub fn shrink(&self) -> Result<(), StoreError> {
        self.engine.vacuum(&crate::status::TABLES).map_err(|error| self.failed("changed", error))
    }

    fn in_batches(
        &self,
        mut batch: impl FnMut(&mut dyn Sql) -> Result<u64, SqlError>,
    ) -> Result<u64, StoreError> {
        let mut n_rows = 0;
        loop {
            let n_removed = self.write(&[], &mut batch)?;
            n_rows += n_removed;
            if n_removed < BATCH.unsigned_abs() {
                return Ok(n_rows);
            }
        }
    }
}

/// Marks nodes as expired of which nothing came since a time.
fn expire(sql: &mut dyn Sql, now: i64, time: i64) -> Result<u64, SqlError> {
    sql.execute(
        "UPDATE nodes SET expired = ?1 WHERE deactivated IS NULL AND expired IS NULL \
         AND NOT EXISTS (SELECT 1 FROM factsets WHERE node_id = nodes.id AND timestamp >= ?2) \
         AND NOT EXISTS (SELECT 1 FROM catalogs WHERE node_id = nodes.id AND timestamp >= ?2) \
         AND NOT EXISTS (SELECT 1 FROM reports WHERE id = latest_report_id AND receive_time >= ?2) \
         AND (EXISTS (SELECT 1 FROM factsets WHERE node_id = nodes.id) \
         OR EXISTS (SELECT 1 FROM catalogs WHERE node_id = nodes.id) \
         OR latest_report_id IS NOT NULL)",
        &[Cell::Int(now), Cell::Int(time)],
    )
}

/// Returns the names of nodes that are inactive since a time.
fn inactive(sql: &mut dyn Sql, time: i64) -> Result<Vec<String>, SqlError> {
    let mut names = Vec::new();
    let query = "SELECT certname FROM nodes WHERE deactivated < ?1 OR expired < ?1";
    sql.each(query, &[Cell::Int(time)], &mut |row| {
        names.extend(row.first().and_then(Cell::text).map(str::to_owned));
        Ok(())
    })?;
    Ok(names)
}

/// Removes a node, if it still is inactive since a time.
fn purge(sql: &mut dyn Sql, certname: &str, time: i64) -> Result<u64, SqlError> {
    let query = "SELECT id FROM nodes WHERE certname = ?1 AND (deactivated < ?2 OR expired < ?2)";
    let found = numbers(sql, query, &[Cell::Text(certname), Cell::Int(time)])?;
    found.iter().try_for_each(|&node| remove_node(sql, node))?;
    Ok(found.len() as u64)
}

fn remove_node(sql: &mut dyn Sql, node: i64) -> Result<(), SqlError> {
    for table in OF_NODES {
        sql.execute(&format!("DELETE FROM {table} WHERE node_id = ?1"), &[Cell::Int(node)])?;
    }
    // Events and bodies go with their reports.
    sql.execute("DELETE FROM reports WHERE node_id = ?1", &[Cell::Int(node)])?;
    sql.execute("DELETE FROM nodes WHERE id = ?1", &[Cell::Int(node)])?;
    Ok(())
}

/// Removes some reports that are older than a time.
fn remove_reports(sql: &mut dyn Sql, time: i64) -> Result<u64, SqlError> {
    let cells = [Cell::Int(time), Cell::Int(BATCH)];
    sql.execute(
        "UPDATE nodes SET latest_report_id = NULL WHERE latest_report_id IN \
         (SELECT id FROM reports WHERE producer_timestamp < ?1)",
        &cells[..1],
    )?;
    sql.execute(
        "DELETE FROM reports WHERE id IN \
         (SELECT id FROM reports WHERE producer_timestamp < ?1 LIMIT ?2)",
        &cells,
    )
}
