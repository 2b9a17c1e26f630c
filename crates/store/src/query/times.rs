//! Times in queries.

use serde_json::Value;

use super::error::{Checked, QueryError};
use super::show;
use crate::time;

/// Reads a time: a text of ISO 8601, or milliseconds since 1970.
pub(super) fn read(value: &Value) -> Option<i64> {
    match value {
        Value::String(text) => time::read(text),
        other => other.as_i64(),
    }
}

/// Like [`read`], but what is no time is an error.
pub(super) fn required(value: &Value) -> Checked<i64> {
    read(value).ok_or_else(|| {
        QueryError::wrong(format!("'{}' is not a valid timestamp value", show::plain(value)))
    })
}
