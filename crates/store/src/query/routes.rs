//! Addresses below `/pdb/query/v4`.

use serde_json::{Value, json};

use super::compiled::Shape;
use super::entities::Entity;
use super::options::Accepted;

/// The kind of rows that an address asks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Target {
    /// The entity that the query names.
    Root,
    /// An entity.
    Entity(Entity),
    /// Counts of events.
    Counts,
    /// Sums of counts of events.
    AggregateCounts,
}

/// An address.
#[derive(Clone, Debug)]
pub(super) struct Route {
    pub(super) target: Target,
    pub(super) accepted: Accepted,
    /// Conditions that the address makes.
    pub(super) restrictions: Vec<Value>,
    /// Whether nodes that are not active are left out.
    pub(super) is_active_only: bool,
    /// The kind and the name of something that must be stored, or the address is unknown.
    pub(super) parent: Option<(&'static str, String)>,
    pub(super) shape: Shape,
}

/// Returns the route of an address, whose segments are decoded.
pub(super) fn find(segments: &[&str]) -> Option<Route> {
    let (first, rest) = segments.split_first().unwrap_or((&"", &[]));
    match (*first, rest) {
        ("", []) => Some(Route::new(Target::Root).accepting(Accepted::Root)),
        ("nodes", [name]) => Some(Route::member(Entity::Nodes, "node", "certname", name)),
        ("nodes", [name, part @ ("facts" | "resources"), below @ ..]) => {
            let inner = collection(part, below)?;
            Some(inner.restricted("certname", name).below("node", name))
        }
        ("factsets", [name]) => Some(Route::member(Entity::Factsets, "factset", "certname", name)),
        ("factsets", [name, "facts"]) => {
            let route = Route::new(Target::Entity(Entity::Factsets));
            Some(route.restricted("certname", name).below("factset", name))
        }
        ("catalogs", [name]) => Some(Route::member(Entity::Catalogs, "catalog", "certname", name)),
        ("catalogs", [name, part @ ("edges" | "resources"), below @ ..]) => {
            let inner = collection(part, below)?;
            Some(inner.restricted("certname", name).below("catalog", name))
        }
        ("package-inventory", [name]) => {
            Some(Route::new(Target::Entity(Entity::PackageInventory)).restricted("certname", name))
        }
        ("reports", [hash, part]) => report(hash, part),
        ("environments", [name]) => {
            let route = Route::member(Entity::Environments, "environment", "name", name);
            Some(route.accepting(Accepted::Member))
        }
        (
            "environments",
            [name, part @ ("events" | "facts" | "reports" | "resources"), below @ ..],
        ) => {
            let inner = collection(part, below)?;
            Some(inner.restricted("environment", name).below("environment", name))
        }
        ("producers", [name]) => {
            let route = Route::member(Entity::Producers, "producer", "name", name);
            Some(route.accepting(Accepted::Member))
        }
        ("producers", [name, part @ ("factsets" | "catalogs" | "reports")]) => {
            Some(collection(part, &[])?.restricted("producer", name).below("producer", name))
        }
        (name, below) => collection(name, below),
    }
}

/// Returns the route of all rows of an entity, or of some of them by their names.
fn collection(name: &str, below: &[&str]) -> Option<Route> {
    let entity = |entity| Route::new(Target::Entity(entity));
    Some(match (name, below) {
        ("nodes", []) => entity(Entity::Nodes).active(),
        ("facts", []) => entity(Entity::Facts).active(),
        ("facts", [fact]) => entity(Entity::Facts).active().restricted("name", fact),
        ("facts", [fact, value]) => {
            entity(Entity::Facts).active().restricted("name", fact).restricted("value", value)
        }
        ("fact-names", []) => Route { shape: Shape::Values, ..entity(Entity::FactNames) },
        ("fact-paths", []) => entity(Entity::FactPaths),
        ("fact-contents", []) => entity(Entity::FactContents).active(),
        ("factsets", []) => entity(Entity::Factsets).active(),
        ("inventory", []) => entity(Entity::Inventory).active(),
        ("catalogs", []) => entity(Entity::Catalogs),
        ("resources", []) => entity(Entity::Resources).active(),
        ("resources", [type_]) => entity(Entity::Resources).active().restricted("type", type_),
        ("resources", [type_, title]) => {
            entity(Entity::Resources).active().restricted("type", type_).restricted("title", title)
        }
        ("edges", []) => entity(Entity::Edges).active(),
        ("catalog-inputs", []) => entity(Entity::CatalogInputs).active(),
        ("catalog-input-contents", []) => entity(Entity::CatalogInputContents).active(),
        ("reports", []) => entity(Entity::Reports),
        ("events", []) => entity(Entity::Events).accepting(Accepted::Events),
        ("event-counts", []) => Route::new(Target::Counts).accepting(Accepted::Counts),
        ("aggregate-event-counts", []) => {
            Route::new(Target::AggregateCounts).accepting(Accepted::AggregateCounts)
        }
        ("environments", []) => entity(Entity::Environments),
        ("producers", []) => entity(Entity::Producers),
        ("packages", []) => entity(Entity::Packages),
        ("package-inventory", []) => entity(Entity::PackageInventory).active(),
        _ => return None,
    })
}

fn report(hash: &str, part: &str) -> Option<Route> {
    let (entity, accepted) = match part {
        "events" => (Entity::Events, Accepted::Events),
        "logs" => (Entity::ReportLogs, Accepted::Member),
        "metrics" => (Entity::ReportMetrics, Accepted::Member),
        _ => return None,
    };
    let field = if entity == Entity::Events { "report" } else { "hash" };
    let shape = if entity == Entity::Events { Shape::Rows } else { Shape::Part };
    let route = Route::new(Target::Entity(entity)).accepting(accepted).restricted(field, hash);
    Some(Route { shape, ..route.below("report", hash) })
}

impl Route {
    fn new(target: Target) -> Self {
        Self {
            target,
            accepted: Accepted::Typical,
            restrictions: Vec::new(),
            is_active_only: false,
            parent: None,
            shape: Shape::Rows,
        }
    }

    fn member(entity: Entity, kind: &'static str, field: &str, name: &str) -> Self {
        let route = Self::new(Target::Entity(entity)).restricted(field, name);
        Self { shape: Shape::Member(kind, name.to_owned()), ..route }
    }

    fn accepting(mut self, accepted: Accepted) -> Self {
        self.accepted = accepted;
        self
    }

    fn active(mut self) -> Self {
        self.is_active_only = true;
        self
    }

    fn restricted(mut self, field: &str, value: &str) -> Self {
        self.restrictions.push(json!(["=", field, value]));
        self
    }

    fn below(mut self, kind: &'static str, name: &str) -> Self {
        self.parent = Some((kind, name.to_owned()));
        self
    }
}
