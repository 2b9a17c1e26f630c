//! Questions of the page to the store, in the language of queries that tools use.

use kukla_store::query::{Limits, QueryError, Request};
use kukla_store::time;
use serde_json::{Map, Value};

use crate::agents::exchange::RouteError;
use crate::agents::pdb;
use crate::agents::server::AgentServer;

/// A row of an answer.
pub(super) type Row = Map<String, Value>;

/// Returns all rows that a query has for an entity.
pub(super) fn rows(
    server: &AgentServer,
    entity: &str,
    query: &Value,
) -> Result<Vec<Row>, RouteError> {
    let records = pdb::records(server)?;
    let limits = Limits { answer_bytes: MOST_BYTES, ..pdb::limits(records) };
    let parameters = [("query".to_owned(), query.to_string())];
    let request = Request::get(&[entity], &parameters, &limits);
    let answer = request.and_then(|request| records.store.answer(&request, &limits));
    let body = answer.map_err(|error| failed(&error))?.body;
    serde_json::from_str(&body).map_err(|error| RouteError::Failed(error.to_string()))
}

/// The most bytes of an answer: the page shows no more of a fleet.
const MOST_BYTES: usize = 64 << 20;

fn failed(error: &QueryError) -> RouteError {
    let (_, words) = error.body();
    RouteError::Failed(words)
}

/// Returns a text of a row.
pub(super) fn text<'a>(row: &'a Row, name: &str) -> Option<&'a str> {
    row.get(name).and_then(Value::as_str)
}

/// Returns a flag of a row.
pub(super) fn flag(row: &Row, name: &str) -> bool {
    row.get(name).and_then(Value::as_bool).unwrap_or(false)
}

/// Returns a time of a row.
pub(super) fn moment(row: &Row, name: &str) -> Option<i64> {
    time::read(text(row, name)?)
}
