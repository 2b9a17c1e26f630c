//! Functions and collations that queries need in SQLite. PostgreSQL has all of them.

mod jsonb;
pub(super) mod regexp;
mod to_char;

use std::cmp::Ordering;
use std::sync::Arc;

use regex::Regex;
use rusqlite::functions::{Context, FunctionFlags};
use rusqlite::types::{Value as Sql, ValueRef};
use rusqlite::{Connection, Error};
use serde_json::Value;

use crate::{json, time};

type Answer<T> = rusqlite::Result<Option<T>>;
type Cached<T> = Result<T, Box<dyn std::error::Error + Send + Sync + 'static>>;

/// Registers functions and collations on a connection.
pub(crate) fn register(connection: &Connection) -> rusqlite::Result<()> {
    let flags = FunctionFlags::SQLITE_UTF8 | FunctionFlags::SQLITE_DETERMINISTIC;
    connection.create_scalar_function("regexp", 2, flags, regexp)?;
    connection.create_scalar_function("to_char", 2, flags, to_char)?;
    connection.create_scalar_function("time_text", 1, flags, time_text)?;
    connection.create_scalar_function("json_at", 2, flags, json_at)?;
    connection.create_scalar_function("json_contains", 2, flags, json_contains)?;
    connection.create_scalar_function("json_in", 2, flags, json_in)?;
    connection.create_scalar_function("json_text", 1, flags, json_text)?;
    connection.create_scalar_function("json_kind", 1, flags, json_kind)?;
    connection.create_scalar_function("json_number", 1, flags, json_number)?;
    connection.create_scalar_function("path_matches", 2, flags, path_matches)?;
    connection.create_scalar_function("encoded_path", 1, flags, encoded_path)?;
    connection
        .create_collation("JSONB", |one, other| jsonb::compare(&parsed(one), &parsed(other)))?;
    connection.create_collation("PLACES", |one, other| places(&parsed(one), &parsed(other)))?;
    Ok(())
}

fn parsed(text: &str) -> Value {
    serde_json::from_str(text).unwrap_or(Value::Null)
}

/// Returns the text of an argument, unless it is null.
fn text<'a>(ctx: &'a Context<'_>, at: usize) -> Answer<&'a str> {
    match ctx.get_raw(at) {
        ValueRef::Text(bytes) => Ok(std::str::from_utf8(bytes).ok()),
        _ => Ok(None),
    }
}

/// Returns the JSON of an argument, unless it is null.
fn document(ctx: &Context<'_>, at: usize) -> Answer<Value> {
    Ok(text(ctx, at)?.map(parsed))
}

/// Returns the JSON of an argument that is the same for all rows.
fn constant(ctx: &Context<'_>, at: usize) -> rusqlite::Result<Arc<Value>> {
    let at_index = i32::try_from(at).unwrap_or_default();
    ctx.get_or_create_aux(at_index, |value| -> Cached<Value> { Ok(parsed(value.as_str()?)) })
}

fn failed(words: String) -> Error {
    Error::UserFunctionError(words.into())
}

fn regexp(ctx: &Context<'_>) -> Answer<bool> {
    let pattern: Arc<Regex> = ctx.get_or_create_aux(0, |value| -> Cached<Regex> {
        Ok(regexp::compile(value.as_str()?).map_err(|error| failed(error.to_string()))?)
    })?;
    Ok(text(ctx, 1)?.map(|text| pattern.is_match(text)))
}

fn to_char(ctx: &Context<'_>) -> Answer<String> {
    let ValueRef::Integer(milliseconds) = ctx.get_raw(0) else { return Ok(None) };
    Ok(text(ctx, 1)?.map(|format| to_char::written(milliseconds, format)))
}

/// `time_text(milliseconds)`: a time as PostgreSQL writes it into JSON.
fn time_text(ctx: &Context<'_>) -> Answer<String> {
    match ctx.get_raw(0) {
        ValueRef::Integer(milliseconds) => Ok(Some(time::within_json(milliseconds))),
        _ => Ok(None),
    }
}

/// `json_at(document, path)`: the value at a path of names and positions.
fn json_at(ctx: &Context<'_>) -> Answer<String> {
    let Some(document) = document(ctx, 0)? else { return Ok(None) };
    let path = constant(ctx, 1)?;
    let mut place = Some(&document);
    for part in path.as_array().map(Vec::as_slice).unwrap_or_default() {
        place = place.and_then(|value| match part {
            Value::String(name) => value.as_object()?.get(name.as_str()),
            part => value.as_array()?.get(usize::try_from(part.as_u64()?).ok()?),
        });
    }
    Ok(place.map(json::text))
}

fn json_contains(ctx: &Context<'_>) -> Answer<bool> {
    let Some(document) = document(ctx, 0)? else { return Ok(None) };
    Ok(Some(jsonb::contains(&document, &*constant(ctx, 1)?)))
}

fn json_in(ctx: &Context<'_>) -> Answer<bool> {
    let Some(document) = document(ctx, 0)? else { return Ok(None) };
    let list = constant(ctx, 1)?;
    let mut values = list.as_array().into_iter().flatten();
    Ok(Some(values.any(|value| jsonb::compare(&document, value) == Ordering::Equal)))
}

/// `json_text(document)`: a text without its quotes; other values as JSON.
fn json_text(ctx: &Context<'_>) -> Answer<String> {
    Ok(document(ctx, 0)?.and_then(|value| match value {
        Value::Null => None,
        Value::String(text) => Some(text),
        other => Some(json::text(&other)),
    }))
}

fn json_kind(ctx: &Context<'_>) -> Answer<&'static str> {
    Ok(document(ctx, 0)?.map(|value| jsonb::kind(&value)))
}

/// `json_number(document)`: a number, or a text that is one.
fn json_number(ctx: &Context<'_>) -> Answer<Sql> {
    let number = document(ctx, 0)?.and_then(|value| match value {
        Value::Number(number) => Some(number.to_string()),
        Value::String(text) => Some(text),
        _ => None,
    });
    Ok(number.and_then(|text| match text.parse::<i64>() {
        Ok(whole) => Some(Sql::Integer(whole)),
        Err(_) => text.parse().ok().filter(|number: &f64| number.is_finite()).map(Sql::Real),
    }))
}

/// `path_matches(path, patterns)`: whether each component matches its regular expression.
fn path_matches(ctx: &Context<'_>) -> Answer<bool> {
    let Some(path) = document(ctx, 0)? else { return Ok(None) };
    let patterns: Arc<Vec<regexp::Component>> =
        ctx.get_or_create_aux(1, |value| -> Cached<Vec<regexp::Component>> {
            let patterns = parsed(value.as_str()?);
            let patterns = patterns.as_array().map(Vec::as_slice).unwrap_or_default();
            let compiled: Result<_, _> = patterns.iter().map(regexp::Component::new).collect();
            Ok(compiled.map_err(|error| failed(error.to_string()))?)
        })?;
    let parts = path.as_array().map(Vec::as_slice).unwrap_or_default();
    let is_match = parts.len() == patterns.len()
        && parts.iter().zip(patterns.iter()).all(|(part, pattern)| pattern.is_match(part));
    Ok(Some(is_match))
}

/// `encoded_path(path)`: the components with `#~` between them, and quotes around names of digits, as PuppetDB keeps them.
fn encoded_path(ctx: &Context<'_>) -> Answer<String> {
    let Some(Value::Array(parts)) = document(ctx, 0)? else { return Ok(None) };
    let is_digits = |name: &str| !name.is_empty() && name.bytes().all(|byte| byte.is_ascii_digit());
    let part = |part: &Value| match part {
        Value::String(name) if is_digits(name) => format!("\"{name}\""),
        other => component(other),
    };
    let parts: Vec<String> = parts.iter().map(part).collect();
    Ok(Some(parts.join("#~")))
}

fn component(part: &Value) -> String {
    part.as_str().map_or_else(|| part.to_string(), str::to_owned)
}

/// Compares arrays by the texts of their components.
fn places(one: &Value, other: &Value) -> Ordering {
    let texts = |value: &Value| -> Vec<String> {
        value.as_array().into_iter().flatten().map(component).collect()
    };
    texts(one).cmp(&texts(other))
}
