//! Conditions with a field and a value.

use serde_json::Value;

use super::super::check;
use super::super::entities::{Entity, Field, Type};
use super::super::error::{Checked, QueryError};
use super::super::fields::{self, Part};
use super::super::functions::regexp;
use super::super::show;
use super::super::times;
use super::super::tree::{Condition, Operator, Plain, Test};
use super::{node_state, not_well_formed, required};

/// Reads `[operator, field, value]`.
pub(super) fn read(
    entity: Entity,
    operator: &str,
    node: &Value,
    parts: &[Value],
) -> Checked<Option<Condition>> {
    let [field, value] = parts else {
        return Err(QueryError::wrong(format!("{operator} requires exactly two arguments")));
    };
    let name = match field {
        Value::Array(special) => return of_special(entity, operator, node, special, value),
        Value::String(name) => name.as_str(),
        _ => return Err(invalid(operator)),
    };
    match (operator, name) {
        ("=", "node_state") => return node_state(entity, value),
        ("=", "type") if value == "any" => return Ok(None),
        ("=", "latest_report?") => {
            // As in PuppetDB, all but `false` is true.
            let flag = Value::from(value != &Value::Bool(false) && !value.is_null());
            return of_field(required(entity, name)?, operator, &flag).map(Some);
        }
        ("=", _) if value.is_null() => {
            return null(entity, &name.replace('-', "_"), true).map(Some);
        }
        _ => (),
    }
    let (top, path) = fields::parse(name)?;
    let found =
        if top == "tag" { entity.field("tags").or(entity.field(top)) } else { entity.field(top) };
    let found = found.filter(|field| field.is_queryable);
    let found =
        found.ok_or_else(|| QueryError::wrong(check::not_queryable(entity.table(), name)))?;
    checks(operator, found, &path, value)?;
    if path.is_empty() {
        let value = if top == "tag" { lower(value) } else { value.clone() };
        return of_field(found, operator, &value).map(Some);
    }
    let test = test(operator, &path, value)?;
    Ok(Some(Condition::At(found, path, test)))
}

/// Reads `["null?", field, …]`; components of a path are names.
pub(super) fn null(entity: Entity, name: &str, is_null: bool) -> Checked<Condition> {
    let (top, path) = fields::parse(name)?;
    // PuppetDB checks here that the field exists, and not that conditions may have it.
    let field = match entity.field(top) {
        Some(field) => field,
        None => required(entity, top)?,
    };
    if !path.is_empty() {
        return match field.type_ {
            Type::Facts | Type::Parameters => Ok(Condition::At(field, path, Test::IsNull(is_null))),
            _ => Err(QueryError::wrong(check::not_queryable(entity.table(), name))),
        };
    }
    Ok(match field.type_ {
        Type::Value => Condition::Json(field, Test::IsNull(is_null)),
        Type::Facts | Type::Parameters => match is_null {
            true => Condition::Never,
            false => Condition::All(Vec::new()),
        },
        _ => Condition::IsNull(field, is_null),
    })
}

fn invalid(operator: &str) -> QueryError {
    QueryError::wrong(format!("Invalid {operator} clause"))
}

fn incompatible(value: &Value, operator: &str) -> QueryError {
    QueryError::wrong(format!(
        "Argument \"{}\" and operator \"{operator}\" have incompatible types.",
        show::plain(value)
    ))
}

/// Returns the error of a value that a field can't have.
pub(super) fn mismatch(field: &Field, value: &Value) -> QueryError {
    let kind = match field.type_ {
        Type::Text => "text",
        Type::Int => "numeric",
        Type::Bool => "boolean",
        _ => "this",
    };
    let value = show::plain(value);
    QueryError::wrong(format!(
        "Argument \"{value}\" is incompatible with {kind} field \"{}\".",
        field.name
    ))
}

fn lower(value: &Value) -> Value {
    match value {
        Value::String(text) => Value::from(text.to_lowercase()),
        other => other.clone(),
    }
}

/// Checks whether an operator works on a field.
fn checks(operator: &str, field: &Field, path: &[Part], value: &Value) -> Checked<()> {
    let name = field.name;
    match operator {
        "=" | "~" => {
            let is_wrong = field.type_ == Type::Int && value.is_string() && operator == "=";
            if is_wrong { Err(mismatch(field, value)) } else { Ok(()) }
        }
        "~>" if !matches!(field.type_, Type::Path | Type::EncodedPath) => {
            Err(QueryError::wrong(format!("Query operator ~> is not allowed on field {name}")))
        }
        "~>" => Ok(()),
        _ if path.is_empty() && !field.is_ordered => Err(QueryError::wrong(format!(
            "Query operators >,>=,<,<= are not allowed on field {name}"
        ))),
        _ => Ok(()),
    }
}

/// Reads the pattern of `~`.
pub(super) fn pattern(value: &Value) -> Checked<String> {
    match value {
        Value::String(text) => {
            regexp::compile(text).map_err(|error| QueryError::wrong(error.to_string()))?;
            Ok(text.clone())
        }
        other => Err(incompatible(other, "~")),
    }
}

fn of_field(field: &'static Field, operator: &str, value: &Value) -> Checked<Condition> {
    match operator {
        "~" => matches(field, value),
        "~>" => path_matches(field, value),
        _ => {
            let operator =
                Operator::named(operator).ok_or_else(|| incompatible(value, operator))?;
            compare(field, operator, value)
        }
    }
}

fn matches(field: &'static Field, value: &Value) -> Checked<Condition> {
    Ok(match field.type_ {
        Type::Text => Condition::Matches(field, pattern(value)?),
        Type::Texts => Condition::HasMatch(field, pattern(value)?),
        Type::Value => Condition::Json(field, Test::Matches(pattern(value)?)),
        Type::ValueText => Condition::JsonText(field, value.clone(), true),
        Type::EncodedPath => Condition::Matches(field, pattern(value)?),
        _ => {
            let words = format!("Query operator ~ is not allowed on field {}", field.name);
            return Err(QueryError::wrong(words));
        }
    })
}

fn path_matches(field: &'static Field, value: &Value) -> Checked<Condition> {
    match value {
        Value::Array(patterns) => {
            for text in patterns.iter().filter(|part| part.is_string()) {
                pattern(text)?;
            }
            Ok(Condition::PathMatches(field, patterns.clone()))
        }
        other => Err(incompatible(other, "~>")),
    }
}

fn compare(field: &'static Field, operator: Operator, value: &Value) -> Checked<Condition> {
    match field.type_ {
        Type::Text | Type::Int | Type::Bool | Type::Timestamp => {
            if operator != Operator::Equal && field.type_ == Type::Int && !value.is_number() {
                return Err(incompatible(value, operator.sql()));
            }
            Ok(Condition::Compare(field, operator, plain(field, value)?))
        }
        Type::Texts => Ok(Condition::Has(field, show::plain(value))),
        Type::Facts | Type::Parameters if operator == Operator::Equal => {
            Ok(Condition::Json(field, Test::Contains(value.clone())))
        }
        Type::Value if operator == Operator::Equal => {
            Ok(Condition::Json(field, Test::Compare(operator, value.clone())))
        }
        Type::Value if value.is_number() => Ok(Condition::All(vec![
            Condition::JsonType(field, "number".to_owned()),
            Condition::Json(field, Test::Compare(operator, value.clone())),
        ])),
        Type::ValueText => Ok(Condition::JsonText(field, value.clone(), false)),
        Type::Path | Type::EncodedPath => Ok(Condition::Paths(field, vec![path(value)?])),
        _ => Err(incompatible(value, operator.sql())),
    }
}

/// Checks a place within facts.
pub(super) fn path(value: &Value) -> Checked<Value> {
    let parts = value.as_array().filter(|parts| {
        !parts.is_empty() && parts.iter().all(|part| part.is_string() || part.is_i64())
    });
    match parts {
        Some(_) => Ok(value.clone()),
        None => Err(QueryError::wrong(format!(
            "Path array element wasn't string or integer in {}",
            show::value(value)
        ))),
    }
}

/// Reads a value for a column of a plain type.
pub(super) fn plain(field: &Field, value: &Value) -> Checked<Plain> {
    let found = match (field.type_, value) {
        (Type::Timestamp, value) => Some(Plain::Int(times::required(value)?)),
        (Type::Text, Value::String(text)) => Some(Plain::Text(text.clone())),
        (Type::Bool, Value::Bool(flag)) => Some(Plain::Bool(*flag)),
        (Type::Int, Value::Number(number)) => {
            number.as_i64().map(Plain::Int).or_else(|| number.as_f64().map(Plain::Real))
        }
        _ => None,
    };
    found.ok_or_else(|| mismatch(field, value))
}

/// Reads what a place within facts or parameters must be.
fn test(operator: &str, path: &[Part], value: &Value) -> Checked<Test> {
    let has_index = path.iter().any(|part| matches!(part, Part::Index(_)));
    Ok(match operator {
        "~" => Test::Matches(pattern(value)?),
        "=" if has_index => Test::Compare(Operator::Equal, value.clone()),
        "=" => Test::Contains(value.clone()),
        _ => {
            let operator =
                Operator::named(operator).ok_or_else(|| incompatible(value, operator))?;
            Test::Compare(operator, value.clone())
        }
    })
}

/// Reads conditions on `["fact", name]`, `["parameter", name]`, `["node", "active"]` and functions.
fn of_special(
    entity: Entity,
    operator: &str,
    node: &Value,
    special: &[Value],
    value: &Value,
) -> Checked<Option<Condition>> {
    let texts: Vec<&str> = special.iter().filter_map(Value::as_str).collect();
    if texts.len() != special.len() {
        return Err(invalid(operator));
    }
    match (texts.as_slice(), operator) {
        (["node", "active"], "=") => {
            let state = if value == &Value::Bool(true) { "active" } else { "inactive" };
            node_state(entity, &Value::from(state))
        }
        (["parameter", name], "=" | "~") => {
            if entity != Entity::Resources {
                let words = check::not_queryable(entity.table(), &format!("parameter {name}"));
                return Err(QueryError::wrong(words));
            }
            let is_match = operator == "~";
            if is_match {
                pattern(value)?;
            }
            Ok(Some(Condition::Parameter((*name).to_owned(), value.clone(), is_match)))
        }
        (["fact", name], _) => fact(entity, name, operator, value).map(Some),
        (["function", "jsonb_typeof", name], "=") => {
            let field = required(entity, name)?;
            let is_json = matches!(field.type_, Type::Value | Type::Facts | Type::Parameters);
            if !is_json {
                return Err(mismatch(field, value));
            }
            Ok(Some(Condition::JsonType(field, show::plain(value))))
        }
        (["function", name, ..], _) => Err(QueryError::wrong(format!(
            "{} is not a valid function of a condition",
            show::value(&Value::from(*name))
        ))),
        _ => Err(not_well_formed(node)),
    }
}

fn fact(entity: Entity, name: &str, operator: &str, value: &Value) -> Checked<Condition> {
    if !entity.table().has_nodes {
        return Err(QueryError::wrong(check::not_queryable(entity.table(), "certname")));
    }
    let test = match (operator, value) {
        ("~", value) => Test::Matches(pattern(value)?),
        ("=", Value::String(_) | Value::Bool(_)) => Test::Compare(Operator::Equal, value.clone()),
        (_, Value::Number(_)) => {
            let operator =
                Operator::named(operator).ok_or_else(|| incompatible(value, operator))?;
            Test::Compare(operator, value.clone())
        }
        _ => {
            let value = show::plain(value);
            return Err(QueryError::wrong(format!(
                "Operator '{operator}' not allowed on value '{value}'"
            )));
        }
    };
    Ok(Condition::Fact(name.to_owned(), test))
}
