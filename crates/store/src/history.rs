//! The history of facts: which single values have changed, and when. Off unless a site wants it.

use std::time::Duration;

use serde_json::Value;

use crate::sql::{Cell, Sql, SqlError, number};
use crate::{Store, StoreError};

/// The part of the facts that is kept of former times.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FactHistory {
    /// How many changes of single values are kept of each node; none: there is no history.
    pub most: u32,
    /// How long a change is kept; zero is for ever.
    pub age: Duration,
    /// Places whose changes are not kept.
    pub ignored: Vec<FactPattern>,
}

impl FactHistory {
    pub(crate) fn ignores(&self, path: &[Value]) -> bool {
        self.ignored.iter().any(|pattern| pattern.covers(path))
    }
}

/// A pattern of places within facts: `mountpoints.*.used`.
///
/// Its elements are separated by dots; `*` within one stands for any characters. It covers a place and everything below.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FactPattern(Vec<String>);

impl FactPattern {
    /// Reads a pattern; nothing if an element is empty.
    #[must_use]
    pub fn read(text: &str) -> Option<Self> {
        let elements: Vec<String> = text.split('.').map(str::to_owned).collect();
        (!elements.iter().any(String::is_empty)).then_some(Self(elements))
    }

    /// Returns whether a place is covered.
    #[must_use]
    pub fn covers(&self, path: &[Value]) -> bool {
        let is_covered = |(pattern, element): (&String, &Value)| match element {
            Value::String(name) => matches(pattern, name),
            index => matches(pattern, &index.to_string()),
        };
        self.0.len() <= path.len() && self.0.iter().zip(path).all(is_covered)
    }
}

/// Returns whether a text has the form of a pattern; each `*` takes as little as it can, and the last one all that is left.
fn matches(pattern: &str, text: &str) -> bool {
    let Some((start, rest)) = pattern.split_once('*') else { return pattern == text };
    let Some(mut text) = text.strip_prefix(start) else { return false };
    let (middle, end) = rest.rsplit_once('*').unwrap_or(("", rest));
    for part in middle.split('*') {
        match text.find(part) {
            Some(at) => text = &text[at + part.len()..],
            None => return false,
        }
    }
    text.ends_with(end)
}

/// A change of a single value.
#[derive(Clone, Debug, PartialEq)]
pub struct FactChange {
    /// Its number; later changes have greater ones.
    pub id: i64,
    /// When the facts were sent that brought it, in milliseconds since 1970.
    pub time: i64,
    /// Its place: names of members and numbers of elements.
    pub path: Vec<Value>,
    /// The former value; none if there was none.
    pub before: Option<Value>,
    /// The new value; none if there is none any more.
    pub after: Option<Value>,
}

impl FactChange {
    fn read(row: &[Cell<'_>]) -> Result<Option<Self>, SqlError> {
        let [id, time, path, before, after] = row else { return Ok(None) };
        let damaged = |error: serde_json::Error| SqlError::Damaged(error.to_string());
        let value =
            |cell: &Cell<'_>| cell.text().map(serde_json::from_str).transpose().map_err(damaged);
        Ok(Some(Self {
            id: id.int().unwrap_or_default(),
            time: time.int().unwrap_or_default(),
            path: serde_json::from_str(path.text().unwrap_or("[]")).map_err(damaged)?,
            before: value(before)?,
            after: value(after)?,
        }))
    }

    /// Returns the place with dots: `os.release.major`.
    #[must_use]
    pub fn place(&self) -> String {
        let element = |element: &Value| match element {
            Value::String(name) => name.clone(),
            index => index.to_string(),
        };
        self.path.iter().map(element).collect::<Vec<_>>().join(".")
    }
}

/// The number of changes that are read at once.
const PART: i64 = 1000;

impl Store {
    /// Sets what is kept of former facts, from the next change on.
    pub fn keep_facts(&self, history: FactHistory) {
        *self.history.write().unwrap_or_else(std::sync::PoisonError::into_inner) = history;
    }

    pub(crate) fn history(&self) -> FactHistory {
        self.history.read().unwrap_or_else(std::sync::PoisonError::into_inner).clone()
    }

    /// Returns the number of changes that are kept of a node's facts; nothing if the node is not known.
    pub fn n_fact_changes(&self, certname: &str) -> Result<Option<usize>, StoreError> {
        self.read(|sql| {
            let Some(node) = node(sql, certname)? else { return Ok(None) };
            let query = "SELECT count(*) FROM fact_changes WHERE node_id = ?1";
            let n_changes = number(sql, query, &[Cell::Int(node)])?.unwrap_or(0);
            Ok(Some(usize::try_from(n_changes).unwrap_or(0)))
        })
    }

    /// Returns a part of the changes of a node's facts, the newest first.
    pub fn fact_changes(
        &self,
        certname: &str,
        limit: usize,
        offset: usize,
    ) -> Result<Vec<FactChange>, StoreError> {
        let query = "SELECT id, producer_timestamp, path, old_value, new_value FROM fact_changes \
             WHERE node_id = ?1 ORDER BY id DESC LIMIT ?2 OFFSET ?3";
        let number_of = |n: usize| Cell::Int(i64::try_from(n).unwrap_or(i64::MAX));
        self.read(|sql| {
            let mut changes = Vec::new();
            let Some(node) = node(sql, certname)? else { return Ok(changes) };
            let cells = [Cell::Int(node), number_of(limit), number_of(offset)];
            sql.each(query, &cells, &mut |row| {
                changes.extend(FactChange::read(row)?);
                Ok(())
            })?;
            Ok(changes)
        })
    }

    /// Hands over the changes of a node's facts, the newest first, until `receive` returns false. Returns whether the node
    /// is known.
    pub fn each_fact_change(
        &self,
        certname: &str,
        receive: &mut dyn FnMut(&FactChange) -> bool,
    ) -> Result<bool, StoreError> {
        let query = "SELECT id, producer_timestamp, path, old_value, new_value FROM fact_changes \
             WHERE node_id = ?1 AND id < ?2 ORDER BY id DESC LIMIT ?3";
        let mut last = i64::MAX;
        let Some(node) = self.read(|sql| node(sql, certname))? else { return Ok(false) };
        loop {
            let mut part = Vec::new();
            self.read(|sql| {
                let cells = [Cell::Int(node), Cell::Int(last), Cell::Int(PART)];
                sql.each(query, &cells, &mut |row| {
                    part.extend(FactChange::read(row)?);
                    Ok(())
                })
            })?;
            for change in &part {
                last = change.id;
                if !receive(change) {
                    return Ok(true);
                }
            }
            if part.is_empty() {
                return Ok(true);
            }
        }
    }
}

fn node(sql: &mut dyn Sql, certname: &str) -> Result<Option<i64>, SqlError> {
    number(sql, "SELECT id FROM nodes WHERE certname = ?1", &[Cell::Text(certname)])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patterns_cover_places_and_what_is_below() {
        let covers = |pattern: &str, path: Value| {
            let path = path.as_array().expect("a path").clone();
            FactPattern::read(pattern).expect("a pattern").covers(&path)
        };
        use serde_json::json;
        for (pattern, path, expected) in [
            ("uptime", json!(["uptime"]), true),
            ("uptime", json!(["uptime_days"]), false),
            ("uptime*", json!(["uptime_days"]), true),
            ("system_uptime", json!(["system_uptime", "days"]), true),
            ("mountpoints.*.used", json!(["mountpoints", "/mnt/a.b", "used"]), true),
            ("mountpoints.*.used", json!(["mountpoints", "/", "used_bytes"]), false),
            ("mountpoints.*.used*", json!(["mountpoints", "/", "used_bytes"]), true),
            ("mountpoints.*.used", json!(["mountpoints", "/"]), false),
            ("a.1", json!(["a", 1]), true),
            ("a.1", json!(["a", 11]), false),
            ("a*b*c", json!(["a--b--b-c"]), true),
            ("a*b*c", json!(["a--c--b"]), false),
            ("ab*ba", json!(["aba"]), false),
            ("ab*ba", json!(["abba"]), true),
            ("*", json!(["x", "y"]), true),
            ("**", json!([""]), true),
        ] {
            assert_eq!(covers(pattern, path.clone()), expected, "{pattern} {path}");
        }
        for wrong in ["", ".", "a.", "a..b"] {
            assert_eq!(FactPattern::read(wrong), None, "{wrong}");
        }
    }

    #[test]
    fn a_pattern_takes_no_time_on_a_long_name() {
        let pattern = FactPattern::read(&"*a".repeat(500)).expect("a pattern");
        let path = [Value::from("a".repeat(100_000) + "b")];
        assert!(!pattern.covers(&path));
    }
}
