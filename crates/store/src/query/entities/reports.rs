//! Entities of reports.

use super::{BY_NODE, ENVIRONMENT, Expression, Field, NAME, PRODUCER, Relation, Table, Type};

/// Reports.
pub(super) static REPORTS: Table = Table {
    alias: "reports",
    fields: &[
        Field::time("receive_time", "r.receive_time"),
        Field::flag("corrective_change", "r.corrective_change"),
        Field::text("code_id", "r.code_id"),
        Field::flag("noop", "r.noop"),
        Field::text("certname", "n.certname"),
        Field::text("puppet_version", "r.puppet_version"),
        Field::text("hash", "r.hash"),
        Field::text("cached_catalog_status", "r.cached_catalog_status"),
        Field::text("transaction_uuid", "r.transaction_uuid"),
        Field::text("configuration_version", "r.configuration_version"),
        Field::text("status", "r.status"),
        Field::text("job_id", "r.job_id"),
        Field::text("producer", "producers.name"),
        Field::text("catalog_uuid", "r.catalog_uuid"),
        Field::document("logs", "b.logs", "b.logs").typed(Type::Expanded),
        Field::flag("noop_pending", "r.noop_pending"),
        Field::time("end_time", "r.end_time"),
        Field::text("type", "r.type"),
        Field::text("environment", "env.name"),
        Field::flag("latest_report?", "(n.latest_report_id = r.id)").hidden(),
        Field::time("start_time", "r.start_time"),
        // No text and no events are the same to those who ask.
        Field::document(
            EVENTS_OF_REPORT,
            "coalesce(b.events, x'')",
            "coalesce(b.events, ''::bytea)",
        )
        .typed(Type::Expanded),
        Field::document("metrics", "b.metrics", "b.metrics").typed(Type::Expanded),
        Field::time("producer_timestamp", "r.producer_timestamp"),
        Field::new("report_format", Type::Int, "r.report_format"),
    ],
    from: Expression::Same(FROM),
    relations: &OF_REPORTS,
    has_nodes: true,
    key: Some("r.id"),
};

const FROM: &str = "reports r JOIN nodes n ON n.id = r.node_id \
    LEFT JOIN environments env ON env.id = r.environment_id \
    LEFT JOIN producers ON producers.id = r.producer_id \
    LEFT JOIN report_bodies b ON b.report_id = r.id";

/// The events of a report, which has them as one text.
pub(in crate::query) const EVENTS_OF_REPORT: &str = "resource_events";

/// The events of reports that were stored before there was such a text.
pub(in crate::query) const OLD_EVENTS: Expression = Expression::Each(
    "CASE WHEN b.events IS NULL THEN (SELECT CASE WHEN count(*) > 0 THEN json_group_array(json_object( \
    'status', e.status, 'timestamp', time_text(e.timestamp), \
    'resource_type', e.resource_type, 'resource_title', e.resource_title, 'property', e.property, 'name', e.name, \
    'corrective_change', json(CASE e.corrective_change WHEN 1 THEN 'true' WHEN 0 THEN 'false' ELSE 'null' END), \
    'new_value', json(coalesce(e.new_value, 'null')), 'old_value', json(coalesce(e.old_value, 'null')), \
    'message', e.message, 'file', e.file, 'line', e.line, \
    'containment_path', json(coalesce(e.containment_path, 'null')), 'containing_class', e.containing_class)) \
    END FROM events e WHERE e.report_id = r.id) END",
    "CASE WHEN b.events IS NULL THEN (SELECT jsonb_agg(jsonb_build_object('status', e.status, 'timestamp', \
    (to_jsonb(to_timestamp(e.timestamp / 1000.0) AT TIME ZONE 'UTC') #>> '{}') || '+00:00', \
    'resource_type', e.resource_type, 'resource_title', e.resource_title, 'property', e.property, 'name', e.name, \
    'corrective_change', e.corrective_change, 'new_value', e.new_value, 'old_value', e.old_value, \
    'message', e.message, 'file', e.file, 'line', e.line, \
    'containment_path', e.containment_path, 'containing_class', e.containing_class) ORDER BY e.position) \
    FROM events e WHERE e.report_id = r.id) END",
);

/// The relations of reports.
const OF_REPORTS: [Relation; 16] = {
    let mut all = [("environments", ENVIRONMENT, NAME); 16];
    all[1] = ("producers", PRODUCER, NAME);
    all[2] = ("events", &["hash"] as &[&str], &["report"] as &[&str]);
    let mut at = 0;
    while at < BY_NODE.len() {
        all[at + 3] = BY_NODE[at];
        at += 1;
    }
    all
};

/// The relations of events.
const OF_EVENTS: [Relation; 15] = {
    let mut all = [("environments", ENVIRONMENT, NAME); 15];
    all[1] = ("reports", &["report"] as &[&str], &["hash"] as &[&str]);
    let mut at = 0;
    while at < BY_NODE.len() {
        all[at + 2] = BY_NODE[at];
        at += 1;
    }
    all
};

/// Events of reports.
pub(super) static EVENTS: Table = Table {
    alias: "events",
    fields: &[
        Field::text("message", "e.message"),
        Field::new("old_value", Type::ValueText, "e.old_value"),
        Field::time("report_receive_time", "r.receive_time"),
        Field::flag("corrective_change", "e.corrective_change"),
        Field::new("containment_path", Type::Texts, "e.containment_path"),
        Field::text("certname", "n.certname"),
        Field::time("timestamp", "e.timestamp"),
        Field::time("run_end_time", "r.end_time"),
        Field::text("name", "e.name"),
        Field::text("configuration_version", "r.configuration_version"),
        Field::new("new_value", Type::ValueText, "e.new_value"),
        Field::text("resource_title", "e.resource_title"),
        Field::text("status", "e.status"),
        Field::text("property", "e.property"),
        Field::text("resource_type", "e.resource_type"),
        Field::new("line", Type::Int, "e.line"),
        Field::text("environment", "env.name"),
        Field::text("containing_class", "e.containing_class"),
        Field::time("run_start_time", "r.start_time"),
        Field::flag("latest_report?", "(n.latest_report_id = r.id)").hidden(),
        Field::text("file", "e.file"),
        Field::text("report", "r.hash"),
    ],
    from: Expression::Same(
        "events e JOIN reports r ON r.id = e.report_id JOIN nodes n ON n.id = r.node_id \
         LEFT JOIN environments env ON env.id = r.environment_id",
    ),
    relations: &OF_EVENTS,
    has_nodes: true,
    key: Some("e.report_id, e.position"),
};

/// Reports with events, and how many they have of each status. Conditions of events that name no event fit it.
pub(super) static EVENT_COUNTS: Table = Table {
    alias: "events",
    fields: &[
        Field::text("certname", "n.certname"),
        Field::new("failures", Type::Int, "k.failures"),
        Field::new("skips", Type::Int, "k.skips"),
        Field::new("successes", Type::Int, "k.successes"),
        Field::new("noops", Type::Int, "k.noops"),
    ],
    from: Expression::Same(
        "report_counts k JOIN reports r ON r.id = k.report_id JOIN nodes n ON n.id = r.node_id \
         LEFT JOIN environments env ON env.id = r.environment_id",
    ),
    relations: &[],
    has_nodes: true,
    key: None,
};

/// Logs of one report.
pub(super) static LOGS: Table = Table {
    alias: "logs",
    fields: &[
        Field::document("logs", "b.logs", "b.logs").typed(Type::Compressed),
        Field::text("hash", "r.hash").hidden(),
    ],
    from: Expression::Same(FROM),
    relations: &[],
    has_nodes: true,
    key: None,
};

/// Metrics of one report.
pub(super) static METRICS: Table = Table {
    alias: "metrics",
    fields: &[
        Field::document("metrics", "b.metrics", "b.metrics").typed(Type::Compressed),
        Field::text("hash", "r.hash").hidden(),
    ],
    from: Expression::Same(FROM),
    relations: &[],
    has_nodes: true,
    key: None,
};
