//! Tables with their columns and keys, those first to which others refer.

use crate::sql::Insert;

/// The kind of a column where engines differ.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    Plain,
    Bool,
    Json,
}

/// A table.
#[derive(Debug)]
pub(super) struct Table {
    pub(super) name: &'static str,
    /// The columns of the key by which rows are ordered.
    pub(super) key: &'static [&'static str],
    pub(super) columns: &'static [(&'static str, Kind)],
    names: &'static [&'static str],
}

impl Table {
    pub(super) fn insert(&self) -> Insert {
        Insert { table: self.name, columns: self.names, keeps_existing: false }
    }
}

/// Describes a table: its key, and its columns with their kinds.
macro_rules! table {
    ($name:literal, [$($key:literal),*], $($column:literal $kind:ident),* $(,)?) => {
        Table {
            name: $name,
            key: &[$($key),*],
            columns: &[$(($column, Kind::$kind)),*],
            names: &[$($column),*],
        }
    };
}

/// All tables.
pub(super) static TABLES: [Table; 31] = [
    table!("environments", ["id"], "id" Plain, "name" Plain),
    table!("producers", ["id"], "id" Plain, "name" Plain),
    table!("nodes", ["id"], "id" Plain, "certname" Plain, "deactivated" Plain, "expired" Plain, "latest_report_id" Plain, "inputs_timestamp" Plain, "inputs_uuid" Plain),
    table!("factsets", ["node_id"], "node_id" Plain, "hash" Plain, "timestamp" Plain, "producer_timestamp" Plain, "environment_id" Plain, "producer_id" Plain),
    table!("fact_names", ["id"], "id" Plain, "name" Plain),
    table!("fact_values", ["id"], "id" Plain, "digest" Plain, "name_id" Plain, "value" Json),
    table!("facts", ["node_id", "value_id"], "node_id" Plain, "value_id" Plain),
    table!("fact_paths", ["id"], "id" Plain, "digest" Plain, "path" Plain, "type" Plain, "name_id" Plain, "depth" Plain),
    table!("fact_leaves", ["value_id", "path_id"], "value_id" Plain, "path_id" Plain, "value" Json),
    table!("packages", ["id"], "id" Plain, "digest" Plain, "package_name" Plain, "version" Plain, "provider" Plain),
    table!("node_packages", ["node_id", "package_id"], "node_id" Plain, "package_id" Plain),
    table!("catalogs", ["node_id"], "node_id" Plain, "hash" Plain, "version" Plain, "transaction_uuid" Plain, "catalog_uuid" Plain, "code_id" Plain, "job_id" Plain, "timestamp" Plain, "producer_timestamp" Plain, "environment_id" Plain, "producer_id" Plain),
    table!("resources", ["id"], "id" Plain, "digest" Plain, "hash" Plain, "type" Plain, "title" Plain, "exported" Bool, "file" Plain, "line" Plain, "tags" Json, "parameters" Json),
    table!("catalog_resources", ["node_id", "resource_id"], "node_id" Plain, "resource_id" Plain),
    table!("edges", ["id"], "id" Plain, "digest" Plain, "source_type" Plain, "source_title" Plain, "target_type" Plain, "target_title" Plain, "relationship" Plain),
    table!("catalog_edges", ["node_id", "edge_id"], "node_id" Plain, "edge_id" Plain),
    table!("catalog_inputs", ["node_id", "position"], "node_id" Plain, "position" Plain, "type" Plain, "name" Plain),
    table!("exported", ["node_id", "position"], "node_id" Plain, "position" Plain, "type" Plain, "title" Plain, "tags" Plain, "parameters" Plain),
    table!("reports", ["id"], "id" Plain, "hash" Plain, "node_id" Plain, "type" Plain, "puppet_version" Plain, "report_format" Plain, "configuration_version" Plain, "start_time" Plain, "end_time" Plain, "receive_time" Plain, "producer_timestamp" Plain, "producer_id" Plain, "environment_id" Plain, "transaction_uuid" Plain, "catalog_uuid" Plain, "code_id" Plain, "job_id" Plain, "cached_catalog_status" Plain, "status" Plain, "noop" Bool, "noop_pending" Bool, "corrective_change" Bool),
    table!("report_bodies", ["report_id"], "report_id" Plain, "logs" Plain, "metrics" Plain),
    table!("events", ["report_id", "position"], "report_id" Plain, "position" Plain, "node_id" Plain, "status" Plain, "timestamp" Plain, "resource_type" Plain, "resource_title" Plain, "property" Plain, "name" Plain, "new_value" Json, "old_value" Json, "message" Plain, "file" Plain, "line" Plain, "containment_path" Json, "containing_class" Plain, "corrective_change" Bool),
    table!("catalog_changes", ["id"], "id" Plain, "node_id" Plain, "hash" Plain, "version" Plain, "code_id" Plain, "producer_timestamp" Plain, "environment_id" Plain),
    table!("catalog_change_resources", ["change_id", "resource_id"], "change_id" Plain, "resource_id" Plain, "is_added" Bool),
    table!("data_lines", ["id"], "id" Plain, "digest" Plain, "file" Plain, "line" Plain, "name" Plain),
    table!("data_sets", ["id"], "id" Plain, "digest" Plain),
    table!("data_set_lines", ["set_id", "line_id"], "set_id" Plain, "line_id" Plain),
    table!("node_data", ["node_id"], "node_id" Plain, "set_id" Plain),
    table!("bucket_files", ["id"], "id" Plain, "sum" Plain, "n_bytes" Plain, "stored" Plain),
    table!("bucket_parts", ["file_id", "position"], "file_id" Plain, "position" Plain, "content" Plain),
    table!("fact_changes", ["id"], "id" Plain, "node_id" Plain, "producer_timestamp" Plain, "path" Plain, "old_value" Json, "new_value" Json),
    table!("bucket_paths", ["file_id", "digest"], "file_id" Plain, "digest" Plain, "path" Plain),
];
