//! Exported resources of all nodes, kept in one SQLite file.
//!
//! [`Store`] is the way in: [`Store::replace`] keeps what nodes export, and a compilation searches it
//! ([`Exports`]). A node's exports are replaced all at once or not at all, so that nobody sees half of them.

mod rows;
mod schema;

use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use kukla_catalog::exports::{ExportSearch, Exported, Exports, ExportsError, Stored};
use kukla_world::write;
use rusqlite::{Connection, OpenFlags, TransactionBehavior};

/// How long to wait for another process that writes.
const PATIENCE: Duration = Duration::from_secs(10);

/// The exported resources of all nodes.
#[derive(Debug)]
pub struct Store {
    path: PathBuf,
    connection: Mutex<Connection>,
}

/// Why exported resources can't be had or kept.
#[derive(Debug, thiserror::Error)]
#[error("the exported resources in `{}` can't be {task}: {reason}", .path.display())]
pub struct StoreError {
    path: PathBuf,
    task: &'static str,
    reason: String,
}

/// What a node exports, to be kept.
#[derive(Clone, Debug)]
pub struct Exporter<'a> {
    /// Its name.
    pub node: &'a str,
    /// What it exports, in the order of its catalog.
    pub resources: &'a [Exported],
}

impl Store {
    /// Opens a file, or makes it.
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

    /// Puts what nodes export in place of what they exported before, all or nothing.
    pub fn replace(&self, exporters: &[Exporter<'_>]) -> Result<(), StoreError> {
        self.write(|transaction| {
            for exporter in exporters {
                rows::remove(transaction, exporter.node)?;
                rows::insert(transaction, exporter)?;
            }
            Ok(())
        })
    }

    /// Forgets a node that is no more; whether anything was known of it.
    pub fn forget(&self, node: &str) -> Result<bool, StoreError> {
        self.write(|transaction| rows::remove(transaction, node))
    }

    /// The names of nodes that export something, with how much they do.
    pub fn nodes(&self) -> Result<Vec<(String, usize)>, StoreError> {
        rows::nodes(&self.lock()).map_err(|error| self.failed("read", &error))
    }

    /// What a node exports.
    pub fn of_node(&self, node: &str) -> Result<Vec<Exported>, StoreError> {
        rows::of_node(&self.lock(), node).map_err(|error| self.failed("read", &error))
    }

    fn write<T>(
        &self,
        change: impl FnOnce(&Connection) -> rusqlite::Result<T>,
    ) -> Result<T, StoreError> {
        let mut connection = self.lock();
        let attempt = || {
            // Who means to write says so first: two who read before they write would wait for each other.
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
        // The words of SQLite without its number.
        rusqlite::Error::SqliteFailure(_, Some(message)) => message.clone(),
        other => other.to_string(),
    };
    StoreError { path: path.to_owned(), task, reason }
}

/// Returns the flags of SQLite by default, but a link in the place of the file is not followed.
fn flags() -> OpenFlags {
    OpenFlags::default() | OpenFlags::SQLITE_OPEN_NOFOLLOW
}

impl Exports for Store {
    fn search(&self, search: &ExportSearch<'_>) -> Result<Vec<Stored>, ExportsError> {
        let stored = rows::search(&self.lock(), search);
        stored.map_err(|error| ExportsError::new(self.failed("read", &error).to_string()))
    }
}
