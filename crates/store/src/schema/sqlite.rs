//! Versions of an SQLite file: 1 had exported resources only, 2 no changes of catalogs,
//! 3 no file bucket, 4 and 5 no history of facts.

use rusqlite::{Connection, TransactionBehavior};

use crate::migrate::MARK;

use super::{Dialect, TABLES, TABLES_3, TABLES_4, TABLES_6, Unready, VERSION};

/// Moves the exported resources of version 1 into the tables of version 2.
const FROM_1: [&str; 3] = [
    "ALTER TABLE exported RENAME TO exported_1; DROP INDEX exported_by_type;",
    "INSERT INTO nodes (certname) SELECT DISTINCT node FROM exported_1 ORDER BY node;",
    "INSERT INTO exported (node_id, position, type, title, tags, parameters) \
     SELECT nodes.id, position, type, title, tags, parameters \
     FROM exported_1 JOIN nodes ON nodes.certname = exported_1.node; \
     DROP TABLE exported_1;",
];

/// Makes the tables, or brings them to the current version, in one transaction.
pub(crate) fn prepare(connection: &mut Connection, is_target: bool) -> Result<(), Unready> {
    let mark = "SELECT count(*) FROM sqlite_master WHERE name = ?1";
    let n_marks: i64 = connection.query_row(mark, [MARK], |row| row.get(0))?;
    if !is_target && n_marks > 0 {
        return Err(Unready::Unfinished);
    }
    if version(connection)? == VERSION {
        return Ok(());
    }
    let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
    // Another process may have been faster.
    let present = version(&transaction)?;
    match present {
        0 => transaction.execute_batch(&Dialect::Sqlite.written(TABLES))?,
        1 => {
            let [first, second, third] = FROM_1;
            transaction.execute_batch(first)?;
            transaction.execute_batch(&Dialect::Sqlite.written(TABLES))?;
            transaction.execute_batch(second)?;
            transaction.execute_batch(third)?;
        }
        2..VERSION => (),
        _ => return Ok(()),
    }
    if present < 3 {
        transaction.execute_batch(&Dialect::Sqlite.written(TABLES_3))?;
    }
    if present < 4 {
        transaction.execute_batch(&Dialect::Sqlite.written(TABLES_4))?;
    }
    transaction.execute_batch(&Dialect::Sqlite.written(TABLES_6))?;
    transaction.pragma_update(None, "user_version", VERSION)?;
    transaction.commit()?;
    Ok(())
}

fn version(connection: &Connection) -> Result<i64, Unready> {
    let version: i64 = connection.query_row("PRAGMA user_version", [], |row| row.get(0))?;
    match version {
        0..=VERSION => Ok(version),
        newer => Err(Unready::Newer(newer)),
    }
}
