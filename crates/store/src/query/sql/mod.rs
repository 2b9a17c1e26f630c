//! Writes a tree as SQL. Values are bound; names of columns come from the tables of entities alone.

mod columns;
mod conditions;
mod joins;
mod json;
mod order;
mod places;

use super::compiled::{Column, Kind, Parameter};
use super::limits::Limits;
use super::tree::{Select, Selected};
use crate::Dialect;

const FROM: &str = " FROM ";

/// SQL that is being written.
pub(super) struct Writer {
    dialect: Dialect,
    inactive_since: i64,
    sql: String,
    parameters: Vec<Parameter>,
}

/// A query as SQL, with and without order and limit.
pub(super) struct Written {
    pub(super) sql: String,
    /// A query with as many rows as there are without a limit.
    pub(super) unpaged: String,
    pub(super) parameters: Vec<Parameter>,
    pub(super) columns: Vec<Column>,
}

/// Writes a query.
pub(super) fn write(select: &Select, dialect: Dialect, limits: &Limits) -> Written {
    let inactive_since = limits.inactive_since;
    let mut writer = Writer { dialect, inactive_since, sql: String::new(), parameters: Vec::new() };
    let (columns, from) = writer.rows(select);
    let tables = select.entity.table().from.of(dialect);
    let unpaged = match writer.is_counted_by_rows(select, from) {
        true => {
            let found = &writer.sql[from + FROM.len() + tables.len()..];
            format!("SELECT 1{FROM}{}{found}", joins::needed(tables, found))
        }
        false => writer.sql.clone(),
    };
    match select.entity.table().key {
        Some(key) if select.paging.limit.is_some() && select.group_by.is_empty() => {
            writer.page_of_keys(select, key, from);
        }
        _ => writer.paging(select),
    }
    writer.leave_out_joins(tables, 0, from);
    Written { sql: writer.sql, unpaged, parameters: writer.parameters, columns }
}

impl Writer {
    fn push(&mut self, text: &str) {
        self.sql.push_str(text);
    }

    /// Binds a value, and writes its placeholder.
    fn bind(&mut self, value: Parameter) {
        let cast = match value {
            Parameter::Null => "",
            Parameter::Bool(_) => "::boolean",
            Parameter::Int(_) => "::bigint",
            Parameter::Real(_) => "::float8",
            Parameter::Text(_) => "::text",
        };
        self.bind_as(value, cast);
    }

    /// Binds a value with a cast for PostgreSQL.
    fn bind_as(&mut self, value: Parameter, cast: &str) {
        self.parameters.push(value);
        let place = format!("?{}", self.parameters.len());
        self.push(&place);
        if self.dialect == Dialect::PostgreSql {
            self.push(cast);
        }
    }

    fn bind_text(&mut self, text: impl Into<String>) {
        self.bind(Parameter::Text(text.into()));
    }

    fn is_sqlite(&self) -> bool {
        self.dialect == Dialect::Sqlite
    }

    /// Returns whether the number of rows does not depend on the columns, which have no parameters either.
    fn is_counted_by_rows(&self, select: &Select, from: usize) -> bool {
        let is_field = |column: &Selected| matches!(column, Selected::Field(_));
        select.group_by.is_empty()
            && select.columns.iter().all(is_field)
            && !self.sql[..from].contains('?')
    }

    /// Leaves out the joins of a query if nothing needs them between its columns and the end. `begin` is the place of its
    /// columns, `from` that of its `FROM`.
    fn leave_out_joins(&mut self, tables: &str, begin: usize, from: usize) {
        let start = from + FROM.len();
        let others = format!("{} {}", &self.sql[begin..from], &self.sql[start + tables.len()..]);
        let needed = joins::needed(tables, &others);
        self.sql.replace_range(start..start + tables.len(), &needed);
    }

    /// Restricts a query to the rows of its page, which are found first: a database that sorts whole rows makes the
    /// documents of all of them. `from` is the place of `FROM` in the query.
    fn page_of_keys(&mut self, select: &Select, key: &str, from: usize) {
        let tables = select.entity.table().from.of(self.dialect);
        let found = self.sql.split_off(from);
        self.push(&format!("{FROM}{tables} WHERE ({key}) IN (SELECT {key}"));
        let inner = self.sql.len();
        self.push(&found);
        self.paging(select);
        self.leave_out_joins(tables, inner, inner);
        self.push(")");
        self.order(select);
    }

    /// Writes `SELECT` to `GROUP BY`; returns the columns and the place of `FROM`.
    fn rows(&mut self, select: &Select) -> (Vec<Column>, usize) {
        let table = select.entity.table();
        self.push("SELECT ");
        let all: Vec<Selected>;
        let columns = match select.columns.is_empty() {
            true => {
                all = table.shown().map(Selected::Field).collect();
                &all
            }
            false => &select.columns,
        };
        let shown = self.columns(columns);
        let from = self.sql.len();
        self.push(FROM);
        self.push(table.from.of(self.dialect));
        self.push(" WHERE ");
        if let Some((start, end)) = select.distinct {
            self.last_events(start, end);
            self.push(" AND ");
        }
        match &select.condition {
            Some(condition) => self.condition(condition),
            None => self.push("TRUE"),
        }
        for (n, column) in select.group_by.iter().enumerate() {
            self.push(if n == 0 { " GROUP BY " } else { ", " });
            match columns.iter().position(|shown| shown == column) {
                Some(at) => {
                    let is_json = shown[at].kind == Kind::Json && self.is_sqlite();
                    self.push(&columns::alias(at));
                    self.push(if is_json { " COLLATE JSONB" } else { "" });
                }
                None => {
                    self.expression(column);
                }
            }
        }
        (shown, from)
    }

    /// Writes that an event is the last one of its resource within a time.
    fn last_events(&mut self, start: i64, end: i64) {
        self.push(
            "e.timestamp = (SELECT max(x.timestamp) FROM events x WHERE x.node_id = e.node_id \
            AND x.resource_type = e.resource_type AND x.resource_title = e.resource_title \
            AND x.property IS NOT DISTINCT FROM e.property AND x.name IS NOT DISTINCT FROM e.name \
            AND x.timestamp >= ",
        );
        self.bind(Parameter::Int(start));
        self.push(" AND x.timestamp <= ");
        self.bind(Parameter::Int(end));
        self.push(")");
    }

    /// Writes a query that has its order and limit.
    fn subquery(&mut self, select: &Select) {
        self.rows(select);
        self.paging(select);
    }
}
