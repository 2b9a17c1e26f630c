//! The catalog of a node.

use super::changes::Before;
use super::content::{Content, digest, relink, sha1};
use super::{Outcome, Receipt, data, node};
use crate::command::{Catalog, CatalogHead, Edge, Inputs, Resource, SameCatalog};
use crate::sql::{Cell, Digest, Insert, Sql, SqlError, number};
use crate::{exported, json};

const RESOURCES: Content = Content {
    insert: Insert {
        table: "resources",
        columns: &[
            "digest",
            "hash",
            "type",
            "title",
            "exported",
            "file",
            "line",
            "tags",
            "parameters",
        ],
        keeps_existing: true,
    },
    link: Insert {
        table: "catalog_resources",
        columns: &["node_id", "resource_id"],
        keeps_existing: true,
    },
    select: "SELECT resources.digest, resources.id FROM catalog_resources \
             JOIN resources ON resources.id = catalog_resources.resource_id \
             WHERE catalog_resources.node_id = ?1",
};

const EDGES: Content = Content {
    insert: Insert {
        table: "edges",
        columns: &[
            "digest",
            "source_type",
            "source_title",
            "target_type",
            "target_title",
            "relationship",
        ],
        keeps_existing: true,
    },
    link: Insert { table: "catalog_edges", columns: &["node_id", "edge_id"], keeps_existing: true },
    select: "SELECT edges.digest, edges.id FROM catalog_edges \
             JOIN edges ON edges.id = catalog_edges.edge_id WHERE catalog_edges.node_id = ?1",
};

const INPUTS: Insert = Insert {
    table: "catalog_inputs",
    columns: &["node_id", "position", "type", "name"],
    keeps_existing: false,
};

/// A resource as it is stored.
struct Row<'a> {
    resource: &'a Resource,
    tags: String,
    parameters: String,
    digest: Digest,
}

impl<'a> Row<'a> {
    fn new(resource: &'a Resource) -> Self {
        let tags = resource.tags.iter().map(|tag| tag.as_str().into()).collect();
        let tags = json::text(&serde_json::Value::Array(tags));
        let mut parameters = String::new();
        json::object(&resource.parameters, &mut parameters);
        let line = resource.line.map_or_else(String::new, |line| line.to_string());
        let file = resource.file.as_deref();
        let digest = digest(&[
            &resource.type_,
            &resource.title,
            if resource.is_exported { "exported" } else { "" },
            if file.is_some() { "file" } else { "" },
            file.unwrap_or_default(),
            &line,
            &tags,
            &parameters,
        ]);
        Self { resource, tags, parameters, digest }
    }

    /// Returns PuppetDB's hash of type, title and parameters.
    fn hash(&self) -> String {
        let mut text = String::from("[");
        json::string(&self.resource.type_, &mut text);
        text.push(',');
        json::string(&self.resource.title, &mut text);
        text.push(',');
        text.push_str(&self.parameters);
        text.push(']');
        sha1(&text)
    }
}

/// Replaces the catalog of a node.
pub(super) fn replace(
    sql: &mut dyn Sql,
    node: i64,
    time: i64,
    receipt: Receipt,
    catalog: &Catalog,
    n_changes: u32,
) -> Result<Outcome, SqlError> {
    let query = "SELECT producer_timestamp FROM catalogs WHERE node_id = ?1";
    if number(sql, query, &[Cell::Int(node)])?.is_some_and(|known| known > time) {
        return Ok(Outcome::Stale);
    }
    let rows: Vec<Row<'_>> = catalog.resources.iter().map(Row::new).collect();
    let resources: Vec<Digest> = rows.iter().map(|row| row.digest).collect();
    let edges: Vec<Digest> = catalog.edges.iter().map(edge_digest).collect();
    let hash = hash(&resources, &edges);
    let known = "SELECT 1 FROM catalogs WHERE node_id = ?1 AND hash = ?2";
    // Most catalogs are those that the node had before.
    if number(sql, known, &[Cell::Int(node), Cell::Text(&hash)])?.is_none() {
        let before = Before::of(sql, node, n_changes)?;
        relink_resources(sql, node, &rows, &resources)?;
        relink_edges(sql, node, &catalog.edges, &edges)?;
        if let Some(before) = before {
            before.store(sql, node, time, &hash, catalog, n_changes)?;
        }
    }
    data::replace(sql, node, &catalog.data)?;
    if !receipt.keeps_exports {
        exported::replace_by_catalog(sql, node, catalog)?;
    }
    describe(sql, node, time, receipt.received, &hash, &catalog.head)?;
    Ok(Outcome::Stored)
}

/// Keeps the catalog that a node had last, and replaces its description.
pub(super) fn keep(
    sql: &mut dyn Sql,
    node: i64,
    time: i64,
    received: i64,
    same: &SameCatalog,
) -> Result<Outcome, SqlError> {
    let SameCatalog { since, head } = same;
    let described = description(sql, head, received, time)?;
    let n_kept = sql.execute(
        "UPDATE catalogs SET version = ?3, transaction_uuid = ?4, catalog_uuid = ?5, \
         code_id = ?6, job_id = ?7, timestamp = ?8, producer_timestamp = ?9, \
         environment_id = ?10, producer_id = ?11 WHERE node_id = ?1 AND producer_timestamp = ?2 \
         AND coalesce(producer_id, 0) = coalesce(?11, 0)",
        &[&[Cell::Int(node), Cell::Int(*since)], &described[..]].concat(),
    )?;
    match n_kept {
        0 => {
            let query = "SELECT producer_timestamp FROM catalogs WHERE node_id = ?1";
            Ok(Outcome::of_other(number(sql, query, &[Cell::Int(node)])?, time))
        }
        _ => Ok(Outcome::Stored),
    }
}

fn relink_resources(
    sql: &mut dyn Sql,
    node: i64,
    rows: &[Row<'_>],
    digests: &[Digest],
) -> Result<(), SqlError> {
    // Hashes are made for what is new only, and have to live as long as the cells.
    let hashes: Vec<std::cell::OnceCell<String>> = vec![std::cell::OnceCell::new(); rows.len()];
    let cells = |n: usize| {
        let Row { resource, tags, parameters, .. } = &rows[n];
        vec![
            Cell::Text(hashes[n].get_or_init(|| rows[n].hash())),
            Cell::Text(&resource.type_),
            Cell::Text(&resource.title),
            Cell::Bool(resource.is_exported),
            resource.file.as_deref().into(),
            resource.line.into(),
            Cell::Json(tags),
            Cell::Json(parameters),
        ]
    };
    relink(sql, &RESOURCES, node, digests, cells)
}

fn relink_edges(
    sql: &mut dyn Sql,
    node: i64,
    edges: &[Edge],
    digests: &[Digest],
) -> Result<(), SqlError> {
    let cells = |n: usize| {
        let Edge { source, target, relationship } = &edges[n];
        let texts = [&source.0, &source.1, &target.0, &target.1, relationship];
        texts.map(|text| Cell::Text(text)).to_vec()
    };
    relink(sql, &EDGES, node, digests, cells)
}

fn edge_digest(edge: &Edge) -> Digest {
    let Edge { source, target, relationship } = edge;
    digest(&[&source.0, &source.1, &target.0, &target.1, relationship])
}

/// Returns the hash of what a catalog has, in whatever order.
fn hash(resources: &[Digest], edges: &[Digest]) -> String {
    let mut text = String::with_capacity(33 * (resources.len() + edges.len()));
    for digests in [resources, edges] {
        let mut sorted = digests.to_vec();
        sorted.sort_unstable();
        sorted.dedup();
        for digest in sorted {
            text.push_str(&format_digest(digest));
        }
        text.push('\n');
    }
    sha1(&text)
}

fn format_digest(digest: Digest) -> String {
    format!("{:032x}", u128::from_be_bytes(digest))
}

/// Returns the cells that describe a catalog: from its version to its producer.
fn description<'a>(
    sql: &mut dyn Sql,
    head: &'a CatalogHead,
    received: i64,
    time: i64,
) -> Result<[Cell<'a>; 9], SqlError> {
    let environment = node::optional_id(sql, "environments", head.environment.as_deref())?;
    let producer = node::optional_id(sql, "producers", head.producer.as_deref())?;
    Ok([
        Cell::Text(&head.version),
        head.transaction_uuid.as_deref().into(),
        head.catalog_uuid.as_deref().into(),
        head.code_id.as_deref().into(),
        head.job_id.as_deref().into(),
        Cell::Int(received),
        Cell::Int(time),
        environment.into(),
        producer.into(),
    ])
}

/// Stores the description of a catalog.
fn describe(
    sql: &mut dyn Sql,
    node: i64,
    time: i64,
    received: i64,
    hash: &str,
    head: &CatalogHead,
) -> Result<(), SqlError> {
    let described = description(sql, head, received, time)?;
    sql.execute(
        "INSERT INTO catalogs (node_id, hash, version, transaction_uuid, catalog_uuid, code_id, \
         job_id, timestamp, producer_timestamp, environment_id, producer_id) \
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11) ON CONFLICT (node_id) DO UPDATE SET \
         hash = excluded.hash, version = excluded.version, \
         transaction_uuid = excluded.transaction_uuid, catalog_uuid = excluded.catalog_uuid, \
         code_id = excluded.code_id, job_id = excluded.job_id, timestamp = excluded.timestamp, \
         producer_timestamp = excluded.producer_timestamp, \
         environment_id = excluded.environment_id, producer_id = excluded.producer_id",
        &[&[Cell::Int(node), Cell::Text(hash)], &described[..]].concat(),
    )?;
    Ok(())
}

/// Replaces what a node's catalog depends on.
pub(super) fn replace_inputs(
    sql: &mut dyn Sql,
    node: i64,
    time: i64,
    inputs: &Inputs,
) -> Result<Outcome, SqlError> {
    let query = "SELECT inputs_timestamp FROM nodes WHERE id = ?1";
    if number(sql, query, &[Cell::Int(node)])?.is_some_and(|known| known > time) {
        return Ok(Outcome::Stale);
    }
    sql.execute("DELETE FROM catalog_inputs WHERE node_id = ?1", &[Cell::Int(node)])?;
    let rows: Vec<Cell<'_>> = (0..)
        .zip(&inputs.inputs)
        .flat_map(|(position, (kind, name))| {
            [Cell::Int(node), Cell::Int(position), Cell::Text(kind), Cell::Text(name)]
        })
        .collect();
    sql.insert(&INPUTS, &rows)?;
    sql.execute(
        "UPDATE nodes SET inputs_timestamp = ?2, inputs_uuid = ?3 WHERE id = ?1",
        &[Cell::Int(node), Cell::Int(time), inputs.catalog_uuid.as_deref().into()],
    )?;
    Ok(Outcome::Stored)
}
