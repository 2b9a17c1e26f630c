//! Entities of facts.

use super::{
    BY_NODE, CERTNAME, ENVIRONMENT, Expression, Field, NAME, PRODUCER, Relation, Table, Type,
};

/// Facts, one row per node and name.
pub(super) static FACTS: Table = Table {
    alias: "facts",
    fields: &[
        Field::text("certname", "n.certname"),
        Field::text("environment", "env.name"),
        Field::text("name", "fn.name"),
        Field::new("value", Type::Value, "fv.value"),
    ],
    from: Expression::Same(
        "facts f JOIN nodes n ON n.id = f.node_id JOIN fact_values fv ON fv.id = f.value_id \
         JOIN fact_names fn ON fn.id = fv.name_id LEFT JOIN factsets fs ON fs.node_id = n.id \
         LEFT JOIN environments env ON env.id = fs.environment_id",
    ),
    relations: &merged([
        ("environments", ENVIRONMENT, NAME),
        ("fact_contents", &["certname", "name"], &["certname", "name"]),
    ]),
    has_nodes: true,
    key: None,
};

/// Names of facts.
pub(super) static FACT_NAMES: Table = Table {
    alias: "fact_names",
    fields: &[Field::text("name", "fn.name")],
    from: Expression::Same(
        "(SELECT * FROM fact_names used WHERE EXISTS (SELECT 1 FROM fact_values v JOIN facts f ON f.value_id = v.id \
         WHERE v.name_id = used.id AND EXISTS (SELECT 1 FROM fact_leaves l WHERE l.value_id = v.id))) fn",
    ),
    relations: &[],
    has_nodes: false,
    key: None,
};

/// Places within facts of any node.
pub(super) static FACT_PATHS: Table = Table {
    alias: "fact_paths",
    fields: &[
        Field::text("type", "fp.type"),
        Field::new("path", Type::EncodedPath, "fp.path"),
        Field::text("name", "fn.name"),
        Field::new("depth", Type::Int, "(fp.depth - 1)").hidden(),
    ],
    from: Expression::Same(
        "(SELECT * FROM fact_paths p WHERE EXISTS (SELECT 1 FROM fact_leaves l JOIN facts f \
         ON f.value_id = l.value_id WHERE l.path_id = p.id)) fp JOIN fact_names fn ON fn.id = fp.name_id",
    ),
    relations: &[("facts", NAME, NAME), ("fact_contents", &["path"], &["path"])],
    has_nodes: false,
    key: None,
};

/// Values at places within facts.
pub(super) static FACT_CONTENTS: Table = Table {
    alias: "fact_nodes",
    fields: &[
        Field::text("certname", "n.certname"),
        Field::text("environment", "env.name"),
        Field::new("path", Type::Path, "fp.path"),
        Field::text("name", "fn.name"),
        Field::new("value", Type::Value, "fl.value"),
    ],
    from: Expression::Same(
        "facts f JOIN nodes n ON n.id = f.node_id JOIN fact_leaves fl ON fl.value_id = f.value_id \
         JOIN fact_paths fp ON fp.id = fl.path_id JOIN fact_names fn ON fn.id = fp.name_id \
         LEFT JOIN factsets fs ON fs.node_id = n.id LEFT JOIN environments env ON env.id = fs.environment_id",
    ),
    relations: &merged([
        ("facts", &["certname", "name"], &["certname", "name"]),
        ("environments", ENVIRONMENT, NAME),
    ]),
    has_nodes: true,
    key: None,
};

/// The fields of the facts of nodes.
const FACTSET_FIELDS: [Field; 7] = [
        Field::time("timestamp", "fs.timestamp"),
        Field::document(
            "facts",
            "(SELECT json_object('href', '/pdb/query/v4/factsets/' || n.certname || '/facts', 'data', \
             json_group_array(json_object('name', fn.name, 'value', json(fv.value)))) FROM facts f \
             JOIN fact_values fv ON fv.id = f.value_id JOIN fact_names fn ON fn.id = fv.name_id \
             WHERE f.node_id = n.id)",
            "(SELECT jsonb_build_object('href', '/pdb/query/v4/factsets/' || n.certname || '/facts', 'data', \
             jsonb_agg(jsonb_build_object('name', fn.name, 'value', fv.value))) FROM facts f \
             JOIN fact_values fv ON fv.id = f.value_id JOIN fact_names fn ON fn.id = fv.name_id \
             WHERE f.node_id = n.id)",
        )
        .queryable(),
        Field::text("certname", "n.certname"),
        Field::text("hash", "fs.hash"),
        Field::time("producer_timestamp", "fs.producer_timestamp"),
        Field::text("producer", "producers.name"),
        Field::text("environment", "env.name"),
];

/// The fields of the facts of nodes, with their packages.
const PACKAGED_FIELDS: [Field; 8] = {
    let packages = Field::document(
        "package_inventory",
        "(SELECT json_group_array(json_array(p.package_name, p.version, p.provider)) FROM node_packages np \
         JOIN packages p ON p.id = np.package_id WHERE np.node_id = n.id)",
        "(SELECT jsonb_agg(jsonb_build_array(p.package_name, p.version, p.provider)) FROM node_packages np \
         JOIN packages p ON p.id = np.package_id WHERE np.node_id = n.id)",
    );
    let mut all = [packages; 8];
    let mut at = 0;
    while at < FACTSET_FIELDS.len() {
        all[at] = FACTSET_FIELDS[at];
        at += 1;
    }
    all
};

const FROM_FACTSETS: Expression = Expression::Same(
    "factsets fs JOIN nodes n ON n.id = fs.node_id \
     LEFT JOIN environments env ON env.id = fs.environment_id \
     LEFT JOIN producers ON producers.id = fs.producer_id",
);
const OF_FACTSETS: [Relation; 15] =
    merged([("environments", ENVIRONMENT, NAME), ("producers", PRODUCER, NAME)]);

/// The facts of nodes.
pub(super) static FACTSETS: Table = Table {
    alias: "factsets",
    fields: &FACTSET_FIELDS,
    from: FROM_FACTSETS,
    relations: &OF_FACTSETS,
    has_nodes: true,
    key: Some("fs.node_id"),
};

/// The facts of nodes, with their packages.
pub(super) static PACKAGED_FACTSETS: Table = Table {
    alias: "factsets",
    fields: &PACKAGED_FIELDS,
    from: FROM_FACTSETS,
    relations: &OF_FACTSETS,
    has_nodes: true,
    key: Some("fs.node_id"),
};

/// The facts of nodes as objects.
pub(super) static INVENTORY: Table = Table {
    alias: "inventory",
    fields: &[
        Field::text("certname", "n.certname"),
        Field::time("timestamp", "fs.timestamp"),
        Field::text("environment", "env.name"),
        Field::document(
            "facts",
            "(SELECT json_group_object(fn.name, json(fv.value)) FROM facts f \
             JOIN fact_values fv ON fv.id = f.value_id JOIN fact_names fn ON fn.id = fv.name_id \
             WHERE f.node_id = n.id)",
            "(SELECT jsonb_object_agg(fn.name, fv.value) FROM facts f \
             JOIN fact_values fv ON fv.id = f.value_id JOIN fact_names fn ON fn.id = fv.name_id \
             WHERE f.node_id = n.id)",
        )
        .typed(Type::Facts),
        Field::document(
            "trusted",
            "(SELECT fv.value FROM facts f JOIN fact_values fv ON fv.id = f.value_id \
             JOIN fact_names fn ON fn.id = fv.name_id WHERE f.node_id = n.id AND fn.name = 'trusted')",
            "(SELECT fv.value FROM facts f JOIN fact_values fv ON fv.id = f.value_id \
             JOIN fact_names fn ON fn.id = fv.name_id WHERE f.node_id = n.id AND fn.name = 'trusted')",
        )
        .typed(Type::Facts),
    ],
    from: Expression::Same(
        "factsets fs JOIN nodes n ON n.id = fs.node_id \
         LEFT JOIN environments env ON env.id = fs.environment_id",
    ),
    relations: &BY_NODE,
    has_nodes: true,
    key: Some("fs.node_id"),
};

/// Returns the relations by node with two of an entity's own, which take precedence.
const fn merged(own: [Relation; 2]) -> [Relation; 15] {
    let mut all = [("", CERTNAME, CERTNAME); 15];
    all[0] = own[0];
    all[1] = own[1];
    let mut at = 0;
    while at < BY_NODE.len() {
        all[at + 2] = BY_NODE[at];
        at += 1;
    }
    all
}
