//! Statements within a transaction of PostgreSQL.

use std::collections::HashMap;
use std::time::Duration;

use kukla_world::clock::Stopwatch;
use tokio_postgres::types::{ToSql, Type};

use super::connection::Connection;
use super::names::Names;
use crate::Dialect;
use crate::sql::{Cell, Digest, EachRow, Insert, Sql, SqlError};

/// The number of rows that one statement inserts.
const MOST_ROWS: usize = 4000;
/// The key of the lock of those who add content that all nodes share.
const CONTENT: i64 = 0x6b75_6b6c_6100;

/// Tables of content that all nodes share.
const SHARED: [&str; 9] = [
    "fact_values",
    "fact_paths",
    "fact_leaves",
    "packages",
    "resources",
    "edges",
    "data_sets",
    "data_set_lines",
    "data_lines",
];

/// A transaction that has begun.
pub(super) struct Part<'a> {
    pub(super) connection: &'a mut Connection,
    /// Identifiers of names.
    pub(super) names: &'a Names,
    /// Names that this transaction has found or added.
    pub(super) own_names: Vec<(&'static str, String, i64)>,
    pub(super) watch: Stopwatch,
    /// The time for the whole transaction.
    pub(super) limit: Duration,
    /// Whether it only reads: its statements differ from each other.
    pub(super) is_reading: bool,
    pub(super) has_content_lock: bool,
}

impl Part<'_> {
    /// Returns the time that is left.
    fn left(&self) -> Duration {
        self.limit.saturating_sub(self.watch.elapsed())
    }

    /// Takes the lock of those who add shared content: two transactions that add the same rows in another order would
    /// wait for each other. All locks are taken in one order: nodes, then content.
    fn lock_content(&mut self) -> Result<(), SqlError> {
        if !self.has_content_lock {
            let left = self.left();
            self.connection.batch(&format!("SELECT pg_advisory_xact_lock({CONTENT})"), left)?;
            self.has_content_lock = true;
        }
        Ok(())
    }

    fn insert_rows(
        &mut self,
        insert: &Insert,
        types: &[Type],
        cells: &[Cell<'_>],
        overriding: &str,
    ) -> Result<(), SqlError> {
        let n_columns = insert.columns.len();
        let column = |at: usize| -> Vec<Cell<'_>> {
            cells.iter().skip(at).step_by(n_columns).copied().collect()
        };
        let columns: Vec<Vec<Cell<'_>>> = (0..n_columns).map(column).collect();
        let values: Vec<&(dyn ToSql + Sync)> =
            columns.iter().map(|column| column as &(dyn ToSql + Sync)).collect();
        let arrays: Vec<String> =
            (1..).zip(types).map(|(n, type_)| format!("?{n}::{type_}[]")).collect();
        let tail = if insert.keeps_existing { " ON CONFLICT DO NOTHING" } else { "" };
        let (names, arrays) = (insert.columns.join(", "), arrays.join(", "));
        let sql = format!(
            "INSERT INTO {} ({names}){overriding} SELECT * FROM unnest({arrays}){tail}",
            insert.table
        );
        let left = self.left();
        self.connection.execute(&sql, &values, left).map(drop)
    }
}

impl Sql for Part<'_> {
    fn dialect(&self) -> Dialect {
        Dialect::PostgreSql
    }

    fn execute(&mut self, sql: &str, cells: &[Cell<'_>]) -> Result<u64, SqlError> {
        let left = self.left();
        self.connection.execute(sql, &values(cells), left)
    }

    fn each(&mut self, sql: &str, cells: &[Cell<'_>], row: EachRow<'_>) -> Result<(), SqlError> {
        let (left, is_kept) = (self.left(), !self.is_reading);
        self.connection.each(sql, &values(cells), is_kept, left, row)
    }

    fn insert(&mut self, insert: &Insert, cells: &[Cell<'_>]) -> Result<(), SqlError> {
        if cells.is_empty() {
            return Ok(());
        }
        if SHARED.contains(&insert.table) {
            self.lock_content()?;
        }
        let left = self.left();
        let types = self.connection.columns(insert.table, insert.columns, left)?;
        let mut parts = cells.chunks(MOST_ROWS * insert.columns.len());
        parts.try_for_each(|cells| self.insert_rows(insert, &types, cells, ""))
    }

    fn insert_numbered(&mut self, insert: &Insert, cells: &[Cell<'_>]) -> Result<(), SqlError> {
        let left = self.left();
        let types = self.connection.columns(insert.table, insert.columns, left)?;
        let overriding = " OVERRIDING SYSTEM VALUE";
        let mut parts = cells.chunks(MOST_ROWS * insert.columns.len());
        parts.try_for_each(|cells| self.insert_rows(insert, &types, cells, overriding))
    }

    fn ids(&mut self, table: &str, digests: &[Digest]) -> Result<Vec<Option<i64>>, SqlError> {
        if digests.is_empty() {
            return Ok(Vec::new());
        }
        let asked: Vec<&[u8]> = digests.iter().map(<[u8; 16]>::as_slice).collect();
        let sql = format!("SELECT digest, id FROM {table} WHERE digest = ANY(?1::bytea[])");
        let mut found: HashMap<Digest, i64> = HashMap::with_capacity(digests.len());
        let left = self.left();
        self.connection.each(&sql, &[&asked], true, left, &mut |row| {
            if let [Cell::Bytes(digest), Cell::Int(id)] = row
                && let Ok(digest) = Digest::try_from(*digest)
            {
                found.insert(digest, *id);
            }
            Ok(())
        })?;
        Ok(digests.iter().map(|digest| found.get(digest).copied()).collect())
    }

    fn unlink(&mut self, link: &Insert, node: i64, ids: &[i64]) -> Result<(), SqlError> {
        let [owner, content] = link.columns else { return Ok(()) };
        if ids.is_empty() {
            return Ok(());
        }
        let sql = format!(
            "DELETE FROM {} WHERE {owner} = ?1 AND {content} = ANY(?2::bigint[])",
            link.table
        );
        let left = self.left();
        self.connection.execute(&sql, &[&node, &ids], left).map(drop)
    }

    fn name_id(&mut self, table: &'static str, name: &str) -> Result<i64, SqlError> {
        let own = self.own_names.iter().find(|(of, known, _)| *of == table && known == name);
        if let Some(id) = own.map(|(.., id)| *id).or_else(|| self.names.get(table, name)) {
            return Ok(id);
        }
        let id = match self.stored_name(table, name)? {
            Some(id) => id,
            None => {
                self.lock_content()?;
                let add = format!("INSERT INTO {table} (name) VALUES (?1) ON CONFLICT DO NOTHING");
                self.execute(&add, &[Cell::Text(name)])?;
                let lost = || SqlError::Damaged(format!("the name `{name}` can't be stored"));
                self.stored_name(table, name)?.ok_or_else(lost)?
            }
        };
        self.own_names.push((table, name.to_owned(), id));
        Ok(id)
    }

    fn begin_part(&mut self) -> Result<(), SqlError> {
        let left = self.left();
        self.connection.batch("SAVEPOINT part", left)
    }

    fn end_part(&mut self, is_kept: bool) -> Result<(), SqlError> {
        let left = self.left();
        if is_kept {
            return self.connection.batch("RELEASE part", left);
        }
        // Names and the lock of the part are undone with it.
        self.own_names.clear();
        self.has_content_lock = false;
        self.connection.batch("ROLLBACK TO part; RELEASE part", left)
    }
}

impl Part<'_> {
    fn stored_name(&mut self, table: &str, name: &str) -> Result<Option<i64>, SqlError> {
        let select = format!("SELECT id FROM {table} WHERE name = ?1");
        crate::sql::number(self, &select, &[Cell::Text(name)])
    }
}

fn values<'a>(cells: &'a [Cell<'_>]) -> Vec<&'a (dyn ToSql + Sync)> {
    cells.iter().map(|cell| cell as &(dyn ToSql + Sync)).collect()
}
