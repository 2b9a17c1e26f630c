//! Entities, columns, groups and paging.

use serde_json::{Value, json};

use super::cursor::Cursor;
use super::expression::expression;
use super::value::{field, integer, list, string};

/// Entities; a longer name stands before its start.
const ENTITIES: [&str; 14] = [
    "factsets",
    "fact_paths",
    "fact_contents",
    "facts",
    "reports",
    "catalogs",
    "packages",
    "package_inventory",
    "resources",
    "nodes",
    "environments",
    "inventory",
    "edges",
    "events",
];
const FUNCTIONS: [&str; 6] = ["count", "avg", "sum", "min", "max", "to_string"];

/// Takes the name of an entity.
pub(super) fn entity(cursor: &mut Cursor<'_>) -> Option<&'static str> {
    cursor.one_of(&ENTITIES)
}

/// Takes a query: an entity, columns, and a condition with groups and paging.
pub(super) fn from(cursor: &mut Cursor<'_>) -> Option<Value> {
    cursor.attempt(|cursor| {
        let name = entity(cursor)?;
        let columns = cursor.attempt(|cursor| {
            cursor.blanks();
            extract(cursor)
        });
        cursor.blanks();
        let clauses = where_clause(cursor)?;
        let mut parts = vec![json!("from"), json!(name)];
        match columns {
            None => parts.extend(clauses),
            Some(columns) => {
                let is_paging = |clause: &Value| {
                    clause
                        .get(0)
                        .and_then(Value::as_str)
                        .is_some_and(|name| ["limit", "offset", "order_by"].contains(&name))
                };
                let (paging, others): (Vec<Value>, Vec<Value>) =
                    clauses.into_iter().partition(is_paging);
                let mut extract = vec![json!("extract"), Value::from(columns)];
                extract.extend(others);
                parts.push(Value::from(extract));
                parts.extend(paging);
            }
        }
        Some(Value::from(parts))
    })
}

/// Takes columns in brackets, which may be none.
fn extract(cursor: &mut Cursor<'_>) -> Option<Vec<Value>> {
    cursor.word("[")?;
    cursor.blanks();
    let columns = fields(cursor).unwrap_or_default();
    cursor.blanks();
    cursor.word("]")?;
    Some(columns)
}

/// Takes fields and functions with commas between them.
pub(super) fn fields(cursor: &mut Cursor<'_>) -> Option<Vec<Value>> {
    cursor.attempt(|cursor| {
        list(cursor, |cursor| cursor.attempt(function).or_else(|| field(cursor).map(Value::from)))
    })
}

/// Takes `count()` or `to_string(end_time, "YYYY")`.
fn function(cursor: &mut Cursor<'_>) -> Option<Value> {
    let name = cursor.one_of(&FUNCTIONS)?;
    cursor.blanks();
    cursor.word("(")?;
    cursor.blanks();
    let arguments = cursor.attempt(|cursor| {
        list(cursor, |cursor| string(cursor).or_else(|| field(cursor).map(Value::from)))
    });
    cursor.blanks();
    cursor.word(")")?;
    let mut parts = vec![json!("function"), json!(name)];
    parts.extend(arguments.unwrap_or_default());
    Some(Value::from(parts))
}

/// Takes `{ condition group or paging }`; returns the clauses.
pub(super) fn where_clause(cursor: &mut Cursor<'_>) -> Option<Vec<Value>> {
    cursor.word("{")?;
    cursor.blanks();
    let mut clauses: Vec<Value> = cursor.attempt(expression).into_iter().collect();
    cursor.blanks();
    match cursor.attempt(group) {
        Some(group) => clauses.push(group),
        None => {
            while let Some(clause) = cursor.attempt(paging) {
                clauses.push(clause);
                cursor.blanks();
            }
        }
    }
    cursor.blanks();
    cursor.word("}")?;
    Some(clauses)
}

fn group(cursor: &mut Cursor<'_>) -> Option<Value> {
    cursor.word("group by")?;
    cursor.some_blanks()?;
    let mut parts = vec![json!("group_by")];
    parts.extend(fields(cursor)?);
    Some(Value::from(parts))
}

fn paging(cursor: &mut Cursor<'_>) -> Option<Value> {
    let name = cursor.one_of(&["limit", "offset", "order by"])?;
    cursor.some_blanks()?;
    if name != "order by" {
        return Some(json!([name, integer(cursor)?]));
    }
    let order = list(cursor, |cursor| {
        let is_direction = ["asc", "desc"].iter().any(|word| cursor.rest().starts_with(word));
        if is_direction {
            cursor.expect("a field");
            return None;
        }
        let name = field(cursor)?;
        let direction = cursor.attempt(|cursor| {
            cursor.some_blanks()?;
            cursor.one_of(&["asc", "desc"])
        });
        Some(match direction {
            None => json!(name),
            Some(direction) => json!([name, direction]),
        })
    })?;
    Some(json!(["order_by", order]))
}
