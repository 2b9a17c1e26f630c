//! All origins of a catalog as JSON, one line each.

use std::fmt::Write;

use serde_json::{Map, Value as Json, json};

use super::tracer::Tracer;
use super::{CodePlace, DataOrigin, Leaf, Origin, OriginId, Relation};
use crate::Catalog;

/// The maximum nesting of origins of arrays and replaced values.
const MAX_DEPTH: usize = 16;

/// Returns one line per parameter, edge and tag, and a last line with counts.
pub fn write(catalog: &Catalog) -> String {
    let mut lines = Lines::new(catalog);
    let (n_parameters, n_traced) = lines.parameters();
    let n_edges = lines.edges();
    let n_tags = lines.tags();
    lines.line(&json!({
        "node": catalog.name.as_str(),
        "counts": {
            "parameters": n_parameters, "traced": n_traced, "edges": n_edges, "tags": n_tags,
        },
    }));
    lines.out
}

pub(super) struct Lines<'c> {
    catalog: &'c Catalog,
    out: String,
}

impl<'c> Lines<'c> {
    pub(super) fn new(catalog: &'c Catalog) -> Self {
        Self { catalog, out: String::new() }
    }

    /// Returns the origin of a parameter, and the ends of its chain.
    pub(super) fn parameter(&self, resource: usize, origin: OriginId, leaves: &[Leaf]) -> Json {
        let mut line = Json::Object(Map::new());
        self.add(&mut line, resource, origin);
        let leaves: Vec<Json> = leaves.iter().map(|leaf| self.leaf(leaf)).collect();
        line["leaves"] = leaves.into();
        line
    }

    /// Writes all parameters; returns their number, and how many of them are traced to their leaves.
    fn parameters(&mut self) -> (usize, usize) {
        let tracer = Tracer::new(self.catalog);
        let (mut n, mut n_traced) = (0, 0);
        for (number, resource) in self.catalog.resources.iter().enumerate() {
            for (at, (name, _)) in resource.parameters.iter().enumerate() {
                let origin = self.catalog.parameter_origin(number, at);
                let leaves = tracer.leaves(number, name.as_str(), origin);
                n += 1;
                n_traced += usize::from(leaves.iter().all(Leaf::is_known));
                let mut line = self.about(resource, "parameter", name.as_str());
                self.add(&mut line, number, origin);
                let leaves: Vec<Json> = leaves.iter().map(|leaf| self.leaf(leaf)).collect();
                line["leaves"] = leaves.into();
                self.line(&line);
            }
        }
        (n, n_traced)
    }

    /// Writes containment and order.
    fn edges(&mut self) -> usize {
        let catalog = self.catalog;
        let reference = |number: usize| catalog.resources[number].reference();
        for (at, &(container, content)) in catalog.edges.iter().enumerate() {
            let origin = catalog.origins.edges.get(at).copied().unwrap_or(OriginId::COMPILER);
            let (source, target) = (reference(container as usize), reference(content as usize));
            let mut line = self.edge("contains", &source, &target);
            self.add(&mut line, content as usize, origin);
            self.line(&line);
        }
        let relationships = catalog.relationships();
        for edge in &relationships {
            let own = reference(edge.resource);
            let (source, target) = match edge.relation {
                Relation::Before | Relation::Notify => (own.as_str(), edge.other),
                Relation::Require | Relation::Subscribe => (edge.other, own.as_str()),
            };
            let name = edge.relation.as_str();
            let mut line = self.edge(name, source, target);
            self.add(&mut line, edge.resource, edge.origin);
            self.line(&line);
        }
        catalog.edges.len() + relationships.len()
    }

    /// Writes all tags.
    fn tags(&mut self) -> usize {
        let catalog = self.catalog;
        let mut n = 0;
        for (number, sources) in catalog.tag_sources().iter().enumerate() {
            let resource = &catalog.resources[number];
            for &tag in &resource.tags {
                let name = catalog.tag_names.get(tag as usize).map_or("", |name| name.as_str());
                let mut line = self.about(resource, "tag", name);
                let origin = catalog.tag_origin(number, tag, sources);
                self.add_origin(&mut line, number, &origin, 0);
                self.line(&line);
                n += 1;
            }
        }
        n
    }

    /// Returns the beginning of a line about a part of a resource.
    fn about(&self, resource: &crate::Resource, kind: &str, name: &str) -> Json {
        let node = self.catalog.name.as_str();
        json!({ "node": node, "resource": resource.reference(), kind: name })
    }

    /// Returns the beginning of a line about an edge.
    fn edge(&self, kind: &str, source: &str, target: &str) -> Json {
        let node = self.catalog.name.as_str();
        json!({ "node": node, "edge": kind, "source": source, "target": target })
    }

    fn line(&mut self, line: &Json) {
        let _ = writeln!(self.out, "{line}");
    }

    /// Adds an origin of a resource to a line.
    fn add(&self, line: &mut Json, resource: usize, origin: OriginId) {
        self.add_origin(line, resource, &self.catalog.origin(origin), 0);
    }

    fn nested(&self, resource: usize, origin: OriginId, depth: usize) -> Json {
        let mut nested = Json::Object(Map::new());
        self.add_origin(&mut nested, resource, &self.catalog.origin(origin), depth + 1);
        nested
    }

    fn add_origin(&self, line: &mut Json, resource: usize, origin: &Origin<'_>, depth: usize) {
        line["origin"] = origin.kind().into();
        match origin {
            Origin::Code { place, previous, .. } => {
                add_place(line, place);
                if let Some(previous) = previous.filter(|_| depth < MAX_DEPTH) {
                    line["previous"] = self.nested(resource, previous, depth);
                }
            }
            Origin::Data(data) => add_data(line, data),
            Origin::Parts(parts) if depth < MAX_DEPTH => {
                let all = std::iter::once(parts.first).chain(parts.rest.iter().map(|(by, _)| *by));
                let all: Vec<Json> = all.map(|part| self.nested(resource, part, depth)).collect();
                line["parts"] = all.into();
            }
            Origin::Inherited(container) => {
                let container = self.catalog.resources.get(*container as usize);
                line["container"] = container.map(crate::Resource::reference).into();
            }
            Origin::Exported(node) => line["exporter"] = (*node).into(),
            Origin::Title => {
                if let Some(place) = self.title_place(resource) {
                    add_place(line, &place);
                }
            }
            Origin::Parts(_) | Origin::Classifier | Origin::Type | Origin::Compiler => (),
        }
    }

    /// Returns the place of a resource's title.
    fn title_place(&self, resource: usize) -> Option<CodePlace<'_>> {
        let declaration = self.catalog.origins.resources.get(resource)?.declaration;
        let (code, expression) = self.catalog.origins.table.code(declaration)?;
        let (line, column) = code.title_position(expression)?;
        Some(CodePlace { file: code.file(), line, column })
    }

    fn leaf(&self, leaf: &Leaf) -> Json {
        let mut line = json!({ "leaf": leaf.kind() });
        match leaf {
            Leaf::Literal(origin) | Leaf::Default(origin) => {
                if let Origin::Code { place, .. } = self.catalog.origin(*origin) {
                    add_place(&mut line, &place);
                }
            }
            Leaf::Data(origin) => {
                if let Origin::Data(data) = self.catalog.origin(*origin) {
                    add_data(&mut line, data);
                }
            }
            Leaf::Fact(name) | Leaf::Setting(name) | Leaf::Unknown(name) => {
                line["name"] = name.as_str().into();
            }
            Leaf::Exported(node) => line["exporter"] = node.as_str().into(),
            Leaf::Classifier | Leaf::Compiler => (),
        }
        line
    }
}

fn add_place(line: &mut Json, place: &CodePlace<'_>) {
    line["file"] = place.file.into();
    line["line"] = place.line.into();
    line["column"] = place.column.into();
}

fn add_data(line: &mut Json, data: &DataOrigin) {
    line["key"] = data.key.as_str().into();
    let places: Vec<Json> = data
        .places
        .iter()
        .map(|place| {
            json!({
                "file": place.file.as_str(), "line": place.line,
                "level": place.level.as_str(), "number": place.number,
            })
        })
        .collect();
    line["places"] = places.into();
}
