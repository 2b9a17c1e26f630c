//! Entities of catalogs.

use super::{
    BY_NODE, CERTNAME, ENVIRONMENT, Expression, Field, NAME, PRODUCER, Relation, Table, Type,
};

/// Catalogs.
pub(super) static CATALOGS: Table = Table {
    alias: "catalogs",
    fields: &[
        Field::text("code_id", "c.code_id"),
        Field::text("certname", "n.certname"),
        Field::text("hash", "c.hash"),
        Field::text("transaction_uuid", "c.transaction_uuid"),
        Field::text("job_id", "c.job_id"),
        Field::text("producer", "producers.name"),
        Field::text("catalog_uuid", "c.catalog_uuid"),
        Field::text("environment", "env.name"),
        Field::document(
            "edges",
            "(SELECT json_object('href', '/pdb/query/v4/catalogs/' || n.certname || '/edges', 'data', \
             json_group_array(json_object('source_type', e.source_type, 'source_title', e.source_title, \
             'target_type', e.target_type, 'target_title', e.target_title, 'relationship', e.relationship))) \
             FROM catalog_edges ce JOIN edges e ON e.id = ce.edge_id WHERE ce.node_id = n.id)",
            "(SELECT jsonb_build_object('href', '/pdb/query/v4/catalogs/' || n.certname || '/edges', 'data', \
             jsonb_agg(jsonb_build_object('source_type', e.source_type, 'source_title', e.source_title, \
             'target_type', e.target_type, 'target_title', e.target_title, 'relationship', e.relationship))) \
             FROM catalog_edges ce JOIN edges e ON e.id = ce.edge_id WHERE ce.node_id = n.id)",
        ),
        Field::text("version", "c.version"),
        Field::time("producer_timestamp", "c.producer_timestamp"),
        Field::document(
            "resources",
            "(SELECT json_object('href', '/pdb/query/v4/catalogs/' || n.certname || '/resources', 'data', \
             json_group_array(json_object('resource', r.hash, 'type', r.type, 'title', r.title, 'tags', json(r.tags), \
             'exported', json(iif(r.exported, 'true', 'false')), 'file', r.file, 'line', r.line, \
             'parameters', json(r.parameters)))) \
             FROM catalog_resources cr JOIN resources r ON r.id = cr.resource_id WHERE cr.node_id = n.id)",
            "(SELECT jsonb_build_object('href', '/pdb/query/v4/catalogs/' || n.certname || '/resources', 'data', \
             jsonb_agg(jsonb_build_object('resource', r.hash, 'type', r.type, 'title', r.title, 'tags', r.tags, \
             'exported', r.exported, 'file', r.file, 'line', r.line, 'parameters', r.parameters))) \
             FROM catalog_resources cr JOIN resources r ON r.id = cr.resource_id WHERE cr.node_id = n.id)",
        ),
    ],
    from: Expression::Same(
        "catalogs c JOIN nodes n ON n.id = c.node_id LEFT JOIN environments env ON env.id = c.environment_id \
         LEFT JOIN producers ON producers.id = c.producer_id",
    ),
    relations: &WITH_PRODUCER,
    has_nodes: true,
    key: Some("c.node_id"),
};

/// Relations by node, environment and producer.
const WITH_PRODUCER: [Relation; 15] = {
    let mut all = [("environments", ENVIRONMENT, NAME); 15];
    all[1] = ("producers", PRODUCER, NAME);
    let mut at = 0;
    while at < BY_NODE.len() {
        all[at + 2] = BY_NODE[at];
        at += 1;
    }
    all
};

/// Resources of catalogs.
pub(super) static RESOURCES: Table = Table {
    alias: "resources",
    fields: &[
        Field::text("resource", "r.hash"),
        Field::text("certname", "n.certname"),
        Field::new("tags", Type::Texts, "r.tags"),
        Field::new("tag", Type::Texts, "r.tags").hidden(),
        Field::flag("exported", "r.exported"),
        Field::new("line", Type::Int, "r.line"),
        Field::text("title", "r.title"),
        Field::text("type", "r.type"),
        Field::text("environment", "env.name"),
        Field::text("file", "r.file"),
        Field::new("parameters", Type::Parameters, "r.parameters"),
    ],
    from: Expression::Same(
        "catalog_resources cr JOIN nodes n ON n.id = cr.node_id JOIN resources r ON r.id = cr.resource_id \
         LEFT JOIN catalogs c ON c.node_id = n.id LEFT JOIN environments env ON env.id = c.environment_id",
    ),
    relations: &[
        ("catalogs", CERTNAME, CERTNAME),
        ("nodes", CERTNAME, CERTNAME),
        ("environments", ENVIRONMENT, NAME),
    ],
    has_nodes: true,
    key: None,
};

/// Edges of catalogs.
pub(super) static EDGES: Table = Table {
    alias: "edges",
    fields: &[
        Field::text("certname", "n.certname"),
        Field::text("relationship", "e.relationship"),
        Field::text("source_title", "e.source_title"),
        Field::text("source_type", "e.source_type"),
        Field::text("target_title", "e.target_title"),
        Field::text("target_type", "e.target_type"),
    ],
    from: Expression::Same(
        "catalog_edges ce JOIN nodes n ON n.id = ce.node_id JOIN edges e ON e.id = ce.edge_id",
    ),
    relations: &BY_NODE,
    has_nodes: true,
    key: None,
};

/// Data that catalogs depend on, one row per node.
pub(super) static CATALOG_INPUTS: Table = Table {
    alias: "catalog_inputs",
    fields: &[
        Field::text("certname", "n.certname"),
        Field::time("producer_timestamp", "n.inputs_timestamp"),
        Field::text("catalog_uuid", "n.inputs_uuid"),
        Field::document(
            "inputs",
            "(SELECT json_group_array(json_array(i.type, i.name)) FROM catalog_inputs i WHERE i.node_id = n.id)",
            "(SELECT jsonb_agg(jsonb_build_array(i.type, i.name)) FROM catalog_inputs i WHERE i.node_id = n.id)",
        ),
    ],
    from: Expression::Same("(SELECT * FROM nodes WHERE inputs_timestamp IS NOT NULL) n"),
    relations: &BY_NODE,
    has_nodes: true,
    key: None,
};

/// Data that catalogs depend on, one row per key.
pub(super) static CATALOG_INPUT_CONTENTS: Table = Table {
    alias: "catalog_input_contents",
    fields: &[
        Field::text("certname", "n.certname"),
        Field::time("producer_timestamp", "n.inputs_timestamp"),
        Field::text("catalog_uuid", "n.inputs_uuid"),
        Field::text("name", "i.name"),
        Field::text("type", "i.type"),
    ],
    from: Expression::Same("catalog_inputs i JOIN nodes n ON n.id = i.node_id"),
    relations: &BY_NODE,
    has_nodes: true,
    key: None,
};
