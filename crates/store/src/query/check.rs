//! Checks the names of fields in a query, as PuppetDB does before it looks at anything else.

use serde_json::Value;

use super::entities::{Entity, Table, Type};
use super::error::{Checked, QueryError};
use super::fields;
use super::limits::Limits;
use super::show;
use super::tree::FunctionName;

/// Operators that may stand below `extract`, besides `select_…`.
const OPERATORS: [&str; 17] = [
    "from", "in", "extract", "subquery", "and", "or", "not", "function", "group_by", "null?", "=",
    ">", "<", ">=", "<=", "~", "~>",
];

/// Checks a query of an entity; PuppetDB reports all wrong names at once.
pub(super) fn names(entity: Entity, query: &Value) -> Checked<()> {
    let mut problems = Vec::new();
    walk(entity.table(), query, &mut problems);
    match problems.is_empty() {
        true => Ok(()),
        false => Err(QueryError::wrong(problems.join("\n"))),
    }
}

/// Checks depth and size of a query.
pub(super) fn size(query: &Value, limits: &Limits) -> Checked<()> {
    let mut left = limits.size;
    if fits(query, limits.depth, &mut left) {
        return match n_patterns(query) > limits.patterns {
            false => Ok(()),
            true => Err(QueryError::TooLarge(format!(
                "the query has more than {} regular expressions",
                limits.patterns
            ))),
        };
    }
    let Limits { depth, size, .. } = limits;
    Err(QueryError::TooLarge(format!(
        "the query is too large: at most {depth} levels and {size} operators, fields and values"
    )))
}

/// Returns the number of regular expressions; each is compiled before the query runs.
fn n_patterns(query: &Value) -> usize {
    let Value::Array(parts) = query else {
        // A component of a field's path.
        return query.as_str().map_or(0, |text| text.matches("match(").count());
    };
    let own = match parts.as_slice() {
        [operator, _, Value::Array(patterns)] if operator == "~>" => patterns.len(),
        [operator, ..] if operator == "~" => 1,
        _ => 0,
    };
    own + parts.iter().map(n_patterns).sum::<usize>()
}

fn fits(value: &Value, depth: usize, left: &mut usize) -> bool {
    *left = left.saturating_sub(1);
    if *left == 0 {
        return false;
    }
    match value {
        Value::Array(items) => depth > 0 && items.iter().all(|item| fits(item, depth - 1, left)),
        Value::Object(members) => {
            depth > 0 && members.values().all(|item| fits(item, depth - 1, left))
        }
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => true,
    }
}

/// Returns the entity of `select_facts`.
pub(super) fn selected(name: &str) -> Option<Entity> {
    let entity = Entity::named(name.strip_prefix("select_")?)?;
    let is_known = !name.contains('-') && entity != Entity::FactNames;
    is_known.then_some(entity)
}

fn walk(table: &Table, node: &Value, problems: &mut Vec<String>) {
    let Value::Array(parts) = node else { return };
    let operator = parts.first().and_then(Value::as_str).unwrap_or_default();
    let lower = operator.to_lowercase();
    match (lower.as_str(), &parts[1.min(parts.len())..]) {
        ("from", [Value::String(name), query, ..]) => {
            if let Some(entity) = Entity::named(name) {
                walk(entity.table(), query, problems);
            }
            return;
        }
        ("extract", [columns, Value::Array(inner)]) if inner.len() == 2 => {
            if below_extract(columns, inner, problems) {
                return;
            }
            extract(table, columns, &parts[2..], problems);
        }
        ("subquery", [Value::String(name), query]) => {
            if let Some(entity) = Entity::named(name) {
                walk(entity.table(), query, problems);
            }
            return;
        }
        ("=" | "~" | ">" | "<" | "<=" | ">=", [field, _]) => condition(table, field, problems),
        ("extract", [columns, rest @ ..]) => extract(table, columns, rest, problems),
        ("in", [field, Value::Array(list)]) if list.len() == 2 && list[0] == "array" => {
            condition_in_list(table, field, problems);
        }
        ("in", [field, ..]) => {
            let names = table.queryable();
            problems.extend(unknown(table, field, &names, false, "Can't match on", " for 'in'"));
        }
        _ => (),
    }
    for part in parts {
        walk(table, part, problems);
    }
}

/// Checks `["extract", columns, [name, query]]`; returns whether `name` is a subquery.
fn below_extract(columns: &Value, inner: &[Value], problems: &mut Vec<String>) -> bool {
    let name = inner[0].as_str().unwrap_or_default();
    if let Some(entity) = selected(name) {
        let below = entity.table();
        walk(below, &inner[1], problems);
        problems.extend(unknown(below, columns, &below.queryable(), true, "Can't extract", ""));
        return true;
    }
    if matches!(name.to_lowercase().as_str(), "not" | "group_by" | "or" | "and") {
        return false;
    }
    let underscored = name.replace('-', "_");
    problems.push(match selected(&underscored) {
        Some(_) => format!("Unsupported subquery `{name}` - did you mean `{underscored}`?"),
        None => format!("Unsupported subquery `{name}`"),
    });
    true
}

fn extract(table: &Table, columns: &Value, rest: &[Value], problems: &mut Vec<String>) {
    let names: Vec<&str> = table.shown().map(|field| field.name).collect();
    let problem =
        unknown(table, columns, &names, true, "Can't extract", "").or_else(|| filters(rest));
    problems.extend(problem);
}

/// Returns the first condition below `extract` that has no operator.
fn filters(clauses: &[Value]) -> Option<String> {
    clauses.iter().find_map(|clause| {
        let parts = clause.as_array()?;
        let operator = parts.first().and_then(Value::as_str).unwrap_or_default();
        if operator == "and" || operator == "or" {
            return filters(parts);
        }
        let is_known = OPERATORS.contains(&operator) || selected(operator).is_some();
        (!is_known)
            .then(|| format!("{} is not a valid expression for \"extract\"", show::value(clause)))
    })
}

/// Returns whether a name has a path into a field that allows one.
fn is_path(table: &Table, name: &str) -> bool {
    let Some((top, _)) = name.split_once('.') else { return false };
    let field = table.fields.iter().find(|field| field.name == top);
    field.is_some_and(|field| matches!(field.type_, Type::Facts | Type::Parameters))
}

fn condition(table: &Table, field: &Value, problems: &mut Vec<String>) {
    let name = match field {
        Value::Array(_) => return,
        Value::String(name) if name == "node_state" => return,
        other => show::plain(other),
    };
    let names = table.queryable();
    if !names.contains(&name.as_str()) && !is_path(table, &name) {
        problems.push(not_queryable(table, &name));
    }
}

fn condition_in_list(table: &Table, field: &Value, problems: &mut Vec<String>) {
    if field != "node_state" {
        condition(table, field, problems);
    }
}

/// Returns the words about a name that conditions can't have.
pub(super) fn not_queryable(table: &Table, name: &str) -> String {
    let names = show::list(&table.queryable());
    format!(
        "'{name}' is not a queryable object for {}. Known queryable objects are {names}",
        table.alias
    )
}

/// Returns the words about columns that are not among `names`.
fn unknown(
    table: &Table,
    columns: &Value,
    names: &[&str],
    has_paths: bool,
    action: &str,
    context: &str,
) -> Option<String> {
    let columns = match columns {
        Value::Array(columns) => columns.as_slice(),
        other => std::slice::from_ref(other),
    };
    let wrong: Vec<String> = columns
        .iter()
        .filter(|column| match column {
            Value::String(name) => {
                let is_valid_path = is_path(table, name) && fields::parse(name).is_ok();
                !(names.contains(&name.as_str()) || has_paths && is_valid_path)
            }
            Value::Array(call) => {
                let name = call.get(1).and_then(Value::as_str).unwrap_or_default();
                call.first() != Some(&Value::from("function"))
                    || FunctionName::named(name).is_none()
            }
            _ => true,
        })
        .map(show::plain)
        .collect();
    let plural = if wrong.len() > 1 { "fields" } else { "field" };
    (!wrong.is_empty()).then(|| {
        format!(
            "{action} unknown '{}' {plural} {}{context}. Acceptable fields are {}",
            table.alias,
            show::list(&wrong),
            show::list(names)
        )
    })
}
