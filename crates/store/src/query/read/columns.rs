//! Columns of an answer, functions and groups.

use serde_json::Value;

use super::super::check;
use super::super::entities::{Entity, Type};
use super::super::error::{Checked, QueryError};
use super::super::fields;
use super::super::show;
use super::super::tree::{Function, FunctionName, Select, Selected};

/// The most characters of a name that PostgreSQL keeps.
const LONGEST: usize = 63;

/// Reads what follows `extract`.
pub(super) fn read(entity: Entity, columns: &Value) -> Checked<Vec<Selected>> {
    match columns {
        Value::Array(columns) if is_call(columns) => Ok(vec![call(entity, columns)?]),
        Value::Array(columns) => columns.iter().map(|column| one(entity, column)).collect(),
        other => Ok(vec![one(entity, other)?]),
    }
}

fn is_call(columns: &[Value]) -> bool {
    columns.first().is_some_and(|first| first == "function")
}

fn one(entity: Entity, column: &Value) -> Checked<Selected> {
    match column {
        Value::Array(parts) if is_call(parts) => call(entity, parts),
        Value::String(name) => named(entity, name),
        other => Err(unknown(entity, &show::plain(other))),
    }
}

fn unknown(entity: Entity, name: &str) -> QueryError {
    QueryError::wrong(check::not_queryable(entity.table(), name))
}

fn named(entity: Entity, name: &str) -> Checked<Selected> {
    if name.len() > LONGEST {
        return Err(QueryError::wrong(format!(
            "Projected field name '{}' exceeds current maximum length of {LONGEST} characters",
            name.len()
        )));
    }
    let (top, path) = fields::parse(name)?;
    let field = entity.field(top).filter(|field| field.is_shown || field.is_queryable);
    let field = field.ok_or_else(|| unknown(entity, name))?;
    if path.is_empty() {
        return Ok(Selected::Field(field));
    }
    match field.type_ {
        Type::Facts | Type::Parameters => Ok(Selected::Path(field, path, name.to_owned())),
        _ => Err(unknown(entity, name)),
    }
}

/// Reads `["function", name, field, format]`.
fn call(entity: Entity, parts: &[Value]) -> Checked<Selected> {
    let function = parts.get(1).and_then(Value::as_str).unwrap_or_default();
    let wrong = |words: String| Err(QueryError::wrong(words));
    let Some(name) = FunctionName::named(function) else {
        return wrong(format!("{} is not a valid function", show::value(&Value::from(function))));
    };
    let arguments = &parts[2..];
    let is_allowed = match name {
        FunctionName::Count => arguments.len() <= 1,
        FunctionName::ToString => arguments.len() == 2,
        _ => arguments.len() == 1,
    };
    if !is_allowed {
        let n_arguments = arguments.len();
        return wrong(format!(
            "wrong number of arguments ({n_arguments}) provided for function {function}"
        ));
    }
    let field = match arguments.first() {
        None => None,
        Some(Value::String(argument)) => Some(Box::new(named(entity, argument)?)),
        Some(other) => return Err(unknown(entity, &show::plain(other))),
    };
    let format = match arguments.get(1) {
        None => None,
        Some(Value::String(format)) => Some(format.clone()),
        Some(other) => {
            return wrong(format!("the format {} of to_string is no text", show::value(other)));
        }
    };
    let function = Function { name, field, format };
    check_types(&function)?;
    Ok(Selected::Function(function))
}

fn check_types(function: &Function) -> Checked<()> {
    let Some(argument) = function.field.as_deref() else { return Ok(()) };
    let type_ = match argument {
        Selected::Field(field) => field.type_,
        Selected::Path(..) => Type::Value,
        Selected::Function(_) => Type::Document,
    };
    let is_allowed = match function.name {
        FunctionName::Count => type_ != Type::Document,
        FunctionName::Avg | FunctionName::Sum => matches!(type_, Type::Int | Type::Value),
        FunctionName::Min | FunctionName::Max => {
            matches!(type_, Type::Int | Type::Value | Type::Text | Type::Timestamp)
        }
        FunctionName::ToString => type_ == Type::Timestamp,
        FunctionName::JsonType => matches!(type_, Type::Value | Type::Facts | Type::Parameters),
    };
    let kind = match function.name {
        FunctionName::ToString => "a timestamp",
        FunctionName::JsonType => "a JSON value",
        _ => "a numeric type",
    };
    match is_allowed {
        true => Ok(()),
        false => Err(QueryError::wrong(format!("field \"{}\" must be {kind}", argument.name()))),
    }
}

/// Reads `["group_by", column…]`.
pub(super) fn group(entity: Entity, clause: &Value) -> Checked<Vec<Selected>> {
    let columns = clause.as_array().map(|parts| &parts[1..]).unwrap_or_default();
    if columns.is_empty() {
        return Err(QueryError::wrong(
            "'group_by' takes at least one argument, but none were supplied",
        ));
    }
    let read = |column: &Value| match column {
        Value::String(name) => named(entity, name).map_err(|_| {
            let name = show::value(column);
            QueryError::wrong(format!("{name} is niether a valid column name nor function name"))
        }),
        other => one(entity, other),
    };
    let groups: Vec<Selected> = columns.iter().map(read).collect::<Checked<_>>()?;
    let is_document = |column: &&Selected| match column {
        Selected::Field(field) => {
            matches!(field.type_, Type::Document | Type::Expanded | Type::Compressed)
        }
        Selected::Path(..) | Selected::Function(_) => false,
    };
    match groups.iter().find(is_document) {
        None => Ok(groups),
        Some(column) => Err(QueryError::wrong(format!(
            "field \"{}\" can't be used in 'group_by'",
            column.name()
        ))),
    }
}

fn is_aggregate(column: &Selected) -> bool {
    match column {
        Selected::Function(function) => function.name.is_aggregate(),
        Selected::Field(_) | Selected::Path(..) => false,
    }
}

/// Returns whether an answer has groups of rows.
pub(super) fn has_groups(select: &Select) -> bool {
    !select.group_by.is_empty() || select.columns.iter().any(is_aggregate)
}

/// Checks that columns beside a function are grouped.
pub(super) fn check_groups(select: &Select) -> Checked<()> {
    let is_grouped = has_groups(select);
    let single = |column: &&Selected| !is_aggregate(column) && !select.group_by.contains(column);
    let all;
    let columns = match select.columns.is_empty() {
        false => &select.columns,
        true => {
            all = select.entity.table().shown().map(Selected::Field).collect::<Vec<_>>();
            &all
        }
    };
    match columns.iter().find(single).filter(|_| is_grouped) {
        None => Ok(()),
        Some(column) => Err(QueryError::wrong(format!(
            "field \"{}\" must appear in 'group_by' or be used in a function",
            column.name()
        ))),
    }
}
