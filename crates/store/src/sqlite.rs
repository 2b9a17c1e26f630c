//! The engine SQLite: one file in WAL mode, with one connection that writes and several that read.
//!
//! `synchronous` is FULL: a transaction that was committed survives the end of the machine, so a journal may forget the
//! commands in it. Commands are committed in groups, so the price is one flush per group.

mod transaction;

use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use kukla_world::clock::Stopwatch;
use kukla_world::write;
use rusqlite::{Connection, OpenFlags, TransactionBehavior};

use crate::StoreError;
use crate::schema;
use crate::sql::{Sql, SqlError};
use transaction::Part;

/// The time to wait for the lock of another process that writes.
const PATIENCE: Duration = Duration::from_secs(10);
/// The number of connections that stay open for reading.
const MOST_IDLE: usize = 4;
/// The memory for pages of the connection that writes, and of one that reads, in KiB. What is not there comes from the
/// kernel's cache, at the price of a call.
const WRITER_CACHE: u32 = 8 << 10;
const READER_CACHE: u32 = 2 << 10;
/// The number of pages of the write-ahead log from which on they are moved into the file: pages of indexes change with
/// each command, and those that changed often are moved once.
const CHECKPOINT: u32 = 4000;
/// How many steps of SQLite's machine lie between two looks at the clock.
const STEPS: i32 = 10_000;

/// An SQLite file.
#[derive(Debug)]
pub(crate) struct Sqlite {
    pub(crate) path: PathBuf,
    writer: Mutex<Connection>,
    idle: Mutex<Vec<Connection>>,
}

impl Sqlite {
    /// Opens a file; makes it if it does not exist.
    pub(crate) fn open(path: &Path, is_target: bool) -> Result<Self, StoreError> {
        let failed = |reason: String| StoreError::new(path.display(), "read", reason);
        write::keep_private(path).map_err(|error| failed(error.to_string()))?;
        let mut writer = connect(path, WRITER_CACHE).map_err(|error| failed(error.to_string()))?;
        schema::prepare(&mut writer, is_target).map_err(|error| failed(error.to_string()))?;
        Ok(Self { path: path.to_owned(), writer: Mutex::new(writer), idle: Mutex::default() })
    }

    /// Changes the file, all or nothing.
    pub(crate) fn write<T>(
        &self,
        mut change: impl FnMut(&mut dyn Sql) -> Result<T, SqlError>,
    ) -> Result<T, SqlError> {
        let mut writer = lock(&self.writer);
        // The write lock is taken first: two transactions that upgrade from reading to writing would deadlock.
        let transaction = writer.transaction_with_behavior(TransactionBehavior::Immediate)?;
        let result = change(&mut Part(&transaction))?;
        transaction.commit()?;
        Ok(result)
    }

    /// Reads from the file as it is at one moment; `limit` bounds the time.
    pub(crate) fn read<T>(
        &self,
        limit: Option<Duration>,
        read: impl FnOnce(&mut dyn Sql) -> Result<T, SqlError>,
    ) -> Result<T, SqlError> {
        let idle = lock(&self.idle).pop();
        let mut connection = match idle {
            Some(connection) => connection,
            None => connect(&self.path, READER_CACHE)?,
        };
        if let Some(limit) = limit {
            let watch = Stopwatch::start();
            let is_late = move || watch.elapsed() > limit;
            connection.progress_handler(STEPS, Some(is_late))?;
        }
        let result = {
            let transaction = connection.transaction()?;
            read(&mut Part(&transaction))
        };
        if limit.is_some() {
            connection.progress_handler(0, None::<fn() -> bool>)?;
        }
        let mut idle = lock(&self.idle);
        if idle.len() < MOST_IDLE {
            idle.push(connection);
        }
        result
    }

    /// Gives the space back that removed rows had.
    pub(crate) fn vacuum(&self) -> Result<(), SqlError> {
        let writer = lock(&self.writer);
        writer.execute_batch("VACUUM; PRAGMA wal_checkpoint(TRUNCATE);")?;
        Ok(())
    }

    /// Returns what SQLite finds wrong with the file.
    pub(crate) fn problems(&self) -> Result<Vec<String>, SqlError> {
        let connection = connect(&self.path, READER_CACHE)?;
        let mut statement = connection.prepare("PRAGMA integrity_check(100)")?;
        let found: rusqlite::Result<Vec<String>> =
            statement.query_map([], |row| row.get(0))?.collect();
        let mut problems = found?;
        problems.retain(|words| words != "ok");
        let mut statement = connection.prepare("PRAGMA foreign_key_check")?;
        let mut rows = statement.query([])?;
        while let Some(row) = rows.next()? {
            let (table, parent): (String, String) = (row.get(0)?, row.get(2)?);
            problems.push(format!("a row of `{table}` belongs to no row of `{parent}`"));
        }
        Ok(problems)
    }
}

/// Opens a connection.
fn connect(path: &Path, cache: u32) -> Result<Connection, SqlError> {
    // A symbolic link in place of the file is not followed.
    let flags = OpenFlags::default() | OpenFlags::SQLITE_OPEN_NOFOLLOW;
    let connection = Connection::open_with_flags(path, flags)?;
    connection.busy_timeout(PATIENCE)?;
    connection.set_prepared_statement_cache_capacity(128);
    crate::query::functions::register(&connection)?;
    connection.execute_batch(&format!(
        "PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA foreign_keys = ON; \
         PRAGMA temp_store = MEMORY; PRAGMA cache_size = -{cache}; \
         PRAGMA wal_autocheckpoint = {CHECKPOINT};"
    ))?;
    Ok(connection)
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    // A thread that panicked has left no transaction open.
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
