//! Conditions with `in`.

use serde_json::Value;

use super::super::check;
use super::super::entities::{Entity, Field, Type};
use super::super::error::{Checked, QueryError};
use super::super::fields;
use super::super::times;
use super::super::tree::{Condition, Plain, Select, Test};
use super::comparison::{mismatch, path, plain};
use super::{from, is_plain, not_well_formed, required};

/// Reads `["in", fields, list or subquery]`.
pub(super) fn read(entity: Entity, node: &Value, parts: &[Value]) -> Checked<Condition> {
    let [columns, source] = parts else { return Err(not_well_formed(node)) };
    let is_list = source.get(0).is_some_and(|name| name == "array");
    if is_list {
        return match source.as_array().map(Vec::as_slice) {
            Some([_, Value::Array(values)]) => of_list(entity, columns, values),
            Some([_, _]) => Err(QueryError::wrong("Operator array requires a vector argument")),
            _ => Err(not_well_formed(node)),
        };
    }
    let names: Vec<&str> = match columns {
        Value::String(name) => vec![name],
        Value::Array(names) => names.iter().filter_map(Value::as_str).collect(),
        _ => return Err(not_well_formed(node)),
    };
    let fields = names.iter().map(|name| required(entity, name)).collect::<Checked<Vec<_>>>()?;
    let select = from(source)?;
    compatible(&fields, &select)?;
    Ok(Condition::InSelect(fields, Box::new(select)))
}

/// Checks that a subquery has as many columns as there are fields, of the same types.
fn compatible(fields: &[&Field], select: &Select) -> Checked<()> {
    let columns: Vec<&Field> = select
        .columns
        .iter()
        .filter_map(|column| match column {
            super::super::tree::Selected::Field(field) => Some(*field),
            _ => None,
        })
        .collect();
    let is_same = |(own, other): (&&Field, &&Field)| {
        let is_text = |field: &Field| matches!(field.type_, Type::Text | Type::Value);
        let is_path = |field: &Field| matches!(field.type_, Type::Path | Type::EncodedPath);
        own.type_ == other.type_ || is_text(own) && is_text(other) || is_path(own) && is_path(other)
    };
    if columns.len() < fields.len() || !fields.iter().zip(&columns).all(is_same) {
        let names: Vec<&str> = fields.iter().map(|field| field.name).collect();
        return Err(QueryError::wrong(format!(
            "The subquery of 'in' must extract fields of the types of {}",
            super::super::show::list(&names)
        )));
    }
    Ok(())
}

fn of_list(entity: Entity, columns: &Value, values: &[Value]) -> Checked<Condition> {
    let name = match columns {
        Value::String(name) => name,
        Value::Array(special) => return of_fact(entity, special, values),
        other => return Err(not_well_formed(other)),
    };
    let (top, place) = fields::parse(name)?;
    let top = if top == "tag" { "tags" } else { top };
    let field = entity.field(top).filter(|field| field.is_queryable);
    let field =
        field.ok_or_else(|| QueryError::wrong(check::not_queryable(entity.table(), name)))?;
    if !place.is_empty() {
        return Ok(Condition::At(field, place, Test::In(values.to_vec())));
    }
    match field.type_ {
        Type::Texts => {
            Err(QueryError::wrong("Operator in...array is not supported on array types"))
        }
        Type::Path | Type::EncodedPath => {
            let paths = values.iter().map(path).collect::<Checked<_>>()?;
            Ok(Condition::Paths(field, paths))
        }
        Type::Value => Ok(Condition::Json(field, Test::In(values.to_vec()))),
        type_ if is_plain(type_) => {
            let values = values.iter().filter_map(|value| one(field, value).transpose());
            Ok(Condition::In(field, values.collect::<Checked<_>>()?))
        }
        _ => Err(QueryError::wrong(format!("Operator in...array is not supported on field {top}"))),
    }
}

/// Reads one value; PuppetDB makes texts of all values, and nothing of a text that is no time.
fn one(field: &Field, value: &Value) -> Checked<Option<Plain>> {
    match (field.type_, value) {
        (Type::Timestamp, value) => Ok(times::read(value).map(Plain::Int)),
        (Type::Text, Value::Number(number)) => Ok(Some(Plain::Text(number.to_string()))),
        (Type::Text, Value::Bool(flag)) => Ok(Some(Plain::Text(flag.to_string()))),
        (_, Value::Null | Value::Array(_) | Value::Object(_)) => Err(mismatch(field, value)),
        _ => plain(field, value).map(Some),
    }
}

/// Reads `["in", ["fact", name], ["array", values]]`.
fn of_fact(entity: Entity, special: &[Value], values: &[Value]) -> Checked<Condition> {
    if let [Value::String(name)] = special {
        return of_list(entity, &Value::from(name.as_str()), values);
    }
    let [Value::String(kind), Value::String(name)] = special else {
        return Err(not_well_formed(&Value::from(special.to_vec())));
    };
    if kind != "fact" || !entity.table().has_nodes {
        return Err(not_well_formed(&Value::from(special.to_vec())));
    }
    let mut kinds: Vec<_> = values.iter().map(std::mem::discriminant).collect();
    kinds.dedup();
    if kinds.len() != 1 {
        return Err(QueryError::wrong("All values in array must be the same type."));
    }
    Ok(Condition::Fact(name.clone(), Test::In(values.to_vec())))
}
