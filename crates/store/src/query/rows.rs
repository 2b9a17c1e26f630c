//! Rows of an answer as JSON, piece by piece.

use std::io::Read;

use flate2::read::ZlibDecoder;
use serde_json::Value;

use super::answer::{Problem, Receiver};
use super::compiled::{Column, Compiled, Kind, Shape};
use super::error::QueryError;
use super::limits::Limits;
use crate::sql::{Cell, SqlError};
use crate::{json, time};

/// The size from which on a piece is handed over.
const PIECE: usize = 64 << 10;

/// An answer that grows.
pub(super) struct Rows<'a> {
    compiled: &'a Compiled,
    limits: &'a Limits,
    receiver: &'a mut dyn Receiver,
    /// The end of the body, which the receiver does not have yet.
    body: String,
    n_rows: usize,
    /// The number of bytes that the receiver has.
    n_sent: usize,
    is_too_large: bool,
}

impl<'a> Rows<'a> {
    pub(super) fn new(
        compiled: &'a Compiled,
        limits: &'a Limits,
        receiver: &'a mut dyn Receiver,
    ) -> Self {
        let body = String::new();
        Self { compiled, limits, receiver, body, n_rows: 0, n_sent: 0, is_too_large: false }
    }

    /// Appends a row.
    pub(super) fn push(&mut self, cells: &[Cell<'_>]) -> Result<(), SqlError> {
        if self.is_single() && self.n_rows > 0 {
            return Ok(());
        }
        self.separate();
        self.n_rows += 1;
        let start = self.body.len();
        match self.compiled.shape {
            Shape::Values => {
                let names = self.compiled.columns.iter();
                let at = names.enumerate().find(|(_, column)| column.name == "name");
                self.value(cells, at.map_or(0, |(at, _)| at))?;
            }
            Shape::Part => self.value(cells, 0)?,
            Shape::Rows | Shape::Member(..) => self.object(cells)?,
        }
        if self.compiled.is_pretty {
            self.indent(start);
        }
        let Limits { rows, answer_bytes, .. } = *self.limits;
        self.is_too_large = self.n_rows > rows || self.n_sent + self.body.len() > answer_bytes;
        match self.is_too_large {
            true => Err(SqlError::Stopped),
            false if self.body.len() >= PIECE => self.send(),
            false => Ok(()),
        }
    }

    /// Ends the answer after the last row, or after an error.
    pub(super) fn finish(mut self, read: Result<(), SqlError>) -> Result<(), Problem> {
        if self.is_too_large {
            let Limits { rows, answer_bytes, .. } = self.limits;
            return Err(QueryError::TooLarge(format!(
                "the answer has more than {rows} rows or {answer_bytes} bytes; ask for a part with `limit`"
            ))
            .into());
        }
        read?;
        match &self.compiled.shape {
            Shape::Member(kind, name) if self.n_rows == 0 => {
                return Err(QueryError::Unknown(kind, name.clone()).into());
            }
            Shape::Part if self.n_rows == 0 => self.body.push_str("null"),
            Shape::Member(..) | Shape::Part => (),
            Shape::Rows | Shape::Values => {
                self.body.push_str(match (self.n_rows, self.compiled.is_pretty) {
                    (0, _) => "[]",
                    (_, true) => "\n]",
                    (_, false) => "]",
                });
            }
        }
        Ok(self.send()?)
    }

    fn send(&mut self) -> Result<(), SqlError> {
        self.n_sent += self.body.len();
        let piece = std::mem::take(&mut self.body);
        self.receiver.piece(piece).map_err(|_| SqlError::Stopped)
    }

    /// Returns whether the answer is one row and no list.
    fn is_single(&self) -> bool {
        matches!(self.compiled.shape, Shape::Member(..) | Shape::Part)
    }

    /// Writes what is between rows, and before the first one.
    fn separate(&mut self) {
        if self.body.is_empty() && self.n_sent > 0 {
            self.body.reserve(PIECE + PIECE / 2);
        }
        if !self.is_single() {
            self.body.push(if self.n_rows == 0 { '[' } else { ',' });
            if self.compiled.is_pretty {
                self.body.push_str("\n  ");
            }
        }
    }

    /// Indents the row that begins at a place.
    fn indent(&mut self, start: usize) {
        let value: Option<Value> = serde_json::from_str(&self.body[start..]).ok();
        if let Some(pretty) = value.and_then(|value| serde_json::to_string_pretty(&value).ok()) {
            self.body.truncate(start);
            match self.is_single() {
                true => self.body.push_str(&pretty),
                false => self.body.push_str(&pretty.replace('\n', "\n  ")),
            }
        }
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
                match (cell, self.old_events(cells)) {
                    (Cell::Bytes([]), Some(events)) => self.body.push_str(events),
                    _ => self.compressed(cell)?,
                }
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

    /// Returns the events of a report that an earlier version stored; they are in the last column.
    fn old_events<'c>(&self, cells: &'c [Cell<'_>]) -> Option<&'c str> {
        let last = self.compiled.columns.len().checked_sub(1)?;
        let Column { name, kind } = self.compiled.columns.get(last)?;
        let is_of_events = name.is_empty() && *kind == Kind::Json;
        cells.get(last).filter(|_| is_of_events)?.text()
    }

    fn compressed(&mut self, cell: &Cell<'_>) -> Result<(), SqlError> {
        let bytes = match cell {
            Cell::Bytes(bytes) if !bytes.is_empty() => bytes,
            _ => {
                self.body.push_str("null");
                return Ok(());
            }
        };
        let n_bytes = self.n_sent + self.body.len();
        let left = self.limits.answer_bytes.saturating_sub(n_bytes) as u64 + 1;
        ZlibDecoder::new(*bytes).take(left).read_to_string(&mut self.body).map_err(|error| {
            SqlError::Damaged(format!("a part of a report can't be read: {error}"))
        })?;
        Ok(())
    }
}
