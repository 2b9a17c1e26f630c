//! The entity `nodes`.

use super::{BY_NODE, Expression, Field, Table};

/// Nodes, with what their last facts, catalog and report say.
pub(super) static NODES: Table = Table {
    alias: "nodes",
    fields: &[
        Field::flag("latest_report_corrective_change", "r.corrective_change"),
        Field::time("deactivated", "n.deactivated").unordered(),
        Field::time("expired", "n.expired"),
        Field::text("report_environment", "re.name"),
        Field::text("certname", "n.certname"),
        Field::time("facts_timestamp", "fs.timestamp"),
        Field::text("facts_environment", "fe.name"),
        Field::text("cached_catalog_status", "r.cached_catalog_status"),
        Field::text("latest_report_status", "r.status"),
        Field::text("latest_report_hash", "r.hash"),
        Field::time("catalog_timestamp", "c.timestamp"),
        Field::flag("latest_report_noop_pending", "r.noop_pending"),
        Field::time("report_timestamp", "r.end_time"),
        Field::flag("latest_report_noop", "r.noop"),
        Field::text("catalog_environment", "ce.name"),
        Field::text("latest_report_job_id", "r.job_id"),
    ],
    from: Expression::Same(
        "nodes n \
         LEFT JOIN factsets fs ON fs.node_id = n.id LEFT JOIN environments fe ON fe.id = fs.environment_id \
         LEFT JOIN catalogs c ON c.node_id = n.id LEFT JOIN environments ce ON ce.id = c.environment_id \
         LEFT JOIN reports r ON r.id = n.latest_report_id LEFT JOIN environments re ON re.id = r.environment_id",
    ),
    relations: &BY_NODE,
    has_nodes: true,
    key: None,
};
