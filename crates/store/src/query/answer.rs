//! Answers a request from the store.

use std::io::Read;

use flate2::read::ZlibDecoder;
use serde_json::Value;

use super::compiled::{Column, Compiled, Kind, Parameter, Shape};
use super::error::{Checked, QueryError};
use super::limits::Limits;
use super::request::Request;
use crate::sql::{Cell, Sql, SqlError};
use crate::{Store, json, time};

/// The answer to a request.
#[derive(Clone, Debug)]
pub struct Answer {
    /// JSON.
    pub body: String,
    /// The number of all rows, if it is wanted; PuppetDB sends it as `X-Records`.
    pub total: Option<i64>,
}

/// An answer that grows.
struct Rows<'a> {
    compiled: &'a Compiled,
    body: String,
    n_rows: usize,
    limits: &'a Limits,
}

impl Store {
    /// Answers a request.
    pub fn answer(&self, request: &Request, limits: &Limits) -> Checked<Answer> {
        let read = self.engine.read(Some(limits.time), |sql| Ok(answer(sql, request, limits)));
        match read {
            Ok(Ok(answer)) => Ok(answer),
            Ok(Err(Problem::Query(error))) => Err(error),
            Ok(Err(Problem::Sql(error))) | Err(error) => Err(self.explained(error, limits)),
        }
    }

    fn explained(&self, error: SqlError, limits: &Limits) -> QueryError {
        let words = error.to_string();
        if let Some(at) = words.find("ERROR: invalid regular expression") {
            return QueryError::wrong(&words[at..]);
        }
        if error.is_late() {
            let seconds = limits.time.as_secs();
            return QueryError::TooLarge(format!("the query takes longer than {seconds} seconds"));
        }
        if error.is_too_large() {
            return QueryError::TooLarge(format!("the query is too large: {words}"));
        }
        if error.is_wrong_value() {
            return QueryError::wrong(words);
        }
        QueryError::Store(self.failed("read", error))
    }
}

enum Problem {
    Query(QueryError),
    Sql(SqlError),
}

impl From<QueryError> for Problem {
    fn from(error: QueryError) -> Self {
        Self::Query(error)
    }
}

impl From<SqlError> for Problem {
    fn from(error: SqlError) -> Self {
        Self::Sql(error)
    }
}

fn answer(sql: &mut dyn Sql, request: &Request, limits: &Limits) -> Result<Answer, Problem> {
    if let Some((parent, error)) = request.parent() {
        let mut is_known = false;
        each(sql, &parent.sql, &parent.parameters, &mut |_| {
            is_known = true;
            Ok(())
        })?;
        if !is_known {
            return Err(error.into());
        }
    }
    let compiled = request.compile(sql.dialect(), limits)?;
    if let Some(query) = request.only_parsed() {
        return Ok(Answer { body: query.to_string(), total: None });
    }
    let mut total = None;
    if let Some(statement) = &compiled.total {
        each(sql, statement, &compiled.parameters, &mut |cells| {
            total = cells.first().and_then(|cell| cell.int());
            Ok(())
        })?;
    }
    let body = rows(sql, &compiled, limits)?;
    let is_pretty = compiled.is_pretty;
    let body = if is_pretty { indented(&body) } else { body };
    Ok(Answer { body, total })
}

fn indented(body: &str) -> String {
    let value: Option<Value> = serde_json::from_str(body).ok();
    let pretty = value.and_then(|value| serde_json::to_string_pretty(&value).ok());
    pretty.unwrap_or_else(|| body.to_owned())
}

fn each(
    sql: &mut dyn Sql,
    statement: &str,
    parameters: &[Parameter],
    row: &mut dyn FnMut(&[Cell<'_>]) -> Result<(), SqlError>,
) -> Result<(), SqlError> {
    let cells: Vec<Cell<'_>> = parameters
        .iter()
        .map(|parameter| match parameter {
            Parameter::Null => Cell::Null,
            Parameter::Bool(flag) => Cell::Bool(*flag),
            Parameter::Int(number) => Cell::Int(*number),
            Parameter::Real(number) => Cell::Real(*number),
            Parameter::Text(text) => Cell::Text(text),
        })
        .collect();
    sql.each(statement, &cells, row)
}

fn rows(sql: &mut dyn Sql, compiled: &Compiled, limits: &Limits) -> Result<String, Problem> {
    let mut rows = Rows { compiled, body: String::new(), n_rows: 0, limits };
    let mut is_too_large = false;
    let result = each(sql, &compiled.sql, &compiled.parameters, &mut |cells| {
        is_too_large = !rows.push(cells)?;
        match is_too_large {
            true => Err(SqlError::Damaged(String::new())),
            false => Ok(()),
        }
    });
    if is_too_large {
        let Limits { rows, answer_bytes, .. } = limits;
        return Err(QueryError::TooLarge(format!(
            "the answer has more than {rows} rows or {answer_bytes} bytes; ask for a part with `limit`"
        ))
        .into());
    }
    result?;
    Ok(rows.finished()?)
}

impl Rows<'_> {
    /// Appends a row; returns whether the answer is within its limits.
    fn push(&mut self, cells: &[Cell<'_>]) -> Result<bool, SqlError> {
        let is_single = matches!(self.compiled.shape, Shape::Member(..) | Shape::Part);
        if is_single && self.n_rows > 0 {
            return Ok(true);
        }
        if self.n_rows > 0 {
            self.body.push(',');
        }
        self.n_rows += 1;
        match self.compiled.shape {
            Shape::Values => {
                let names = self.compiled.columns.iter();
                let at = names.enumerate().find(|(_, column)| column.name == "name");
                self.value(cells, at.map_or(0, |(at, _)| at))?;
            }
            Shape::Part => self.value(cells, 0)?,
            Shape::Rows | Shape::Member(..) => self.object(cells)?,
        }
        Ok(self.n_rows <= self.limits.rows && self.body.len() <= self.limits.answer_bytes)
    }

    fn object(&mut self, cells: &[Cell<'_>]) -> Result<(), SqlError> {
        self.body.push('{');
        let shown =
            self.compiled.columns.iter().enumerate().filter(|(_, column)| !column.name.is_empty());
        for (n, (at, column)) in shown.enumerate() {
            if n > 0 {
                self.body.push(',');
            }
            json::string(&column.name, &mut self.body);
            self.body.push(':');
            self.value(cells, at)?;
        }
        self.body.push('}');
        Ok(())
    }

    fn value(&mut self, cells: &[Cell<'_>], at: usize) -> Result<(), SqlError> {
        let columns = &self.compiled.columns;
        let (Some(cell), Some(Column { kind, .. })) = (cells.get(at), columns.get(at)) else {
            return Ok(());
        };
        match (kind, cell) {
            (Kind::Expanded, cell) => {
                // Addresses follow the columns, in their order.
                let before =
                    columns[..at].iter().filter(|column| column.kind == Kind::Expanded).count();
                let first = columns.iter().position(|column| column.name.is_empty());
                let href = first.and_then(|first| cells.get(first + before)).and_then(Cell::text);
                self.body.push_str("{\"href\":");
                json::string(href.unwrap_or_default(), &mut self.body);
                self.body.push_str(",\"data\":");
                self.compressed(cell)?;
                self.body.push('}');
            }
            (Kind::Compressed, cell) => self.compressed(cell)?,
            (_, Cell::Null) => self.body.push_str("null"),
            (Kind::Timestamp, Cell::Int(milliseconds)) => {
                json::string(&time::written(*milliseconds), &mut self.body);
            }
            (Kind::Bool, Cell::Int(number)) => {
                self.body.push_str(if *number == 0 { "false" } else { "true" });
            }
            (Kind::Json, Cell::Text(text) | Cell::Json(text)) => self.body.push_str(text),
            (_, Cell::Text(text) | Cell::Json(text)) => json::string(text, &mut self.body),
            (_, Cell::Bool(flag)) => self.body.push_str(if *flag { "true" } else { "false" }),
            (_, Cell::Int(number)) => self.body.push_str(&number.to_string()),
            (_, Cell::Real(number)) => self.body.push_str(&Value::from(*number).to_string()),
            (_, Cell::Bytes(_)) => self.body.push_str("null"),
        }
        Ok(())
    }

    fn compressed(&mut self, cell: &Cell<'_>) -> Result<(), SqlError> {
        let Cell::Bytes(bytes) = cell else {
            self.body.push_str("null");
            return Ok(());
        };
        let left = self.limits.answer_bytes.saturating_sub(self.body.len()) as u64 + 1;
        ZlibDecoder::new(*bytes).take(left).read_to_string(&mut self.body).map_err(|error| {
            SqlError::Damaged(format!("a part of a report can't be read: {error}"))
        })?;
        Ok(())
    }

    fn finished(self) -> Checked<String> {
        match &self.compiled.shape {
            Shape::Rows | Shape::Values => Ok(format!("[{}]", self.body)),
            Shape::Member(kind, name) if self.n_rows == 0 => {
                Err(QueryError::Unknown(kind, name.clone()))
            }
            Shape::Part if self.n_rows == 0 => Ok("null".to_owned()),
            Shape::Member(..) | Shape::Part => Ok(self.body),
        }
    }
}
