//! Entities: one table of fields each, in the order in which PuppetDB names them.

mod catalogs;
mod facts;
mod names;
mod nodes;
mod reports;

use crate::Dialect;

pub(super) use reports::{EVENTS_OF_REPORT, OLD_EVENTS};

/// An entity that queries ask for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Entity {
    /// Nodes.
    Nodes,
    /// Facts, one row per name.
    Facts,
    /// Names of facts.
    FactNames,
    /// Places within facts.
    FactPaths,
    /// Values at places within facts.
    FactContents,
    /// The facts of nodes, one row per node.
    Factsets,
    /// The facts of nodes with their packages, which a parameter asks for.
    PackagedFactsets,
    /// The facts of nodes as objects.
    Inventory,
    /// Catalogs.
    Catalogs,
    /// Resources of catalogs.
    Resources,
    /// Edges of catalogs.
    Edges,
    /// Data that catalogs depend on, one row per node.
    CatalogInputs,
    /// Data that catalogs depend on, one row per key.
    CatalogInputContents,
    /// Reports.
    Reports,
    /// Events of reports.
    Events,
    /// Counts of the events of reports.
    EventCounts,
    /// Logs of a report.
    ReportLogs,
    /// Metrics of a report.
    ReportMetrics,
    /// Environments.
    Environments,
    /// Servers that sent commands.
    Producers,
    /// Packages that are installed somewhere.
    Packages,
    /// Packages of nodes.
    PackageInventory,
}

/// The type of a field.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Type {
    /// A text.
    Text,
    /// A number without a fraction.
    Int,
    /// A truth value.
    Bool,
    /// A time.
    Timestamp,
    /// A JSON array of texts.
    Texts,
    /// Any value as JSON.
    Value,
    /// JSON text that is compared as a text, as PuppetDB does with values of events.
    ValueText,
    /// A place within facts: a JSON array of names and positions.
    Path,
    /// Like `Path`, but PuppetDB keeps it as one text.
    EncodedPath,
    /// All facts of a node, or trusted data, with paths into them.
    Facts,
    /// Parameters of a resource, with paths into them.
    Parameters,
    /// A document that can be shown and not be searched.
    Document,
    /// Like `Document`, compressed and with an address.
    Expanded,
    /// Like `Document`, compressed.
    Compressed,
}

/// An expression of SQL.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Expression {
    /// An expression of both dialects.
    Same(&'static str),
    /// That of SQLite, and that of PostgreSQL.
    Each(&'static str, &'static str),
}

/// A field of an entity.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Field {
    /// The name.
    pub(super) name: &'static str,
    /// The type.
    pub(super) type_: Type,
    /// The column.
    pub(super) column: Expression,
    /// Whether conditions may name it.
    pub(super) is_queryable: bool,
    /// Whether answers may have it.
    pub(super) is_shown: bool,
    /// Whether `<` and its kind work on it.
    pub(super) is_ordered: bool,
}

/// The implicit relation to another entity: its name, fields of this one, and fields of the other one.
pub(super) type Relation = (&'static str, &'static [&'static str], &'static [&'static str]);

/// The table of an entity.
#[derive(Debug)]
pub(super) struct Table {
    /// The name that messages have.
    pub(super) alias: &'static str,
    /// The fields.
    pub(super) fields: &'static [Field],
    /// The tables that follow `FROM`.
    pub(super) from: Expression,
    /// Relations to other entities.
    pub(super) relations: &'static [Relation],
    /// Whether rows belong to nodes, whose table is `n`.
    pub(super) has_nodes: bool,
    /// The columns that name a row, if the fields of a row cost more than finding it.
    pub(super) key: Option<&'static str>,
}

impl Expression {
    /// Returns the text for a dialect.
    pub(super) fn of(self, dialect: Dialect) -> &'static str {
        match (self, dialect) {
            (Self::Same(text), _) | (Self::Each(text, _), Dialect::Sqlite) => text,
            (Self::Each(_, text), Dialect::PostgreSql) => text,
        }
    }
}

impl Field {
    /// Returns a field that can be searched and shown.
    const fn new(name: &'static str, type_: Type, column: &'static str) -> Self {
        let is_ordered = matches!(type_, Type::Int | Type::Timestamp | Type::Value);
        let column = Expression::Same(column);
        Self { name, type_, column, is_queryable: true, is_shown: true, is_ordered }
    }

    const fn text(name: &'static str, column: &'static str) -> Self {
        Self::new(name, Type::Text, column)
    }

    const fn time(name: &'static str, column: &'static str) -> Self {
        Self::new(name, Type::Timestamp, column)
    }

    const fn flag(name: &'static str, column: &'static str) -> Self {
        Self::new(name, Type::Bool, column)
    }

    /// Returns a field that can be shown and not be searched.
    const fn document(name: &'static str, sqlite: &'static str, postgresql: &'static str) -> Self {
        let column = Expression::Each(sqlite, postgresql);
        let (is_queryable, is_shown, is_ordered) = (false, true, false);
        Self { name, type_: Type::Document, column, is_queryable, is_shown, is_ordered }
    }

    /// Returns whether it is one of the columns of a table with this alias.
    pub(super) fn is_of(&self, alias: &str) -> bool {
        let Expression::Same(column) = self.column else { return false };
        column.strip_prefix(alias).is_some_and(|rest| rest.starts_with('.'))
    }

    const fn hidden(mut self) -> Self {
        self.is_shown = false;
        self
    }

    const fn unordered(mut self) -> Self {
        self.is_ordered = false;
        self
    }

    const fn queryable(mut self) -> Self {
        self.is_queryable = true;
        self
    }

    const fn typed(mut self, type_: Type) -> Self {
        self.type_ = type_;
        self.is_queryable = !matches!(type_, Type::Expanded | Type::Compressed);
        self
    }
}

/// Relations by the name of the node, which most entities have.
const BY_NODE: [Relation; 13] = [
    ("factsets", CERTNAME, CERTNAME),
    ("reports", CERTNAME, CERTNAME),
    ("package-inventory", CERTNAME, CERTNAME),
    ("inventory", CERTNAME, CERTNAME),
    ("catalogs", CERTNAME, CERTNAME),
    ("catalog_input_contents", CERTNAME, CERTNAME),
    ("catalog_inputs", CERTNAME, CERTNAME),
    ("nodes", CERTNAME, CERTNAME),
    ("facts", CERTNAME, CERTNAME),
    ("fact_contents", CERTNAME, CERTNAME),
    ("events", CERTNAME, CERTNAME),
    ("edges", CERTNAME, CERTNAME),
    ("resources", CERTNAME, CERTNAME),
];
const CERTNAME: &[&str] = &["certname"];
const NAME: &[&str] = &["name"];
const ENVIRONMENT: &[&str] = &["environment"];
const PRODUCER: &[&str] = &["producer"];

impl Entity {
    /// Returns the entity of a name in a query, `fact_contents` or `fact-contents`.
    pub(super) fn named(name: &str) -> Option<Self> {
        Some(match name.replace('-', "_").as_str() {
            "nodes" => Self::Nodes,
            "facts" => Self::Facts,
            "fact_names" => Self::FactNames,
            "fact_paths" => Self::FactPaths,
            "fact_contents" => Self::FactContents,
            "factsets" => Self::Factsets,
            "inventory" => Self::Inventory,
            "catalogs" => Self::Catalogs,
            "resources" => Self::Resources,
            "edges" => Self::Edges,
            "catalog_inputs" => Self::CatalogInputs,
            "catalog_input_contents" => Self::CatalogInputContents,
            "reports" => Self::Reports,
            "events" => Self::Events,
            "environments" => Self::Environments,
            "producers" => Self::Producers,
            "packages" => Self::Packages,
            "package_inventory" => Self::PackageInventory,
            _ => return None,
        })
    }

    /// Returns the table.
    pub(super) fn table(self) -> &'static Table {
        match self {
            Self::Nodes => &nodes::NODES,
            Self::Facts => &facts::FACTS,
            Self::FactNames => &facts::FACT_NAMES,
            Self::FactPaths => &facts::FACT_PATHS,
            Self::FactContents => &facts::FACT_CONTENTS,
            Self::Factsets => &facts::FACTSETS,
            Self::PackagedFactsets => &facts::PACKAGED_FACTSETS,
            Self::Inventory => &facts::INVENTORY,
            Self::Catalogs => &catalogs::CATALOGS,
            Self::Resources => &catalogs::RESOURCES,
            Self::Edges => &catalogs::EDGES,
            Self::CatalogInputs => &catalogs::CATALOG_INPUTS,
            Self::CatalogInputContents => &catalogs::CATALOG_INPUT_CONTENTS,
            Self::Reports => &reports::REPORTS,
            Self::Events => &reports::EVENTS,
            Self::EventCounts => &reports::EVENT_COUNTS,
            Self::ReportLogs => &reports::LOGS,
            Self::ReportMetrics => &reports::METRICS,
            Self::Environments => &names::ENVIRONMENTS,
            Self::Producers => &names::PRODUCERS,
            Self::Packages => &names::PACKAGES,
            Self::PackageInventory => &names::PACKAGE_INVENTORY,
        }
    }

    /// Returns a field by its name.
    pub(super) fn field(self, name: &str) -> Option<&'static Field> {
        self.table().fields.iter().find(|field| field.name == name)
    }
}

impl Table {
    /// Returns the names of the fields that conditions may have, sorted.
    pub(super) fn queryable(&self) -> Vec<&'static str> {
        let fields = self.fields.iter().filter(|field| field.is_queryable);
        let mut names: Vec<&str> = fields.map(|field| field.name).collect();
        names.sort_unstable();
        names
    }

    /// Returns the names of the fields that order an answer.
    pub(super) fn orderable(&self) -> Vec<&'static str> {
        let fields = self.fields.iter().filter(|field| field.is_queryable);
        fields.map(|field| field.name).collect()
    }

    /// Returns the fields that an answer may have.
    pub(super) fn shown(&self) -> impl Iterator<Item = &'static Field> + use<> {
        self.fields.iter().filter(|field| field.is_shown)
    }
}
