//! Reads a query, whose names of fields were checked, into the tree.

mod columns;
mod comparison;
mod lists;

use serde_json::Value;

use super::check;
use super::entities::{Entity, Field, Type};
use super::error::{Checked, QueryError};
use super::paging;
use super::show;
use super::tree::{Condition, NodeState, Paging, Select};

/// Operators with a field and a value.
const BINARY: [&str; 7] = ["=", ">", "<", ">=", "<=", "~", "~>"];

/// Reads the query of an entity.
pub(super) fn select(entity: Entity, query: Option<&Value>) -> Checked<Select> {
    let mut select = Select {
        entity,
        columns: Vec::new(),
        condition: None,
        group_by: Vec::new(),
        paging: Paging::default(),
        distinct: None,
    };
    let Some(query) = query else { return Ok(select) };
    check::names(entity, query)?;
    fill(&mut select, query)?;
    columns::check_groups(&select)?;
    Ok(select)
}

/// Checks that fields that order groups are grouped.
pub(super) fn check_order(select: &Select) -> Checked<()> {
    let is_grouped = |name: &str| select.group_by.iter().any(|column| column.name() == name);
    let mut names = select.paging.order.iter().map(|(name, _)| name);
    match names.find(|name| columns::has_groups(select) && !is_grouped(name)) {
        None => Ok(()),
        Some(name) => Err(QueryError::wrong(format!(
            "field \"{name}\" must appear in 'group_by' to order groups"
        ))),
    }
}

/// Reads what stands behind the entity: `extract` or a condition.
fn fill(select: &mut Select, query: &Value) -> Checked<()> {
    let (operator, parts) = parts_of(query)?;
    if operator != "extract" {
        select.condition = condition(select.entity, query)?;
        return Ok(());
    }
    let Some((columns, clauses)) = parts.split_first() else {
        return Err(not_well_formed(query));
    };
    select.columns = columns::read(select.entity, columns)?;
    let (condition_clause, group) = match clauses {
        [] => (None, None),
        [Value::Null] => (None, None),
        [only] if is_group(only) => (None, Some(only)),
        [only] => (Some(only), None),
        [first, group] if is_group(group) => (Some(first), Some(group)),
        _ => return Err(not_well_formed(query)),
    };
    if let Some(clause) = condition_clause {
        select.condition = condition(select.entity, clause)?;
    }
    if let Some(group) = group {
        select.group_by = columns::group(select.entity, group)?;
    }
    Ok(())
}

fn is_group(clause: &Value) -> bool {
    clause.get(0).and_then(Value::as_str).is_some_and(|name| name.eq_ignore_ascii_case("group_by"))
}

/// Splits a node of a query into its operator, in lower case, and the rest.
fn parts_of(node: &Value) -> Checked<(String, &[Value])> {
    match node {
        Value::Array(parts) => match parts.split_first() {
            Some((Value::String(operator), rest)) => Ok((operator.to_lowercase(), rest)),
            Some(_) => Err(not_well_formed(node)),
            None => Ok((String::new(), &[])),
        },
        _ => Err(not_well_formed(node)),
    }
}

fn not_well_formed(node: &Value) -> QueryError {
    let operator = node.get(0).and_then(Value::as_str).unwrap_or_default();
    QueryError::wrong(format!(
        "{} is not well-formed: query operator '{operator}' is unknown or has the wrong arguments",
        show::value(node)
    ))
}

/// Reads a condition; nothing is one that every row satisfies.
pub(super) fn condition(entity: Entity, node: &Value) -> Checked<Option<Condition>> {
    let (operator, parts) = parts_of(node)?;
    match operator.as_str() {
        "" => Ok(None),
        "and" => Ok(several(entity, "and", parts)?.map(Condition::All)),
        "or" => Ok(several(entity, "or", parts)?.map(Condition::Any)),
        "not" => {
            let [only] = parts else {
                return Err(QueryError::wrong(format!(
                    "'not' takes exactly one argument, but {} were supplied",
                    parts.len()
                )));
            };
            Ok(condition(entity, only)?.map(|inner| Condition::Not(Box::new(inner))))
        }
        "in" => lists::read(entity, node, parts).map(Some),
        "subquery" => subquery(entity, node, parts).map(Some),
        "null?" => null(entity, node, parts).map(Some),
        name if BINARY.contains(&name) => comparison::read(entity, name, node, parts),
        _ => Err(not_well_formed(node)),
    }
}

fn several(entity: Entity, name: &str, clauses: &[Value]) -> Checked<Option<Vec<Condition>>> {
    if clauses.is_empty() {
        let words = format!("'{name}' takes at least one argument, but none were supplied");
        return Err(QueryError::wrong(words));
    }
    let is_empty = |clause: &Value| clause.as_array().is_some_and(Vec::is_empty);
    if clauses.iter().any(is_empty) {
        let words = "[] is not well-formed: queries must contain at least one operator";
        return Err(QueryError::wrong(words));
    }
    let mut conditions = Vec::new();
    for clause in clauses {
        conditions.extend(condition(entity, clause)?);
    }
    Ok((!conditions.is_empty()).then_some(conditions))
}

/// Reads `["subquery", entity, condition]` by the implicit relation of two entities.
fn subquery(entity: Entity, node: &Value, parts: &[Value]) -> Checked<Condition> {
    let (Some(Value::String(name)), Some(inner)) = (parts.first(), parts.get(1)) else {
        return Err(not_well_formed(node));
    };
    let relation = entity.table().relations.iter().find(|(related, ..)| related == name);
    let related = relation.zip(Entity::named(name));
    let Some((&(_, own, other), related)) = related.filter(|_| !name.contains('-')) else {
        let words = format!("No implicit relationship for entity '{name}'");
        return Err(QueryError::wrong(words));
    };
    check::names(related, inner)?;
    let fields = own.iter().map(|name| required(entity, name)).collect::<Checked<_>>()?;
    let columns =
        other.iter().map(|name| required(related, name).map(super::tree::Selected::Field));
    let select = Select {
        entity: related,
        columns: columns.collect::<Checked<_>>()?,
        condition: condition(related, inner)?,
        group_by: Vec::new(),
        paging: Paging::default(),
        distinct: None,
    };
    Ok(Condition::InSelect(fields, Box::new(select)))
}

/// Reads `["null?", field, true]`.
fn null(entity: Entity, node: &Value, parts: &[Value]) -> Checked<Condition> {
    let [Value::String(name), flag] = parts else { return Err(not_well_formed(node)) };
    let is_null = !matches!(flag, Value::Null | Value::Bool(false));
    comparison::null(entity, name, is_null)
}

/// Returns the field of a name.
fn required(entity: Entity, name: &str) -> Checked<&'static Field> {
    entity
        .field(name)
        .filter(|field| field.is_queryable)
        .ok_or_else(|| QueryError::wrong(check::not_queryable(entity.table(), name)))
}

/// Reads the state of nodes.
fn node_state(entity: Entity, state: &Value) -> Checked<Option<Condition>> {
    if !entity.table().has_nodes {
        let words = check::not_queryable(entity.table(), "node_state");
        return Err(QueryError::wrong(words));
    }
    match show::plain(state).to_lowercase().as_str() {
        "active" => Ok(Some(Condition::Node(NodeState::Active))),
        "inactive" => Ok(Some(Condition::Node(NodeState::Inactive))),
        "any" => Ok(None),
        other => Err(QueryError::wrong(format!(
            "No matching clause: {other}; node_state is active, inactive or any"
        ))),
    }
}

/// Reads `["from", entity, query, paging…]`, or `["select_entity", query]` below `extract`.
fn from(node: &Value) -> Checked<Select> {
    let (operator, parts) = parts_of(node)?;
    match (operator.as_str(), parts) {
        ("from", [Value::String(name), clauses @ ..]) => {
            let entity = Entity::named(name).filter(|entity| *entity != Entity::FactNames);
            let entity = entity
                .ok_or_else(|| QueryError::wrong(format!("Invalid entity '{name}' in query")))?;
            let (query, paging) = paging::split(clauses)?;
            let mut inner = select(entity, query)?;
            inner.paging = paging::of_clauses(paging)?;
            paging::check(&inner.paging, &entity.table().orderable())?;
            Ok(inner)
        }
        ("extract", [columns, inner]) => {
            let (name, query) = parts_of(inner)?;
            let entity = check::selected(&name).ok_or_else(|| not_well_formed(inner))?;
            let mut found = Select {
                entity,
                columns: columns::read(entity, columns)?,
                condition: None,
                group_by: Vec::new(),
                paging: Paging::default(),
                distinct: None,
            };
            if let Some(query) = query.first() {
                found.condition = condition(entity, query)?;
            }
            Ok(found)
        }
        _ => Err(not_well_formed(node)),
    }
}

/// Returns whether a type is that of one value that SQL compares.
fn is_plain(type_: Type) -> bool {
    matches!(type_, Type::Text | Type::Int | Type::Bool | Type::Timestamp)
}
