//! A store is copied into another one, whatever the engines: row by row with the same numbers, so that everything is there,
//! also what no command says.
//!
//! Rows are copied in the order of their keys, each group in one transaction, so the last key of a table in the target
//! says where to go on after a crash. While a copy is unfinished, the target has a table that names its source, and is
//! no store for anyone else.

mod columns;
mod mark;

pub(crate) use mark::MARK;

use crate::engine::Engine;
use crate::sql::{Cell, Sql, SqlError, number};
use crate::{Address, Dialect, Store, StoreError, json};
use columns::{Kind, TABLES, Table};

/// The number of rows in one transaction, and of their bytes.
const MOST_ROWS: i64 = 2000;
const MOST_BYTES: usize = 8 << 20;

/// A copy that can't be made.
#[derive(Debug, thiserror::Error)]
pub enum MigrateError {
    /// The source or the target can't be read or written.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// The target has rows already.
    #[error("`{0}` is not empty: a store is copied into an empty one")]
    NotEmpty(String),
    /// The target has a part of something else.
    #[error(
        "`{target}` has an unfinished copy of something else than `{source_place}` as it is now: remove it"
    )]
    OtherSource {
        /// The target.
        target: String,
        /// The source.
        source_place: String,
    },
    /// The source was written to meanwhile.
    #[error(
        "`{0}` has changed while it was copied: stop the servers that use it, remove the copy and begin again"
    )]
    Changed(String),
    /// Something is missing in the target.
    #[error("{copied} of {present} rows of `{table}` were copied")]
    Incomplete {
        /// The table.
        table: &'static str,
        /// The number of its rows in the source.
        present: u64,
        /// The number in the target.
        copied: u64,
    },
}

/// A table, and how many of its rows were copied.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Progress {
    /// Its name.
    pub table: &'static str,
    /// The number of rows in the target.
    pub copied: u64,
    /// The number of rows in the source.
    pub present: u64,
}

/// The target of a copy; it becomes a store when the copy is complete.
#[derive(Debug)]
pub struct Target(Store);

impl Target {
    /// Opens a file; makes it if it does not exist.
    pub fn file(path: &std::path::Path) -> Result<Self, StoreError> {
        Ok(Self(Store::new(Engine::file(path, true)?)))
    }

    /// Opens a database.
    pub fn database(address: Address) -> Result<Self, StoreError> {
        Ok(Self(Store::new(Engine::database(address, true)?)))
    }

    /// Returns its place.
    pub fn place(&self) -> String {
        self.0.place()
    }
}

impl Store {
    /// Copies everything into an empty store, or goes on with an unfinished copy of the same source. Returns the tables
    /// with the numbers of their rows, which are equal in both.
    pub fn migrate(
        &self,
        target: &Target,
        progress: &mut dyn FnMut(Progress),
    ) -> Result<Vec<Progress>, MigrateError> {
        let target = &target.0;
        let source = mark::of(self)?;
        match mark::read(target)? {
            Some(present) if present == source => (),
            Some(_) => {
                let (target, source_place) = (target.place(), self.place());
                return Err(MigrateError::OtherSource { target, source_place });
            }
            None => {
                let is_empty = TABLES.iter().try_fold(true, |is_empty, table| {
                    Ok::<_, StoreError>(is_empty && count(target, table.name)? == 0)
                })?;
                if !is_empty {
                    return Err(MigrateError::NotEmpty(target.place()));
                }
                mark::write(target, &source)?;
            }
        }
        let mut all = Vec::with_capacity(TABLES.len());
        for table in &TABLES {
            all.push(self.copy(target, table, progress)?);
        }
        if mark::of(self)? != source {
            return Err(MigrateError::Changed(self.place()));
        }
        for Progress { table, copied, present } in &all {
            if copied != present {
                let (table, present, copied) = (*table, *present, *copied);
                return Err(MigrateError::Incomplete { table, present, copied });
            }
        }
        target.write(&[], |sql| {
            if sql.dialect() == Dialect::PostgreSql {
                for table in TABLES.iter().filter(|table| table.key == ["id"]) {
                    let set = format!(
                        "SELECT setval(pg_get_serial_sequence('{0}', 'id'), \
                         coalesce((SELECT max(id) FROM {0}), 0) + 1, false)",
                        table.name
                    );
                    number(sql, &set, &[])?;
                }
            }
            Ok(())
        })?;
        mark::remove(target)?;
        Ok(all)
    }

    /// Copies a table, from the first row on that the target does not have.
    fn copy(
        &self,
        target: &Self,
        table: &Table,
        progress: &mut dyn FnMut(Progress),
    ) -> Result<Progress, MigrateError> {
        let present = count(self, table.name)?;
        let mut copied = count(target, table.name)?;
        loop {
            let last = target.read(|sql| last_key(sql, table))?;
            let rows = self.read(|sql| rows_behind(sql, table, &last))?;
            let n_rows = rows.len() / table.columns.len();
            if n_rows == 0 {
                return Ok(Progress { table: table.name, copied, present });
            }
            target.write(&[], |sql| {
                let cells: Vec<Cell<'_>> = rows.iter().map(Owned::cell).collect();
                sql.insert_numbered(&table.insert(), &cells)
            })?;
            copied += n_rows as u64;
            progress(Progress { table: table.name, copied, present });
        }
    }
}

fn count(store: &Store, table: &str) -> Result<u64, StoreError> {
    let query = format!("SELECT count(*) FROM {table}");
    let n_rows = store.read(|sql| number(sql, &query, &[]))?.unwrap_or(0);
    Ok(u64::try_from(n_rows).unwrap_or(0))
}

/// A cell of a row that is on its way.
#[derive(Clone, Debug, PartialEq)]
enum Owned {
    Null,
    Bool(bool),
    Int(i64),
    Text(String),
    Json(String),
    Bytes(Vec<u8>),
}

impl Owned {
    fn read(cell: Cell<'_>, kind: Kind) -> Result<Self, SqlError> {
        Ok(match (cell, kind) {
            (Cell::Null, _) => Self::Null,
            // SQLite has numbers for truth values, and texts for JSON.
            (Cell::Int(number), Kind::Bool) => Self::Bool(number != 0),
            (Cell::Bool(flag), _) => Self::Bool(flag),
            (Cell::Int(number), _) => Self::Int(number),
            // PostgreSQL writes JSON with blanks.
            (Cell::Text(text) | Cell::Json(text), Kind::Json) => {
                let value: serde_json::Value = serde_json::from_str(text)
                    .map_err(|error| SqlError::Damaged(error.to_string()))?;
                Self::Json(json::text(&value))
            }
            (Cell::Text(text) | Cell::Json(text), _) => Self::Text(text.to_owned()),
            (Cell::Bytes(bytes), _) => Self::Bytes(bytes.to_owned()),
            (Cell::Real(_), _) => return Err(SqlError::Damaged("a number is none".to_owned())),
        })
    }

    fn cell(&self) -> Cell<'_> {
        match self {
            Self::Null => Cell::Null,
            Self::Bool(flag) => Cell::Bool(*flag),
            Self::Int(number) => Cell::Int(*number),
            Self::Text(text) => Cell::Text(text),
            Self::Json(text) => Cell::Json(text),
            Self::Bytes(bytes) => Cell::Bytes(bytes),
        }
    }

    fn n_bytes(&self) -> usize {
        match self {
            Self::Text(text) | Self::Json(text) => text.len(),
            Self::Bytes(bytes) => bytes.len(),
            Self::Null | Self::Bool(_) | Self::Int(_) => 8,
        }
    }
}

/// Returns the key of the last row; nothing if there is no row.
fn last_key(sql: &mut dyn Sql, table: &Table) -> Result<Vec<Owned>, SqlError> {
    let down: Vec<String> = table.key.iter().map(|name| format!("{name} DESC")).collect();
    let (names, order) = (table.key.join(", "), down.join(", "));
    let query = format!("SELECT {names} FROM {} ORDER BY {order} LIMIT 1", table.name);
    let mut key = Vec::new();
    sql.each(&query, &[], &mut |row| {
        key = row.iter().map(|cell| Owned::read(*cell, Kind::Plain)).collect::<Result<_, _>>()?;
        Ok(())
    })?;
    Ok(key)
}

/// Returns the rows behind a key, not too many of them.
fn rows_behind(sql: &mut dyn Sql, table: &Table, last: &[Owned]) -> Result<Vec<Owned>, SqlError> {
    let keys = table.key.join(", ");
    let condition = match last.is_empty() {
        true => String::new(),
        false => {
            let places: Vec<String> = (1..=last.len()).map(|n| format!("?{n}")).collect();
            format!(" WHERE ({keys}) > ({})", places.join(", "))
        }
    };
    let names: Vec<&str> = table.columns.iter().map(|(name, _)| *name).collect();
    let query = format!(
        "SELECT {} FROM {}{condition} ORDER BY {keys} LIMIT {MOST_ROWS}",
        names.join(", "),
        table.name
    );
    let cells: Vec<Cell<'_>> = last.iter().map(Owned::cell).collect();
    let (mut rows, mut n_bytes) = (Vec::new(), 0);
    sql.each(&query, &cells, &mut |row| {
        // A row too many is read again.
        if n_bytes > MOST_BYTES {
            return Ok(());
        }
        for (cell, (_, kind)) in row.iter().zip(table.columns) {
            let owned = Owned::read(*cell, *kind)?;
            n_bytes += owned.n_bytes();
            rows.push(owned);
        }
        Ok(())
    })?;
    Ok(rows)
}
