//! The mark of an unfinished copy: a table that says what is copied.

use crate::sql::{Sql, SqlError, number};
use crate::{Dialect, Store, StoreError};

use super::{columns::TABLES, count};

/// The table; a store that has it is none yet.
pub(crate) const MARK: &str = "kukla_migration";

/// Times of what came last.
const LATEST: [&str; 5] = [
    "SELECT max(timestamp) FROM factsets",
    "SELECT max(timestamp) FROM catalogs",
    "SELECT max(receive_time) FROM reports",
    "SELECT max(stored) FROM bucket_files",
    "SELECT max(inputs_timestamp) FROM nodes",
];

/// Returns a description of a store that differs when something in it has changed.
pub(super) fn of(store: &Store) -> Result<String, StoreError> {
    let mut parts = vec![store.place()];
    for table in &TABLES {
        parts.push(format!("{} {}", table.name, count(store, table.name)?));
    }
    for query in LATEST {
        let latest = store.read(|sql| number(sql, query, &[]))?;
        parts.push(latest.unwrap_or(0).to_string());
    }
    Ok(parts.join("\n"))
}

/// Returns the description of the source; nothing without a mark.
pub(super) fn read(store: &Store) -> Result<Option<String>, StoreError> {
    store.read(|sql| {
        if !exists(sql)? {
            return Ok(None);
        }
        let mut found = None;
        sql.each(&format!("SELECT source FROM {MARK}"), &[], &mut |row| {
            found = row.first().and_then(|cell| cell.text()).map(str::to_owned);
            Ok(())
        })?;
        Ok(found)
    })
}

fn exists(sql: &mut dyn Sql) -> Result<bool, SqlError> {
    let query = match sql.dialect() {
        Dialect::Sqlite => format!("SELECT 1 FROM sqlite_master WHERE name = '{MARK}'"),
        Dialect::PostgreSql => format!("SELECT 1 WHERE to_regclass('{MARK}') IS NOT NULL"),
    };
    // PostgreSQL has such numbers in four bytes.
    Ok(number(sql, &query, &[])?.is_some())
}

/// Marks a target.
pub(super) fn write(store: &Store, source: &str) -> Result<(), StoreError> {
    store.write(&[], |sql| {
        sql.execute(&format!("CREATE TABLE {MARK} (source TEXT NOT NULL)"), &[])?;
        let insert = format!("INSERT INTO {MARK} (source) VALUES (?1)");
        sql.execute(&insert, &[crate::sql::Cell::Text(source)])?;
        Ok(())
    })
}

/// Removes the mark: the target is a store now.
pub(super) fn remove(store: &Store) -> Result<(), StoreError> {
    store.write(&[], |sql| sql.execute(&format!("DROP TABLE {MARK}"), &[]).map(drop))
}
