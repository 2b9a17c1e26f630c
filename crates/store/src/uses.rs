//! Questions of people to the store: how catalogs of a node have changed, and which data nodes use.

use serde_json::{Map, Value};

use crate::sql::{Cell, SqlError, number};
use crate::{Store, StoreError};

/// The most resources of one difference.
const MOST_RESOURCES: i64 = 5_000;

/// A change of a node's catalog.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CatalogChange {
    /// Its number; later changes have greater ones.
    pub id: i64,
    /// When the catalog was made that came, in milliseconds since 1970.
    pub time: i64,
    /// The version of the catalog that came.
    pub version: String,
    /// The version of its code.
    pub code_id: Option<String>,
    /// Its environment.
    pub environment: Option<String>,
    /// The number of resources that came.
    pub added: i64,
    /// The number of resources that went.
    pub removed: i64,
}

/// A resource before or after some changes.
#[derive(Clone, Debug, PartialEq)]
pub struct ResourceState {
    /// The manifest that declares it.
    pub file: Option<String>,
    /// The line there.
    pub line: Option<i64>,
    /// Whether other nodes may collect it.
    pub is_exported: bool,
    /// Its tags.
    pub tags: Vec<String>,
    /// Its parameters; secret ones were never stored.
    pub parameters: Map<String, Value>,
}

/// A resource that is another one after some changes.
#[derive(Clone, Debug, PartialEq)]
pub struct ResourceDifference {
    /// `File`
    pub type_: String,
    /// `/tmp`
    pub title: String,
    /// Its former state; none for one that is new.
    pub before: Option<ResourceState>,
    /// Its new state; none for one that is gone.
    pub after: Option<ResourceState>,
}

/// A line of data, and how many nodes have a value from it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DataUse {
    /// The file.
    pub file: String,
    /// The line of the key; 0 if it is not known.
    pub line: i64,
    /// The key.
    pub name: String,
    /// The number of nodes.
    pub nodes: i64,
}

impl Store {
    /// Returns the changes of a node's catalog that are kept, the newest first.
    pub fn catalog_changes(&self, certname: &str) -> Result<Vec<CatalogChange>, StoreError> {
        let query = "SELECT c.id, c.producer_timestamp, c.version, c.code_id, e.name, \
             (SELECT count(*) FROM catalog_change_resources r WHERE r.change_id = c.id AND r.is_added), \
             (SELECT count(*) FROM catalog_change_resources r WHERE r.change_id = c.id AND NOT r.is_added) \
             FROM catalog_changes c JOIN nodes n ON n.id = c.node_id \
             LEFT JOIN environments e ON e.id = c.environment_id \
             WHERE n.certname = ?1 ORDER BY c.id DESC";
        self.read(|sql| {
            let mut changes = Vec::new();
            sql.each(query, &[Cell::Text(certname)], &mut |row| {
                if let [id, time, version, code_id, environment, added, removed] = row {
                    changes.push(CatalogChange {
                        id: id.int().unwrap_or_default(),
                        time: time.int().unwrap_or_default(),
                        version: version.text().unwrap_or_default().to_owned(),
                        code_id: code_id.text().map(str::to_owned),
                        environment: environment.text().map(str::to_owned),
                        added: added.int().unwrap_or_default(),
                        removed: removed.int().unwrap_or_default(),
                    });
                }
                Ok(())
            })?;
            Ok(changes)
        })
    }

    /// Returns which resources of a node differ before the change `first` and after the change `last`, by type and
    /// title; at most some thousand.
    pub fn catalog_difference(
        &self,
        certname: &str,
        first: i64,
        last: i64,
    ) -> Result<Vec<ResourceDifference>, StoreError> {
        // What went and came back is as it was.
        let query = "SELECT r.type, r.title, r.file, r.line, r.exported, r.tags, r.parameters, d.n FROM \
             (SELECT cr.resource_id, sum(CASE WHEN cr.is_added THEN 1 ELSE -1 END) AS n \
             FROM catalog_change_resources cr JOIN catalog_changes c ON c.id = cr.change_id \
             JOIN nodes ON nodes.id = c.node_id \
             WHERE nodes.certname = ?1 AND c.id >= ?2 AND c.id <= ?3 GROUP BY cr.resource_id) d \
             JOIN resources r ON r.id = d.resource_id WHERE d.n <> 0 \
             ORDER BY r.type, r.title, d.n LIMIT ?4";
        let cells =
            [Cell::Text(certname), Cell::Int(first), Cell::Int(last), Cell::Int(MOST_RESOURCES)];
        self.read(|sql| {
            let mut all: Vec<ResourceDifference> = Vec::new();
            sql.each(query, &cells, &mut |row| add(&mut all, row))?;
            Ok(all)
        })
    }

    /// Returns a part of the lines of data that active nodes have values from, those of most nodes first, and the number
    /// of all such lines. `sought` is a part of the file or of the key, in any case.
    pub fn data_uses(
        &self,
        sought: &str,
        limit: usize,
        offset: usize,
    ) -> Result<(Vec<DataUse>, usize), StoreError> {
        let pattern = like(sought);
        let from = "FROM (SELECT nd.set_id, count(*) AS n FROM node_data nd JOIN nodes ON nodes.id = nd.node_id \
             WHERE nodes.deactivated IS NULL AND nodes.expired IS NULL GROUP BY nd.set_id) s \
             JOIN data_set_lines sl ON sl.set_id = s.set_id JOIN data_lines l ON l.id = sl.line_id \
             WHERE (lower(l.file) LIKE ?1 ESCAPE '\\' OR lower(l.name) LIKE ?1 ESCAPE '\\')";
        let rows = format!(
            "SELECT l.file, l.line, l.name, CAST(sum(s.n) AS BIGINT) AS total {from} \
             GROUP BY l.id, l.file, l.line, l.name ORDER BY total DESC, l.file, l.line, l.name LIMIT ?2 OFFSET ?3"
        );
        let count = format!("SELECT count(DISTINCT l.id) {from}");
        let number_of = |n: usize| Cell::Int(i64::try_from(n).unwrap_or(i64::MAX));
        self.read(|sql| {
            let total = number(sql, &count, &[Cell::Text(&pattern)])?.unwrap_or(0);
            let mut uses = Vec::new();
            let cells = [Cell::Text(&pattern), number_of(limit), number_of(offset)];
            sql.each(&rows, &cells, &mut |row| {
                if let [file, line, name, nodes] = row {
                    uses.push(DataUse {
                        file: file.text().unwrap_or_default().to_owned(),
                        line: line.int().unwrap_or_default(),
                        name: name.text().unwrap_or_default().to_owned(),
                        nodes: nodes.int().unwrap_or_default(),
                    });
                }
                Ok(())
            })?;
            Ok((uses, usize::try_from(total).unwrap_or(0)))
        })
    }
}

/// Returns the pattern of texts in lower case that have a part.
fn like(part: &str) -> String {
    let mut pattern = String::from("%");
    for character in part.to_lowercase().chars() {
        if matches!(character, '%' | '_' | '\\') {
            pattern.push('\\');
        }
        pattern.push(character);
    }
    pattern.push('%');
    pattern
}

/// Adds a row: two states of one resource follow each other.
fn add(all: &mut Vec<ResourceDifference>, row: &[Cell<'_>]) -> Result<(), SqlError> {
    let [type_, title, file, line, exported, tags, parameters, n] = row else { return Ok(()) };
    let damaged = |error: serde_json::Error| SqlError::Damaged(error.to_string());
    let state = ResourceState {
        file: file.text().map(str::to_owned),
        line: line.int(),
        is_exported: matches!(exported, Cell::Bool(true) | Cell::Int(1)),
        tags: serde_json::from_str(tags.text().unwrap_or("[]")).map_err(damaged)?,
        parameters: serde_json::from_str(parameters.text().unwrap_or("{}")).map_err(damaged)?,
    };
    let (type_, title) = (type_.text().unwrap_or_default(), title.text().unwrap_or_default());
    let is_after = n.int().is_some_and(|n| n > 0);
    if let Some(last) = all.last_mut()
        && last.type_ == type_
        && last.title == title
        && (if is_after { &last.after } else { &last.before }).is_none()
    {
        match is_after {
            true => last.after = Some(state),
            false => last.before = Some(state),
        }
        return Ok(());
    }
    let (before, after) = if is_after { (None, Some(state)) } else { (Some(state), None) };
    all.push(ResourceDifference {
        type_: type_.to_owned(),
        title: title.to_owned(),
        before,
        after,
    });
    Ok(())
}
