//! Versions of a database of PostgreSQL, which began with version 3; version 4 added the file bucket, version 6 the
//! history of facts.
//!
//! All of a change is one transaction, below a lock for which servers that start at the same time wait: a program that is
//! killed leaves the tables as they were, and the next one begins again.

use super::{Dialect, TABLES, TABLES_3, TABLES_4, TABLES_6, Unready, VERSION};
use crate::migrate::MARK;
use crate::postgres::Tables;

/// The key of the lock of those who change tables.
const LOCK: i64 = 0x6b75_6b6c_6101;

/// Makes the tables, or brings them to the current version, within a transaction.
pub(crate) fn prepare(tables: &mut Tables<'_>, is_target: bool) -> Result<(), Unready> {
    let mark = format!("SELECT 1 WHERE to_regclass('{MARK}') IS NOT NULL");
    if !is_target && tables.number(&mark)?.is_some() {
        return Err(Unready::Unfinished);
    }
    if version(tables)? == VERSION {
        return Ok(());
    }
    tables.run(&format!(
        "SET LOCAL lock_timeout = 0; SET LOCAL statement_timeout = 0; \
         SELECT pg_advisory_xact_lock({LOCK})"
    ))?;
    // Another server may have been faster.
    let present = version(tables)?;
    match present {
        VERSION => return Ok(()),
        0 => {
            check(tables)?;
            tables.run(&Dialect::PostgreSql.written(TABLES))?;
            tables.run(&Dialect::PostgreSql.written(TABLES_3))?;
            tables.run("CREATE TABLE kukla_schema (version BIGINT NOT NULL)")?;
        }
        _ => (),
    }
    if present < 4 {
        tables.run(&Dialect::PostgreSql.written(TABLES_4))?;
    }
    tables.run(&Dialect::PostgreSql.written(TABLES_6))?;
    tables
        .run(&format!("DELETE FROM kukla_schema; INSERT INTO kukla_schema VALUES ({VERSION})"))
        .map_err(Unready::from)
}

/// Returns the version of the tables; 0 if there are none.
fn version(tables: &mut Tables<'_>) -> Result<i64, Unready> {
    let exists = "SELECT 1 WHERE to_regclass('kukla_schema') IS NOT NULL";
    if tables.number(exists)?.is_none() {
        return Ok(0);
    }
    match tables.number("SELECT max(version) FROM kukla_schema")?.unwrap_or(0) {
        newer if newer > VERSION => Err(Unready::Newer(newer)),
        version => Ok(version),
    }
}

/// Checks that a database without our tables can have them.
fn check(tables: &mut Tables<'_>) -> Result<(), Unready> {
    // PuppetDB's own tables have some of the names.
    let others = "SELECT 1 WHERE to_regclass('environments') IS NOT NULL \
                  OR to_regclass('factsets') IS NOT NULL OR to_regclass('reports') IS NOT NULL";
    if tables.number(others)?.is_some() {
        return Err(Unready::Foreign);
    }
    let encoding = "SELECT 1 WHERE current_setting('server_encoding') = 'UTF8'";
    match tables.number(encoding)? {
        Some(_) => Ok(()),
        None => Err(Unready::Encoding),
    }
}
