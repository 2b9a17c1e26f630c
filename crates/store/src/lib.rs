//! Exported resources of all nodes, stored in one SQLite file.
//!
//! [`Store`] is the entry point: [`Store::replace`] stores the exports of nodes, and a compilation searches them
//! ([`Exports`]). A node's exports are replaced in one transaction, so a reader never sees a part of them.

mod rows;
mod schema;

use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use kukla_catalog::exports::{ExportSearch, Exported, Exports, ExportsError, Stored};
use kukla_world::write;
use rusqlite::{Connection, OpenFlags, TransactionBehavior};

/// The time to wait for the lock of another process that writes.
const PATIENCE: Duration = Duration::from_secs(10);

/// The exported resources of all nodes.
#[derive(Debug)]
pub struct Store {
    path: PathBuf,
    connection: Mutex<Connection>,
}

/// An error of reading or writing exported resources.
#[derive(Debug, thiserror::Error)]
#[error("the exported resources in `{}` can't be {task}: {reason}", .path.display())]
pub struct StoreError {
    path: PathBuf,
    task: &'static str,
    reason: String,
}

/// The exports of one node, to be stored.
#[derive(Clone, Debug)]
pub struct Exporter<'a> {
    /// Its name.
    pub node: &'a str,
    /// The exported resources, in the order of the catalog.
    pub resources: &'a [Exported],
}

impl Store {
    /// Opens a file; creates it if it does not exist.
    pub fn open(path: &Path) -> Result<Self, StoreError> {
        let fail = |error: rusqlite::Error| failed(path, "read", &error);
        write::keep_private(path).map_err(|error| {
            let reason = error.to_string();
            StoreError { path: path.to_owned(), task: "read", reason }
        })?;
        let mut connection = Connection::open_with_flags(path, flags()).map_err(fail)?;
        connection.busy_timeout(PATIENCE).map_err(fail)?;
        schema::prepare(&mut connection).map_err(|error| match error {
            schema::Unready::Sqlite(error) => fail(error),
            schema::Unready::Newer(version) => StoreError {
                path: path.to_owned(),
                task: "read",
                reason: format!("a newer Kukla wrote them (version {version})"),
            },
        })?;
        Ok(Self { path: path.to_owned(), connection: Mutex::new(connection) })
    }

    /// Replaces the exports of some nodes, all or nothing.
    pub fn replace(&self, exporters: &[Exporter<'_>]) -> Result<(), StoreError> {
        self.write(|transaction| {
            for exporter in exporters {
                rows::remove(transaction, exporter.node)?;
                rows::insert(transaction, exporter)?;
            }
            Ok(())
        })
    }

    /// Removes a node; returns whether it had any exports.
    pub fn forget(&self, node: &str) -> Result<bool, StoreError> {
        self.write(|transaction| rows::remove(transaction, node))
    }

    /// Returns the names of nodes with exports, and the number of their exports.
    pub fn nodes(&self) -> Result<Vec<(String, usize)>, StoreError> {
        rows::nodes(&self.lock()).map_err(|error| self.failed("read", &error))
    }

    /// Returns the exports of a node.
    pub fn of_node(&self, node: &str) -> Result<Vec<Exported>, StoreError> {
        rows::of_node(&self.lock(), node).map_err(|error| self.failed("read", &error))
    }

    fn write<T>(
        &self,
        change: impl FnOnce(&Connection) -> rusqlite::Result<T>,
    ) -> Result<T, StoreError> {
        let mut connection = self.lock();
        let attempt = || {
            // The write lock is taken first: two transactions that upgrade from reading to writing would deadlock.
            let transaction =
                connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
            let result = change(&transaction)?;
            transaction.commit()?;
            Ok(result)
        };
        let result: rusqlite::Result<T> = { attempt }();
        result.map_err(|error| self.failed("kept", &error))
    }

    fn lock(&self) -> MutexGuard<'_, Connection> {
        // A thread that panicked has left no transaction open.
        self.connection.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn failed(&self, task: &'static str, error: &rusqlite::Error) -> StoreError {
        failed(&self.path, task, error)
    }
}

fn failed(path: &Path, task: &'static str, error: &rusqlite::Error) -> StoreError {
    let reason = match error {
        // SQLite's message without its error code.
        rusqlite::Error::SqliteFailure(_, Some(message)) => message.clone(),
        other => other.to_string(),
    };
    StoreError { path: path.to_owned(), task, reason }
}

/// Returns SQLite's default flags, except that a symbolic link in place of the file is not followed.
fn flags() -> OpenFlags {
    OpenFlags::default() | OpenFlags::SQLITE_OPEN_NOFOLLOW
}

impl Exports for Store {
    fn search(&self, search: &ExportSearch<'_>) -> Result<Vec<Stored>, ExportsError> {
        let stored = rows::search(&self.lock(), search);
        stored.map_err(|error| ExportsError::new(self.failed("read", &error).to_string()))
    }
}
