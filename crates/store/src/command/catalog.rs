//! The commands `replace catalog` and `replace catalog inputs`.

use serde_json::{Map, Value};

use super::Fields;
use crate::{CommandError, json};

/// The kinds of edges.
const RELATIONSHIPS: [&str; 5] =
    ["contains", "before", "required-by", "notifies", "subscription-of"];

/// The catalog of a node.
#[derive(Clone, Debug, PartialEq)]
pub struct Catalog {
    /// Its version, environment, times and identifiers.
    pub head: CatalogHead,
    /// Its resources.
    pub resources: Vec<Resource>,
    /// Its edges.
    pub edges: Vec<Edge>,
    /// The data that it got values from, which only Kukla says.
    pub data: Vec<DataLine>,
}

/// The description of a catalog, which is another one each time it is compiled.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CatalogHead {
    /// Its version.
    pub version: String,
    /// Its environment.
    pub environment: Option<String>,
    /// The server.
    pub producer: Option<String>,
    /// The run of the agent.
    pub transaction_uuid: Option<String>,
    /// Its identifier.
    pub catalog_uuid: Option<String>,
    /// The version of the code.
    pub code_id: Option<String>,
    /// The job that asked for it.
    pub job_id: Option<String>,
}

/// A line of a data file from which a catalog got a value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DataLine {
    /// The file.
    pub file: String,
    /// The line of the key; 0 if it is not known.
    pub line: i64,
    /// The key.
    pub name: String,
}

/// A resource of a catalog.
#[derive(Clone, Debug, PartialEq)]
pub struct Resource {
    /// `File`
    pub type_: String,
    /// `/tmp`
    pub title: String,
    /// Whether other nodes may collect it.
    pub is_exported: bool,
    /// The manifest that declared it.
    pub file: Option<String>,
    /// The line there.
    pub line: Option<i64>,
    /// Its tags.
    pub tags: Vec<String>,
    /// Its parameters.
    pub parameters: Map<String, Value>,
}

/// An edge between two resources.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Edge {
    /// Type and title of its beginning.
    pub source: (String, String),
    /// Type and title of its end.
    pub target: (String, String),
    /// Its kind: `contains`, `before`…
    pub relationship: String,
}

/// The data that a catalog depends on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Inputs {
    /// The identifier of the catalog.
    pub catalog_uuid: Option<String>,
    /// Kinds and names: `hiera` and a key.
    pub inputs: Vec<(String, String)>,
}

impl Catalog {
    pub(super) fn read(fields: &Fields<'_>) -> Result<Self, CommandError> {
        Ok(Self {
            head: CatalogHead::read(fields)?,
            resources: fields.each("resources", resource)?,
            edges: fields.each("edges", edge)?,
            data: data_lines(fields)?,
        })
    }
}

impl CatalogHead {
    pub(super) fn read(fields: &Fields<'_>) -> Result<Self, CommandError> {
        Ok(Self {
            version: fields.label("version")?.ok_or_else(|| fields.wrong("version", "a text"))?,
            environment: fields.name("environment")?,
            producer: fields.name("producer")?,
            transaction_uuid: fields.name("transaction_uuid")?,
            catalog_uuid: fields.name("catalog_uuid")?,
            code_id: fields.text("code_id")?.filter(|id| !id.is_empty()),
            job_id: fields.text("job_id")?,
        })
    }
}

fn resource(fields: &Fields<'_>) -> Result<Resource, CommandError> {
    let mut tags = fields.texts("tags")?;
    for tag in &mut tags {
        tag.make_ascii_lowercase();
    }
    tags.sort_unstable();
    tags.dedup();
    Ok(Resource {
        type_: fields.short("type")?,
        title: fields.label("title")?.ok_or_else(|| fields.wrong("title", "a text"))?,
        is_exported: fields.flag("exported")?.unwrap_or(false),
        file: fields.text("file")?,
        line: fields.int("line")?,
        tags,
        parameters: fields.object("parameters")?.cloned().unwrap_or_default(),
    })
}

fn data_lines(fields: &Fields<'_>) -> Result<Vec<DataLine>, CommandError> {
    let line = |entry: &Value| match entry.as_array().map(Vec::as_slice) {
        Some([Value::String(file), Value::Number(line), Value::String(name)]) => Ok(DataLine {
            file: json::plain(file),
            line: line.as_i64().unwrap_or_default(),
            name: json::plain(name),
        }),
        _ => Err(fields.wrong("data", "arrays of a file, a line and a key")),
    };
    fields.list("data")?.iter().map(line).collect()
}

fn edge(fields: &Fields<'_>) -> Result<Edge, CommandError> {
    let end = |name: &str| {
        let end = fields.inner(name)?;
        Ok((end.short("type")?, end.required("title")?))
    };
    let relationship = fields.required("relationship")?;
    if !RELATIONSHIPS.contains(&relationship.as_str()) {
        let expected = "contains, before, required-by, notifies or subscription-of";
        return Err(fields.wrong("relationship", expected));
    }
    Ok(Edge { source: end("source")?, target: end("target")?, relationship })
}

impl Inputs {
    pub(super) fn read(fields: &Fields<'_>) -> Result<Self, CommandError> {
        let expected = "arrays of a kind and a name";
        let pair = |entry: &Value| match entry.as_array().map(Vec::as_slice) {
            Some([Value::String(kind), Value::String(name)]) => Ok((kind.clone(), name.clone())),
            _ => Err(fields.wrong("inputs", expected)),
        };
        let inputs: Result<Vec<_>, _> = fields.list("inputs")?.iter().map(pair).collect();
        Ok(Self { catalog_uuid: fields.name("catalog_uuid")?, inputs: inputs? })
    }
}
