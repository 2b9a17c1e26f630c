//! The commands `replace catalog` and `same catalog`.
//!
//! As PuppetDB's terminus does, parameters get sorted lists of references, relationships become edges, and exported
//! resources that the node does not collect itself are sent too.

use std::collections::{BTreeSet, HashSet};

use kukla_catalog::cycles::{Relationship, relationships};
use kukla_catalog::{Catalog, Resource, Version};
use kukla_pcore::Value;
use kukla_store::time;

use super::{Run, plain};

/// Parameters whose lists are sorted.
const SORTED: [&str; 7] = ["alias", "audit", "before", "notify", "require", "subscribe", "tag"];

/// The parameter with other names of a resource.
const ALIAS: &str = "alias";

/// Data that a catalog does not have itself.
pub(super) struct Head<'a> {
    pub(super) producer: &'a str,
    /// The time.
    pub(super) time: i64,
    pub(super) catalog_uuid: &'a str,
    pub(super) run: &'a Run<'a>,
}

/// Returns the part of a catalog's text that says what the catalog is, behind what describes this one.
pub(super) fn content(text: &str) -> &str {
    // Quotes within texts are escaped, so the first of these is the member itself.
    text.find(",\"environment\":").map_or(text, |at| &text[at..])
}

/// Returns the lines of data that values came from, as JSON: file, line and key.
pub(super) fn data(catalog: &Catalog) -> String {
    let lines = catalog.origins.table.data().flat_map(|data| {
        data.places.iter().map(|place| (place.file.as_str(), place.line, data.key.as_str()))
    });
    let lines: BTreeSet<(&str, u32, &str)> = lines.collect();
    let mut out = String::from("[");
    for (n, (file, line, key)) in lines.into_iter().enumerate() {
        out.push_str(if n > 0 { ",[" } else { "[" });
        plain::text(file, &mut out);
        out.extend([",", &line.to_string(), ","]);
        plain::text(key, &mut out);
        out.push(']');
    }
    out.push(']');
    out
}

/// Returns the parameter `alias` of a resource as the store gets it.
pub(super) type Aliases<'a> = &'a dyn Fn(&Resource) -> Option<Value>;

/// The parts of a catalog that the store wants.
#[derive(Clone, Copy)]
pub(super) struct Parts<'a> {
    /// The names of resources beside their titles.
    pub(super) aliases: Aliases<'a>,
    /// The lines of data, which PuppetDB does not know.
    pub(super) data: Option<&'a str>,
    /// Whether edges are sent.
    pub(super) has_edges: bool,
}

/// Returns the payload of `replace catalog`.
pub(super) fn whole(catalog: &Catalog, head: &Head<'_>, parts: Parts<'_>) -> String {
    let mut out = String::with_capacity(512 * catalog.resources.len());
    head.write(catalog, &mut out);
    out.push_str(",\"resources\":[");
    resources(catalog, parts.aliases, &mut out);
    out.push_str("],\"edges\":[");
    if parts.has_edges {
        edges(catalog, &mut out);
    }
    out.push(']');
    if let Some(data) = parts.data {
        out.extend([",\"data\":", data]);
    }
    out.push('}');
    out
}

/// Returns the payload of `same catalog`.
pub(super) fn same(catalog: &Catalog, head: &Head<'_>, since: &str) -> String {
    let mut out = String::new();
    head.write(catalog, &mut out);
    out.push_str(",\"since\":");
    plain::text(since, &mut out);
    out.push('}');
    out
}

impl Head<'_> {
    /// Appends the beginning of an object that describes a catalog.
    fn write(&self, catalog: &Catalog, out: &mut String) {
        out.push_str("{\"certname\":");
        plain::text(&catalog.name, out);
        out.push_str(",\"version\":");
        match &catalog.version {
            Version::Seconds(seconds) => plain::text(&seconds.to_string(), out),
            Version::Text(text) => plain::text(text, out),
        }
        let time = time::written(self.time);
        for (name, value) in [
            ("environment", Some(catalog.environment.as_str())),
            ("producer", Some(self.producer)),
            ("producer_timestamp", Some(time.as_str())),
            ("catalog_uuid", Some(self.catalog_uuid)),
            ("transaction_uuid", self.run.transaction_uuid),
            ("job_id", self.run.job_id),
            ("code_id", self.run.code_id),
        ] {
            out.extend([",\"", name, "\":"]);
            plain::optional(value, out);
        }
    }
}

fn resources(catalog: &Catalog, aliases: Aliases<'_>, out: &mut String) {
    let mut is_first = true;
    let known: HashSet<(&str, &str)> = match catalog.exported.is_empty() {
        true => HashSet::new(),
        false => catalog.resources.iter().map(name).collect(),
    };
    let exported = catalog.exported.iter().filter(|resource| !known.contains(&name(resource)));
    for (resource, is_exported) in
        catalog.resources.iter().map(|it| (it, it.is_exported)).chain(exported.map(|it| (it, true)))
    {
        if !is_first {
            out.push(',');
        }
        is_first = false;
        self::resource(catalog, resource, is_exported, aliases(resource).as_ref(), out);
    }
}

fn name(resource: &Resource) -> (&str, &str) {
    (resource.type_.as_str(), resource.title.as_str())
}

fn resource(
    catalog: &Catalog,
    resource: &Resource,
    is_exported: bool,
    alias: Option<&Value>,
    out: &mut String,
) {
    out.push_str("{\"type\":");
    plain::text(resource.type_.as_str(), out);
    out.push_str(",\"title\":");
    plain::text(&resource.title, out);
    out.push_str(",\"tags\":[");
    let tags = resource.tags.iter().filter_map(|&tag| catalog.tag_names.get(tag as usize));
    for (n, tag) in tags.enumerate() {
        if n > 0 {
            out.push(',');
        }
        plain::text(tag, out);
    }
    out.push(']');
    if let Some(file) = &resource.file {
        out.push_str(",\"file\":");
        plain::text(file, out);
    }
    if let Some(line) = resource.line {
        out.push_str(",\"line\":");
        out.push_str(&line.to_string());
    }
    out.push_str(if is_exported { ",\"exported\":true" } else { ",\"exported\":false" });
    out.push_str(",\"parameters\":{");
    let sorted: Vec<Option<Value>> =
        resource.parameters.iter().map(|(name, value)| sorted(name.as_str(), value)).collect();
    let open = resource.parameters.iter().zip(&sorted);
    let open = open.filter(|((name, _), _)| !resource.sensitive.contains(name));
    let open =
        open.map(|((name, value), sorted)| (name.as_str(), sorted.as_ref().unwrap_or(value)));
    let open = open.filter(|(name, _)| *name != ALIAS || alias.is_none());
    plain::members(open.chain(alias.map(|alias| (ALIAS, alias))), out);
    out.push_str("}}");
}

/// Returns a list in order, if the parameter is one whose order means nothing.
fn sorted(name: &str, value: &Value) -> Option<Value> {
    let Value::Array(values) = value else { return None };
    if !SORTED.contains(&name) || !values.iter().all(|value| value.as_str().is_some()) {
        return None;
    }
    let mut sorted: Vec<Value> = values.to_vec();
    sorted.sort_by(|a, b| a.as_str().cmp(&b.as_str()));
    Some(Value::array(sorted))
}

fn edges(catalog: &Catalog, out: &mut String) {
    let mut is_first = true;
    let mut add = |source: u32, target: u32, relationship: &str| {
        let ends = [source, target].map(|end| catalog.resources.get(end as usize));
        let [Some(source), Some(target)] = ends else { return };
        if !is_first {
            out.push(',');
        }
        is_first = false;
        for (name, end) in [("{\"source\":{\"type\":", source), ("},\"target\":{\"type\":", target)]
        {
            out.push_str(name);
            plain::text(end.type_.as_str(), out);
            out.push_str(",\"title\":");
            plain::text(&end.title, out);
        }
        out.push_str("},\"relationship\":\"");
        out.push_str(relationship);
        out.push_str("\"}");
    };
    for &(source, target) in &catalog.edges {
        add(source, target, "contains");
    }
    for Relationship { own, other, parameter } in relationships(catalog) {
        match parameter {
            "before" => add(own, other, "before"),
            "notify" => add(own, other, "notifies"),
            "subscribe" => add(other, own, "subscription-of"),
            _ => add(other, own, "required-by"),
        }
    }
}
