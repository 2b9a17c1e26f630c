//! Facts and packages of a node.

use std::collections::HashMap;

use serde_json::Value;

use super::content::{self, Content, digest, relink, sha1};
use super::history::Former;
use super::{Outcome, leaves, node};
use crate::command::{Facts, Package, SameFacts};
use crate::history::FactHistory;
use crate::json;
use crate::sql::{Cell, Digest, Insert, Sql, SqlError, number};

const FACTS: Content = Content {
    insert: Insert {
        table: "fact_values",
        columns: &["digest", "name_id", "value"],
        keeps_existing: true,
    },
    link: Insert { table: "facts", columns: &["node_id", "value_id"], keeps_existing: true },
    select: "SELECT fact_values.digest, fact_values.id FROM facts \
             JOIN fact_values ON fact_values.id = facts.value_id WHERE facts.node_id = ?1",
};

const PACKAGES: Content = Content {
    insert: Insert {
        table: "packages",
        columns: &["digest", "package_name", "version", "provider"],
        keeps_existing: true,
    },
    link: Insert {
        table: "node_packages",
        columns: &["node_id", "package_id"],
        keeps_existing: true,
    },
    select: "SELECT packages.digest, packages.id FROM node_packages \
             JOIN packages ON packages.id = node_packages.package_id WHERE node_packages.node_id = ?1",
};

const PATHS: Insert = Insert {
    table: "fact_paths",
    columns: &["digest", "path", "type", "name_id", "depth"],
    keeps_existing: true,
};

const LEAVES: Insert = Insert {
    table: "fact_leaves",
    columns: &["value_id", "path_id", "value"],
    keeps_existing: true,
};

/// A fact as it is stored.
struct Fact<'a> {
    name: String,
    value: &'a Value,
    text: String,
}

/// Replaces the facts of a node.
pub(super) fn replace(
    sql: &mut dyn Sql,
    node: i64,
    (time, received): (i64, i64),
    facts: &Facts,
    history: &FactHistory,
) -> Result<Outcome, SqlError> {
    let query = "SELECT producer_timestamp FROM factsets WHERE node_id = ?1";
    let known = number(sql, query, &[Cell::Int(node)])?;
    if known.is_some_and(|known| known > time) {
        return Ok(Outcome::Stale);
    }
    let all = sorted(facts);
    let digests: Vec<Digest> = all.iter().map(|fact| digest(&[&fact.name, &fact.text])).collect();
    // The first facts of a node are no change.
    let history = Some(history).filter(|history| history.most > 0 && known.is_some());
    relink_facts(sql, (node, time), &all, &digests, history)?;
    let environment = node::optional_id(sql, "environments", facts.environment.as_deref())?;
    let producer = node::optional_id(sql, "producers", facts.producer.as_deref())?;
    let hash = hash(facts, &all);
    sql.execute(
        "INSERT INTO factsets \
         (node_id, hash, timestamp, producer_timestamp, environment_id, producer_id) \
         VALUES (?1, ?2, ?3, ?4, ?5, ?6) ON CONFLICT (node_id) DO UPDATE SET \
         hash = excluded.hash, timestamp = excluded.timestamp, \
         producer_timestamp = excluded.producer_timestamp, \
         environment_id = excluded.environment_id, producer_id = excluded.producer_id",
        &[
            Cell::Int(node),
            Cell::Text(&hash),
            Cell::Int(received),
            Cell::Int(time),
            environment.into(),
            producer.into(),
        ],
    )?;
    replace_packages(sql, node, facts.packages.as_deref().unwrap_or_default())?;
    Ok(Outcome::Stored)
}

/// Keeps the facts that a node said last, and replaces their times; it named no packages this time. Time and server name
/// what it said: another server may have heard something else within the same millisecond.
pub(super) fn keep(
    sql: &mut dyn Sql,
    node: i64,
    time: i64,
    received: i64,
    same: &SameFacts,
) -> Result<Outcome, SqlError> {
    let producer = node::optional_id(sql, "producers", same.producer.as_deref())?;
    let n_kept = sql.execute(
        "UPDATE factsets SET timestamp = ?3, producer_timestamp = ?4, producer_id = ?5 \
         WHERE node_id = ?1 AND producer_timestamp = ?2 \
         AND coalesce(producer_id, 0) = coalesce(?5, 0)",
        &[
            Cell::Int(node),
            Cell::Int(same.since),
            Cell::Int(received),
            Cell::Int(time),
            producer.into(),
        ],
    )?;
    if n_kept == 0 {
        let query = "SELECT producer_timestamp FROM factsets WHERE node_id = ?1";
        return Ok(Outcome::of_other(number(sql, query, &[Cell::Int(node)])?, time));
    }
    replace_packages(sql, node, &[])?;
    Ok(Outcome::Stored)
}

/// Returns facts by their names.
fn sorted(facts: &Facts) -> Vec<Fact<'_>> {
    let mut all: Vec<Fact<'_>> = facts
        .values
        .iter()
        .map(|(name, value)| Fact { name: json::plain(name), value, text: json::text(value) })
        .collect();
    all.sort_by(|a, b| a.name.cmp(&b.name));
    all.dedup_by(|a, b| a.name == b.name);
    all
}

fn relink_facts(
    sql: &mut dyn Sql,
    (node, time): (i64, i64),
    all: &[Fact<'_>],
    digests: &[Digest],
    history: Option<&FactHistory>,
) -> Result<(), SqlError> {
    let difference = content::difference(sql, &FACTS, node, digests)?;
    if let Some(history) = history {
        let came = difference.missing.iter().map(|&n| (all[n].name.as_str(), all[n].value));
        let former = Former::read(sql, &difference.gone)?;
        former.store(sql, (node, time), came, history)?;
    }
    let mut ids = HashMap::new();
    for &n in &difference.missing {
        ids.insert(n, sql.name_id("fact_names", &all[n].name)?);
    }
    let cells = |n: usize| vec![Cell::Int(ids[&n]), Cell::Json(&all[n].text)];
    let new = content::apply(sql, &FACTS, node, digests, &difference, cells)?;
    for (n, value_id) in new {
        add_leaves(sql, &all[n], ids[&n], value_id)?;
    }
    Ok(())
}

/// Stores the single values of a fact that is new.
fn add_leaves(
    sql: &mut dyn Sql,
    fact: &Fact<'_>,
    name_id: i64,
    value_id: i64,
) -> Result<(), SqlError> {
    let leaves = leaves::of(&fact.name, fact.value);
    let digests: Vec<Digest> =
        leaves.iter().map(|leaf| digest(&[&leaf.path, leaf.type_])).collect();
    let mut ids = sql.ids("fact_paths", &digests)?;
    if ids.contains(&None) {
        let absent = leaves.iter().zip(&digests).zip(&ids).filter(|(_, id)| id.is_none());
        let rows: Vec<Cell<'_>> = absent
            .flat_map(|((leaf, digest), _)| {
                [
                    Cell::Bytes(digest),
                    Cell::Text(&leaf.path),
                    Cell::Text(leaf.type_),
                    Cell::Int(name_id),
                    Cell::Int(leaf.depth),
                ]
            })
            .collect();
        sql.insert(&PATHS, &rows)?;
        ids = sql.ids("fact_paths", &digests)?;
    }
    let rows: Vec<Cell<'_>> = leaves
        .iter()
        .zip(ids)
        .filter_map(|(leaf, id)| {
            Some([Cell::Int(value_id), Cell::Int(id?), Cell::Json(&leaf.value)])
        })
        .flatten()
        .collect();
    sql.insert(&LEAVES, &rows)
}

fn replace_packages(sql: &mut dyn Sql, node: i64, packages: &[Package]) -> Result<(), SqlError> {
    let parts = |it: &Package| digest(&[&it.name, &it.version, &it.provider]);
    let digests: Vec<Digest> = packages.iter().map(parts).collect();
    let cells = |n: usize| {
        let Package { name, version, provider } = &packages[n];
        vec![Cell::Text(name), Cell::Text(version), Cell::Text(provider)]
    };
    relink(sql, &PACKAGES, node, &digests, cells)
}

/// Returns the hash of the facts: of their environment, names and values.
fn hash(facts: &Facts, all: &[Fact<'_>]) -> String {
    let mut text = facts.environment.clone().unwrap_or_default();
    for fact in all {
        text.push('\n');
        text.push_str(&fact.name);
        text.push('=');
        text.push_str(&fact.text);
    }
    sha1(&text)
}
