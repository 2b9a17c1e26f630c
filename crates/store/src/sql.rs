//! The trait by which tables are read and written, whatever the engine.

mod error;

use crate::Dialect;

pub(crate) use error::SqlError;

/// A value that is bound to a statement, or that a row has.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Cell<'a> {
    Null,
    Bool(bool),
    Int(i64),
    Real(f64),
    Text(&'a str),
    /// JSON as a text.
    Json(&'a str),
    Bytes(&'a [u8]),
}

/// Receives the rows of an answer.
pub(crate) type EachRow<'a> = &'a mut dyn FnMut(&[Cell<'_>]) -> Result<(), SqlError>;

/// A transaction of a database. Placeholders are `?1`, `?2`… in both dialects.
pub(crate) trait Sql {
    /// Returns the dialect of statements.
    fn dialect(&self) -> Dialect;
    /// Runs a statement; returns the number of rows that changed.
    fn execute(&mut self, sql: &str, cells: &[Cell<'_>]) -> Result<u64, SqlError>;
    /// Runs a query.
    fn each(&mut self, sql: &str, cells: &[Cell<'_>], row: EachRow<'_>) -> Result<(), SqlError>;
    /// Inserts rows, whose cells follow each other. `insert` is a statement for one row, without its values.
    fn insert(&mut self, insert: &Insert, cells: &[Cell<'_>]) -> Result<(), SqlError>;
    /// Like [`Sql::insert`], for rows that have their numbers already.
    fn insert_numbered(&mut self, insert: &Insert, cells: &[Cell<'_>]) -> Result<(), SqlError>;
    /// Returns the identifiers of rows of content by their digests.
    fn ids(&mut self, table: &str, digests: &[Digest]) -> Result<Vec<Option<i64>>, SqlError>;
    /// Removes links of a node to rows of content.
    fn unlink(&mut self, link: &Insert, node: i64, ids: &[i64]) -> Result<(), SqlError>;
    /// Returns the identifier of a name in one of the tables of names, to which it is added if it is new.
    fn name_id(&mut self, table: &'static str, name: &str) -> Result<i64, SqlError>;
    /// Marks a point to which a part of the transaction can be undone.
    fn begin_part(&mut self) -> Result<(), SqlError>;
    /// Ends a part: keeps it, or undoes it.
    fn end_part(&mut self, is_kept: bool) -> Result<(), SqlError>;
}

/// The digest of a row of content.
pub(crate) type Digest = [u8; 16];

/// An insertion into a table.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Insert {
    pub(crate) table: &'static str,
    pub(crate) columns: &'static [&'static str],
    /// Whether rows that exist are left as they are.
    pub(crate) keeps_existing: bool,
}

impl Cell<'_> {
    /// Returns the number of an integer.
    pub(crate) fn int(self) -> Option<i64> {
        match self {
            Self::Int(number) => Some(number),
            _ => None,
        }
    }

    /// Returns the text of a text or of JSON.
    pub(crate) fn text(&self) -> Option<&str> {
        match self {
            Self::Text(text) | Self::Json(text) => Some(text),
            _ => None,
        }
    }
}

impl<'a> From<Option<&'a str>> for Cell<'a> {
    fn from(text: Option<&'a str>) -> Self {
        text.map_or(Self::Null, Self::Text)
    }
}

impl From<Option<i64>> for Cell<'_> {
    fn from(number: Option<i64>) -> Self {
        number.map_or(Self::Null, Self::Int)
    }
}

impl From<Option<bool>> for Cell<'_> {
    fn from(flag: Option<bool>) -> Self {
        flag.map_or(Self::Null, Self::Bool)
    }
}

/// Returns the first number of the first row of an answer.
pub(crate) fn number(
    sql: &mut dyn Sql,
    query: &str,
    cells: &[Cell<'_>],
) -> Result<Option<i64>, SqlError> {
    let mut found = None;
    sql.each(query, cells, &mut |row| {
        found = found.or(row.first().and_then(|cell| cell.int()));
        Ok(())
    })?;
    Ok(found)
}

/// Returns the first numbers of all rows of an answer.
pub(crate) fn numbers(
    sql: &mut dyn Sql,
    query: &str,
    cells: &[Cell<'_>],
) -> Result<Vec<i64>, SqlError> {
    let mut found = Vec::new();
    sql.each(query, cells, &mut |row| {
        found.extend(row.first().and_then(|cell| cell.int()));
        Ok(())
    })?;
    Ok(found)
}
