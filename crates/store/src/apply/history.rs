//! The history of facts: single values that differ between what a node said last and what it says now.

use std::collections::BTreeMap;

use serde_json::Value;

use super::leaves;
use crate::history::FactHistory;
use crate::json;
use crate::sql::{Cell, Insert, Sql, SqlError};

const CHANGES: Insert = Insert {
    table: "fact_changes",
    columns: &["node_id", "producer_timestamp", "path", "old_value", "new_value"],
    keeps_existing: false,
};

/// The number of bytes of a text of which more is cut off.
const MOST_TEXT: usize = 1024;
/// The number of bytes of a place; changes at longer ones are not kept.
const MOST_PATH: usize = 4096;

/// Values of facts as they were, by the names of the facts.
pub(super) struct Former(Vec<(String, Value)>);

impl Former {
    /// Reads values of facts.
    pub(super) fn read(sql: &mut dyn Sql, values: &[i64]) -> Result<Self, SqlError> {
        let query = "SELECT name, value FROM fact_values \
                     JOIN fact_names ON fact_names.id = name_id WHERE fact_values.id = ?1";
        let mut former = Vec::with_capacity(values.len());
        for id in values {
            sql.each(query, &[Cell::Int(*id)], &mut |row| {
                if let [name, value] = row {
                    let value = json::read(value.text().unwrap_or("null").as_bytes())
                        .map_err(|error| SqlError::Damaged(error.to_string()))?;
                    former.push((name.text().unwrap_or_default().to_owned(), value));
                }
                Ok(())
            })?;
        }
        Ok(Self(former))
    }

    /// Stores what is different in the values of facts that came in their place, and forgets the oldest changes.
    pub(super) fn store<'a>(
        &self,
        sql: &mut dyn Sql,
        (node, time): (i64, i64),
        came: impl Iterator<Item = (&'a str, &'a Value)>,
        history: &FactHistory,
    ) -> Result<(), SqlError> {
        let mut changes = self.changes(came);
        changes.retain(|path, _| {
            let path: Vec<Value> = serde_json::from_str(path).unwrap_or_default();
            !path.is_empty() && !history.ignores(&path)
        });
        let most = usize::try_from(history.most).unwrap_or(usize::MAX);
        let mut rows = Vec::with_capacity(5 * changes.len().min(most));
        for (path, (before, after)) in changes.iter().take(most) {
            rows.extend([Cell::Int(node), Cell::Int(time), Cell::Text(path)]);
            rows.extend(
                [before, after].map(|value| value.as_deref().map_or(Cell::Null, Cell::Json)),
            );
        }
        if rows.is_empty() {
            return Ok(());
        }
        sql.insert(&CHANGES, &rows)?;
        sql.execute(
            "DELETE FROM fact_changes WHERE node_id = ?1 AND id <= \
             (SELECT id FROM fact_changes WHERE node_id = ?1 ORDER BY id DESC LIMIT 1 OFFSET ?2)",
            &[Cell::Int(node), Cell::Int(i64::from(history.most))],
        )
        .map(drop)
    }

    /// Returns places with their former and new values, as JSON.
    fn changes<'a>(&self, came: impl Iterator<Item = (&'a str, &'a Value)>) -> Changes {
        let mut changes = Changes::new();
        for (name, value) in &self.0 {
            for leaf in leaves::of(name, value) {
                changes.insert(leaf.path, (Some(leaf.value), None));
            }
        }
        for (name, value) in came {
            for leaf in leaves::of(name, value) {
                let change = changes.entry(leaf.path).or_default();
                change.1 = Some(leaf.value);
            }
        }
        changes.retain(|path, (before, after)| path.len() <= MOST_PATH && before != after);
        for (before, after) in changes.values_mut() {
            [before, after].into_iter().flatten().for_each(cut);
        }
        changes
    }
}

/// Former and new values by their places.
type Changes = BTreeMap<String, (Option<String>, Option<String>)>;

/// Cuts a long text.
fn cut(value: &mut String) {
    if value.len() <= MOST_TEXT {
        return;
    }
    let Ok(Value::String(text)) = json::read(value.as_bytes()) else { return };
    let end = (0..=MOST_TEXT.min(text.len())).rev().find(|at| text.is_char_boundary(*at));
    let start = &text[..end.unwrap_or(0)];
    let short = format!("{start}… ({} bytes)", text.len());
    *value = json::text(&Value::String(short));
}
