//! Statements within a transaction of SQLite.

use rusqlite::types::{ToSqlOutput, ValueRef};
use rusqlite::{Connection, OptionalExtension, Row, ToSql, params_from_iter};

use crate::Dialect;
use crate::sql::{Cell, Digest, EachRow, Insert, Sql, SqlError};

/// A transaction that has begun.
pub(super) struct Part<'a>(pub(super) &'a Connection);

impl Sql for Part<'_> {
    fn dialect(&self) -> Dialect {
        Dialect::Sqlite
    }

    fn execute(&mut self, sql: &str, cells: &[Cell<'_>]) -> Result<u64, SqlError> {
        let mut statement = self.0.prepare_cached(sql)?;
        Ok(statement.execute(params_from_iter(cells))? as u64)
    }

    fn each(&mut self, sql: &str, cells: &[Cell<'_>], row: EachRow<'_>) -> Result<(), SqlError> {
        let mut statement = self.0.prepare_cached(sql)?;
        let n_columns = statement.column_count();
        let mut rows = statement.query(params_from_iter(cells))?;
        while let Some(found) = rows.next()? {
            let cells: Result<Vec<Cell<'_>>, SqlError> =
                (0..n_columns).map(|at| cell(found, at)).collect();
            row(&cells?)?;
        }
        Ok(())
    }

    fn insert(&mut self, insert: &Insert, cells: &[Cell<'_>]) -> Result<(), SqlError> {
        let Insert { table, columns, keeps_existing } = insert;
        let places: Vec<String> = (1..=columns.len()).map(|n| format!("?{n}")).collect();
        let tail = if *keeps_existing { " ON CONFLICT DO NOTHING" } else { "" };
        let (names, places) = (columns.join(", "), places.join(", "));
        let sql = format!("INSERT INTO {table} ({names}) VALUES ({places}){tail}");
        let mut statement = self.0.prepare_cached(&sql)?;
        for row in cells.chunks(columns.len()) {
            statement.execute(params_from_iter(row))?;
        }
        Ok(())
    }

    fn insert_numbered(&mut self, insert: &Insert, cells: &[Cell<'_>]) -> Result<(), SqlError> {
        self.insert(insert, cells)
    }

    fn ids(&mut self, table: &str, digests: &[Digest]) -> Result<Vec<Option<i64>>, SqlError> {
        let sql = format!("SELECT id FROM {table} WHERE digest = ?1");
        let mut statement = self.0.prepare_cached(&sql)?;
        let mut id =
            |digest: &Digest| statement.query_row([&digest[..]], |row| row.get(0)).optional();
        digests.iter().map(|digest| Ok(id(digest)?)).collect()
    }

    fn unlink(&mut self, link: &Insert, node: i64, ids: &[i64]) -> Result<(), SqlError> {
        let [owner, content] = link.columns else { return Ok(()) };
        let sql = format!("DELETE FROM {} WHERE {owner} = ?1 AND {content} = ?2", link.table);
        let mut statement = self.0.prepare_cached(&sql)?;
        for id in ids {
            statement.execute([node, *id])?;
        }
        Ok(())
    }

    fn name_id(&mut self, table: &'static str, name: &str) -> Result<i64, SqlError> {
        let select = format!("SELECT id FROM {table} WHERE name = ?1");
        let mut select = self.0.prepare_cached(&select)?;
        if let Some(id) = select.query_row([name], |row| row.get(0)).optional()? {
            return Ok(id);
        }
        let insert = format!("INSERT INTO {table} (name) VALUES (?1) RETURNING id");
        Ok(self.0.prepare_cached(&insert)?.query_row([name], |row| row.get(0))?)
    }

    fn begin_part(&mut self) -> Result<(), SqlError> {
        self.0.prepare_cached("SAVEPOINT part")?.execute([])?;
        Ok(())
    }

    fn end_part(&mut self, is_kept: bool) -> Result<(), SqlError> {
        if !is_kept {
            self.0.prepare_cached("ROLLBACK TO part")?.execute([])?;
        }
        self.0.prepare_cached("RELEASE part")?.execute([])?;
        Ok(())
    }
}

impl ToSql for Cell<'_> {
    fn to_sql(&self) -> rusqlite::Result<ToSqlOutput<'_>> {
        Ok(ToSqlOutput::Borrowed(match *self {
            Self::Null => ValueRef::Null,
            Self::Bool(flag) => ValueRef::Integer(i64::from(flag)),
            Self::Int(number) => ValueRef::Integer(number),
            Self::Real(number) => ValueRef::Real(number),
            Self::Text(text) | Self::Json(text) => ValueRef::Text(text.as_bytes()),
            Self::Bytes(bytes) => ValueRef::Blob(bytes),
        }))
    }
}

fn cell<'a>(row: &'a Row<'_>, at: usize) -> Result<Cell<'a>, SqlError> {
    Ok(match row.get_ref(at)? {
        ValueRef::Null => Cell::Null,
        ValueRef::Integer(number) => Cell::Int(number),
        ValueRef::Real(number) => Cell::Real(number),
        ValueRef::Text(text) => match std::str::from_utf8(text) {
            Ok(text) => Cell::Text(text),
            Err(_) => return Err(SqlError::Damaged("a text is not UTF-8".to_owned())),
        },
        ValueRef::Blob(bytes) => Cell::Bytes(bytes),
    })
}
