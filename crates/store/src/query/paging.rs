//! Order and part of an answer, in parameters and in queries.

use serde_json::Value;

use super::error::{Checked, QueryError};
use super::show;
use super::tree::Paging;

/// Splits what follows the entity of `from` into a query and paging clauses.
pub(super) fn split(clauses: &[Value]) -> Checked<(Option<&Value>, &[Value])> {
    let Some((first, rest)) = clauses.split_first() else { return Ok((None, &[])) };
    let is_paging = rest.iter().all(is_clause);
    match first {
        _ if is_clause(first) && is_paging => Ok((None, clauses)),
        Value::Array(_) if is_paging => Ok((Some(first), rest)),
        _ => Err(QueryError::wrong(
            "Your initial query must be of the form: [\"from\",<entity>,(<optional-query>)]. Check your query and try again.",
        )),
    }
}

fn is_clause(clause: &Value) -> bool {
    let name = clause.get(0).and_then(Value::as_str);
    name.is_some_and(|name| ["limit", "offset", "order_by"].contains(&name))
}

/// Reads `["limit", 1]`, `["offset", 1]` and `["order_by", ["a", ["b", "desc"]]]`.
pub(super) fn of_clauses(clauses: &[Value]) -> Checked<Paging> {
    let one = |name: &str| {
        let mut found =
            clauses.iter().filter(|clause| clause.get(0).is_some_and(|first| first == name));
        match (found.next(), found.next()) {
            (None, _) => Ok(None),
            (Some(_), Some(_)) => {
                Err(QueryError::wrong(format!("Multiple '{name}' clauses are not permitted")))
            }
            (Some(clause), None) => clause.get(1).map(Some).ok_or_else(|| {
                QueryError::wrong(format!("Received '{name}' clause without an argument"))
            }),
        }
    };
    let mut paging = Paging {
        limit: one("limit")?.map(limit).transpose()?,
        offset: one("offset")?.map(offset).transpose()?,
        order: Vec::new(),
    };
    if let Some(order) = one("order_by")? {
        let Value::Array(order) = order else { return Err(wrong_order(order)) };
        paging.order = order.iter().map(clause).collect::<Checked<_>>()?;
    }
    Ok(paging)
}

fn wrong_order(order: &Value) -> QueryError {
    let order = show::value(order);
    QueryError::wrong(format!(
        "Illegal value '{order}' for order_by; expected [\"field\", [\"field\", \"desc\"]]"
    ))
}

fn clause(clause: &Value) -> Checked<(String, bool)> {
    let direction = |text: &Value| match text.as_str().map(str::to_lowercase).as_deref() {
        Some("asc") => Ok(false),
        Some("desc") => Ok(true),
        _ => Err(wrong_order(clause)),
    };
    match clause {
        Value::String(field) => Ok((field.clone(), false)),
        Value::Array(parts) => match parts.as_slice() {
            [Value::String(field)] => Ok((field.clone(), false)),
            [Value::String(field), order] => Ok((field.clone(), direction(order)?)),
            _ => Err(wrong_order(clause)),
        },
        _ => Err(wrong_order(clause)),
    }
}

fn whole(value: &Value) -> Option<i64> {
    match value {
        Value::String(text) => text.parse().ok(),
        other => other.as_i64(),
    }
}

/// Reads a limit.
pub(super) fn limit(value: &Value) -> Checked<i64> {
    whole(value).filter(|limit| *limit > 0).ok_or_else(|| {
        let value = show::plain(value);
        QueryError::wrong(format!(
            "Illegal value '{value}' for :limit; expected a positive non-zero integer."
        ))
    })
}

/// Reads an offset.
pub(super) fn offset(value: &Value) -> Checked<i64> {
    whole(value).filter(|offset| *offset >= 0).ok_or_else(|| {
        let value = show::plain(value);
        QueryError::wrong(format!(
            "Illegal value '{value}' for :offset; expected a non-negative integer."
        ))
    })
}

/// Reads the parameter `order_by`, an array of `{"field": …, "order": …}`.
pub(super) fn order(value: &Value) -> Checked<Vec<(String, bool)>> {
    let wrong = |words: String| Err(QueryError::wrong(words));
    let items = match value {
        Value::Null => return Ok(Vec::new()),
        Value::Array(items) if items.iter().all(Value::is_object) => items,
        other => {
            let other = show::plain(other);
            return wrong(format!(
                "Illegal value '{other}' for :order_by; expected an array of maps."
            ));
        }
    };
    let mut order = Vec::new();
    for item in items {
        let Value::Object(members) = item else { continue };
        let shown = show::value(item);
        if let Some(name) = members.keys().find(|name| *name != "field" && *name != "order") {
            return wrong(format!("Illegal value '{shown}' in :order_by; unknown key '{name}'."));
        }
        let Some(field) = members.get("field") else {
            return wrong(format!(
                "Illegal value '{shown}' in :order_by; missing required key field."
            ));
        };
        let is_descending = match members.get("order").map(show::plain).as_deref() {
            None | Some("nil") => false,
            Some(text) if text.eq_ignore_ascii_case("asc") => false,
            Some(text) if text.eq_ignore_ascii_case("desc") => true,
            Some(_) => {
                return wrong(format!(
                    "Illegal value '{shown}' in :order_by; 'order' must be either 'asc' or 'desc'"
                ));
            }
        };
        order.push((show::plain(field), is_descending));
    }
    Ok(order)
}

/// Checks the names of the fields that order an answer.
pub(super) fn check(paging: &Paging, columns: &[&str]) -> Checked<()> {
    let unknown = paging.order.iter().find(|(name, _)| !columns.contains(&name.as_str()));
    match unknown {
        None => Ok(()),
        Some((name, _)) => Err(QueryError::wrong(format!(
            "Unrecognized column '{name}' specified in :order_by; Supported columns are '{}'",
            columns.join("', '")
        ))),
    }
}
