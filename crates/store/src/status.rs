//! Numbers of the store, and whether it is sound.

use crate::sql::number;
use crate::{Store, StoreError, schema};

/// Numbers of the store.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Status {
    /// Where it is.
    pub place: String,
    /// The version of its tables.
    pub version: i64,
    /// The number of nodes that are active.
    pub active_nodes: u64,
    /// Its size in bytes.
    pub bytes: u64,
    /// Its tables.
    pub tables: Vec<TableStatus>,
}

/// A table of the store.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TableStatus {
    /// Its name.
    pub name: &'static str,
    /// The number of its rows.
    pub rows: u64,
}

/// The tables that are shown.
pub(crate) const TABLES: [&str; 31] = [
    "nodes",
    "factsets",
    "facts",
    "fact_values",
    "fact_paths",
    "fact_leaves",
    "fact_changes",
    "node_packages",
    "packages",
    "catalogs",
    "catalog_resources",
    "resources",
    "catalog_edges",
    "edges",
    "catalog_changes",
    "catalog_change_resources",
    "data_sets",
    "data_lines",
    "data_set_lines",
    "node_data",
    "catalog_inputs",
    "exported",
    "fact_names",
    "reports",
    "report_bodies",
    "events",
    "environments",
    "producers",
    "bucket_files",
    "bucket_parts",
    "bucket_paths",
];

impl Store {
    /// Returns what the store has.
    pub fn status(&self) -> Result<Status, StoreError> {
        self.read(|sql| {
            let mut count = |query: &str| -> Result<u64, crate::sql::SqlError> {
                let n_rows = number(sql, query, &[])?.unwrap_or(0);
                Ok(u64::try_from(n_rows).unwrap_or(0))
            };
            let active = "SELECT count(*) FROM nodes WHERE deactivated IS NULL AND expired IS NULL";
            let active_nodes = count(active)?;
            let mut tables = Vec::with_capacity(TABLES.len());
            for name in TABLES {
                let rows = count(&format!("SELECT count(*) FROM {name}"))?;
                tables.push(TableStatus { name, rows });
            }
            let bytes = self.engine.bytes(sql, &TABLES)?;
            let place = self.place();
            Ok(Status { place, version: schema::VERSION, active_nodes, bytes, tables })
        })
    }

    /// Returns the numbers of active nodes, and of resources in all catalogs.
    pub fn population(&self) -> Result<(u64, u64), StoreError> {
        self.read(|sql| {
            let mut count = |query: &str| -> Result<u64, crate::sql::SqlError> {
                Ok(u64::try_from(number(sql, query, &[])?.unwrap_or(0)).unwrap_or(0))
            };
            let active = "deactivated IS NULL AND expired IS NULL";
            let nodes = count(&format!("SELECT count(*) FROM nodes WHERE {active}"))?;
            // PuppetDB counts those of inactive nodes too.
            let resources = count("SELECT count(*) FROM catalog_resources")?;
            Ok((nodes, resources))
        })
    }

    /// Returns what is wrong with the store: nothing if it is sound.
    pub fn problems(&self) -> Result<Vec<String>, StoreError> {
        self.engine.problems().map_err(|error| self.failed("read", error))
    }
}
