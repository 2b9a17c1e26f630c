//! Catalogs of both sides of an upgrade, and their differences.

use std::collections::BTreeMap;
use std::fmt::Write;

use kukla_catalog::{Catalog, Resource};
use kukla_compiler::Limits;
use kukla_pcore::Value;
use kukla_site::{Main, Member, Node, NodeSelection};
use serde_json::json;

use super::upgrade::Sides;
use crate::site::NodeArgs;

/// The maximum length of a value in a report.
const MAX_SHOWN: usize = 120;

/// The difference between the catalogs of a node.
pub(super) struct CatalogChange {
    node: String,
    /// The error before, if there is one.
    error_before: Option<String>,
    /// The error afterwards, if there is one.
    error_after: Option<String>,
    added: Vec<String>,
    removed: Vec<String>,
    /// Resources with their changed parameters and tags, before and afterwards.
    changed: Vec<(String, Vec<[String; 3]>)>,
}

/// Compiles the selected nodes on both sides, and returns the differences.
pub(super) fn changes(sides: &Sides, nodes: &NodeArgs) -> anyhow::Result<Vec<CatalogChange>> {
    let selection = NodeSelection { runs_programs: true, ..nodes.selection() };
    let nodes = sides.from.nodes(&selection)?;
    nodes.into_iter().map(|node| change(sides, node)).collect()
}

fn change(sides: &Sides, node: Node) -> anyhow::Result<CatalogChange> {
    let name = node.name.clone();
    let [before, after] = [&sides.from, &sides.to].map(|site| site.member(node.clone()));
    let (before, mut after) = (before?, after?);
    after.node = before.environment.upgraded_node(&after.environment, &node);
    let (before, after) = (compiled(&before), compiled(&after));
    let mut change = CatalogChange {
        node: name,
        error_before: before.as_ref().err().cloned(),
        error_after: after.as_ref().err().cloned(),
        added: Vec::new(),
        removed: Vec::new(),
        changed: Vec::new(),
    };
    if let (Ok(before), Ok(after)) = (before, after) {
        change.compare(&before, &after);
    }
    Ok(change)
}

/// Returns the catalog of a node, or the message of its error.
fn compiled(member: &Member) -> Result<Catalog, String> {
    let environment = &member.environment;
    let (snapshot, strictness) = (&environment.snapshot, environment.strictness);
    let compiled =
        snapshot.compile(&Main::Environment, strictness, Limits::default(), &member.request());
    compiled.catalog.map_err(|failure| failure.to_string())
}

/// The parts of a resource that agents and people see, as texts.
fn parts(catalog: &Catalog, resource: &Resource) -> BTreeMap<String, String> {
    let mut parts = BTreeMap::new();
    for (name, value) in &resource.parameters {
        let text = match resource.sensitive.contains(name) {
            true => kukla_lookup::REDACTED.to_owned(),
            false => shown(value),
        };
        parts.insert(name.as_str().to_owned(), text);
    }
    let tag = |tag: &u32| catalog.tag_names.get(*tag as usize).map(ToString::to_string);
    let mut tags: Vec<String> = resource.tags.iter().filter_map(tag).collect();
    tags.sort();
    parts.insert("tags".to_owned(), tags.join(", "));
    parts
}

fn shown(value: &Value) -> String {
    let mut text = String::new();
    kukla_catalog::json::value(value, &mut text);
    text
}

fn resources(catalog: &Catalog) -> BTreeMap<String, BTreeMap<String, String>> {
    let reference =
        |resource: &Resource| format!("{}[{}]", resource.type_.as_str(), resource.title);
    let all = catalog.resources.iter();
    all.map(|resource| (reference(resource), parts(catalog, resource))).collect()
}

impl CatalogChange {
    fn compare(&mut self, before: &Catalog, after: &Catalog) {
        let (before, after) = (resources(before), resources(after));
        self.removed = before.keys().filter(|name| !after.contains_key(*name)).cloned().collect();
        self.added = after.keys().filter(|name| !before.contains_key(*name)).cloned().collect();
        for (name, old) in &before {
            let Some(new) = after.get(name).filter(|new| *new != old) else { continue };
            let mut keys: Vec<&String> = old.keys().chain(new.keys()).collect();
            keys.sort();
            keys.dedup();
            let text = |parts: &BTreeMap<String, String>, key: &String| {
                parts.get(key).map_or_else(|| "(none)".to_owned(), |text| shortened(text))
            };
            let rows = keys.into_iter().filter(|key| old.get(*key) != new.get(*key));
            let rows = rows.map(|key| [key.clone(), text(old, key), text(new, key)]);
            self.changed.push((name.clone(), rows.collect()));
        }
    }

    /// Whether the upgrade changes nothing for the node.
    pub(super) fn is_same(&self) -> bool {
        self.error_before == self.error_after
            && self.added.is_empty()
            && self.removed.is_empty()
            && self.changed.is_empty()
    }

    /// Whether the node has a catalog now, but not afterwards.
    pub(super) fn is_broken(&self) -> bool {
        self.error_before.is_none() && self.error_after.is_some()
    }

    pub(super) fn text(&self) -> String {
        let verdict = match (&self.error_before, &self.error_after) {
            _ if self.is_same() => "the same".to_owned(),
            (None, Some(error)) => format!("fails: {error}"),
            (Some(_), None) => "no longer fails".to_owned(),
            (Some(_), Some(error)) => format!("fails with another error: {error}"),
            (None, None) => "another catalog".to_owned(),
        };
        let mut out = format!("node `{}`: {verdict}\n", self.node);
        let marked = |mark: char, names: &[String]| -> String {
            names.iter().map(|name| format!("  {mark} {name}\n")).collect()
        };
        out += &marked('-', &self.removed);
        out += &marked('+', &self.added);
        for (name, rows) in &self.changed {
            let _ = writeln!(out, "  ~ {name}");
            for [key, old, new] in rows {
                let _ = writeln!(out, "      {key}: {old} becomes {new}");
            }
        }
        out
    }

    pub(super) fn json(&self) -> serde_json::Value {
        let rows = |rows: &Vec<[String; 3]>| -> Vec<serde_json::Value> {
            let row =
                |[name, old, new]: &[String; 3]| json!({ "name": name, "from": old, "to": new });
            rows.iter().map(row).collect()
        };
        let changed = self.changed.iter();
        let changed =
            changed.map(|(name, parts)| json!({ "resource": name, "parts": rows(parts) }));
        json!({
            "node": self.node,
            "error_before": self.error_before,
            "error_after": self.error_after,
            "added": self.added,
            "removed": self.removed,
            "changed": changed.collect::<Vec<_>>(),
        })
    }
}

/// Returns the beginning of a long text.
fn shortened(text: &str) -> String {
    match text.char_indices().nth(MAX_SHOWN) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_owned(),
    }
}
