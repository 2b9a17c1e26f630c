//! Tables of the file.

use rusqlite::{Connection, TransactionBehavior};

/// The version of the tables, which is stored in the file.
const VERSION: i64 = 1;

/// One row per resource. Tags are separated by blanks, parameters are a JSON object.
const TABLES: &str = "
    CREATE TABLE exported (
        node TEXT NOT NULL,
        position INTEGER NOT NULL,
        type TEXT NOT NULL,
        title TEXT NOT NULL,
        tags TEXT NOT NULL,
        parameters TEXT NOT NULL,
        PRIMARY KEY (node, position)
    ) WITHOUT ROWID;
    CREATE INDEX exported_by_type ON exported (type, node, position);
    PRAGMA user_version = 1;
";

/// The reason why a file can't be used.
pub(crate) enum Unready {
    /// An error of SQLite.
    Sqlite(rusqlite::Error),
    /// The file has tables of an unknown version.
    Newer(i64),
}

impl From<rusqlite::Error> for Unready {
    fn from(error: rusqlite::Error) -> Self {
        Self::Sqlite(error)
    }
}

/// Creates the tables, unless they exist.
pub(crate) fn prepare(connection: &mut Connection) -> Result<(), Unready> {
    if is_ready(connection)? {
        return Ok(());
    }
    let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
    // Another process may have been faster.
    if !is_ready(&transaction)? {
        transaction.execute_batch(TABLES)?;
    }
    transaction.commit()?;
    Ok(())
}

fn is_ready(connection: &Connection) -> Result<bool, Unready> {
    let version: i64 = connection.query_row("PRAGMA user_version", [], |row| row.get(0))?;
    match version {
        0 => Ok(false),
        VERSION => Ok(true),
        newer => Err(Unready::Newer(newer)),
    }
}
