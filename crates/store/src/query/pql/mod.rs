//! PQL, read into the same JSON as AST: `nodes[certname] { facts_environment = "production" }`.
//!
//! As in PuppetDB's grammar, words are not reserved and blanks matter, so the text is read without tokens: each part is
//! tried where it may stand, and an error is reported at the furthest place that was reached.

mod clauses;
mod cursor;
mod expression;
mod value;

use serde_json::Value;

use super::error::{Checked, QueryError};
use super::json;
use cursor::Cursor;

/// Parses PQL to an AST.
pub fn parse(text: &str) -> Checked<Value> {
    let mut cursor = Cursor::new(text);
    cursor.blanks();
    let query = clauses::from(&mut cursor);
    if !cursor.rest().trim_start().is_empty() {
        cursor.expect("the end of the query");
    }
    cursor.blanks();
    if let Some(words) = cursor.fault() {
        return Err(QueryError::wrong(words));
    }
    match query.filter(|_| cursor.rest().is_empty()) {
        Some(query) => Ok(query),
        None => Err(QueryError::wrong(cursor.words())),
    }
}

/// Parses a query of the root: JSON if it begins with a bracket, and PQL otherwise.
pub(super) fn either(text: &str) -> Checked<Option<Value>> {
    match text.trim_start().starts_with('[') {
        true => json::parse(text),
        false => parse(text).map(Some),
    }
}
