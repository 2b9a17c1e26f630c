//! Queries as JSON.

use serde_json::{Deserializer, Value};

use super::error::{Checked, QueryError};
use super::show;

/// Reads the text of a query at an entity; nothing and `null` are no query.
pub(super) fn parse(text: &str) -> Checked<Option<Value>> {
    let mut values = Deserializer::from_str(text).into_iter::<Value>();
    let Some(first) = values.next() else { return Ok(None) };
    let query = first.map_err(|error| unreadable(&error, text))?;
    let mut others = Vec::new();
    for value in values {
        others.push(value.map_err(|error| unreadable(&error, text))?);
    }
    if !others.is_empty() {
        let others: Vec<String> = others.iter().map(show::value).collect();
        return Err(QueryError::wrong(format!(
            "Only one query may be sent in a request. Found JSON ({}) after the query {}",
            others.join(" "),
            show::value(&query)
        )));
    }
    checked(query)
}

/// Returns a query that was part of a body.
pub(super) fn checked(query: Value) -> Checked<Option<Value>> {
    match query {
        Value::Null => Ok(None),
        Value::Array(_) => Ok(Some(query)),
        other => Err(QueryError::wrong(format!(
            "A query is a JSON array such as [\"=\", \"certname\", \"a.example\"], not {}",
            show::value(&other)
        ))),
    }
}

/// Returns the error of a text that is no JSON, with the line and a mark below it.
pub(super) fn unreadable(error: &serde_json::Error, text: &str) -> QueryError {
    let line = text.lines().nth(error.line().saturating_sub(1)).unwrap_or_default();
    let before = " ".repeat(error.column().saturating_sub(2));
    let words = error.to_string();
    let words = words.split(" at line ").next().unwrap_or_default();
    QueryError::wrong(format!(
        "Json parse error at line {}, column {}:\n\n{line}\n{before}^\n\n{words}",
        error.line(),
        error.column()
    ))
}
