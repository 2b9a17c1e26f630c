//! The engine PostgreSQL: a database that several servers share.
//!
//! A transaction that writes locks the nodes that it is about, then, if it adds content that nodes share, the content
//! ([`transaction`]); so commands of a node are stored one after the other, and servers that add the same content wait
//! for each other in one order. What fails for a reason that will pass is tried again.

mod address;
mod cells;
mod connection;
mod names;
mod passfile;
mod pool;
mod tls;
mod transaction;

use std::fmt;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use kukla_world::clock::{self, Stopwatch};

use crate::schema::{self, Unready};
use crate::sql::{Cell, Sql, SqlError, number};
use names::Names;
use pool::{Borrowed, Pool};
use transaction::Part;

pub use address::{Address, AddressError};

/// The time for a transaction that writes.
const WRITE: Duration = Duration::from_secs(180);
/// The time for a transaction that reads, unless the reader gives one.
const READ: Duration = Duration::from_secs(120);
/// The time to begin or end a transaction.
const BORDER: Duration = Duration::from_secs(30);
/// The time to make or change tables, and to clean them up.
const UPKEEP: Duration = Duration::from_secs(24 * 3600);
/// How often a transaction is tried.
const TRIES: u32 = 6;

/// A database.
pub(crate) struct Postgres {
    pub(crate) address: Address,
    pool: Pool,
    names: Names,
    /// Whether the tables are known to be of the current version.
    is_ready: AtomicBool,
    /// Whether it may be an unfinished copy.
    is_target: bool,
    preparing: Mutex<()>,
}

impl fmt::Debug for Postgres {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Postgres({})", self.address)
    }
}

impl Postgres {
    /// Opens a database, and makes or changes its tables. One that can't be reached is tried again with each use.
    pub(crate) fn open(address: Address, is_target: bool) -> Result<Self, SqlError> {
        let opened = Self {
            address,
            pool: Pool::default(),
            names: Names::default(),
            is_ready: AtomicBool::new(false),
            is_target,
            preparing: Mutex::default(),
        };
        match opened.prepare() {
            Err(error) if !error.is_temporary() => Err(error),
            _ => Ok(opened),
        }
    }

    /// Changes the database, all or nothing. `nodes` are the names of the nodes that the change is about.
    pub(crate) fn write<T>(
        &self,
        nodes: &[&str],
        change: &mut dyn FnMut(&mut dyn Sql) -> Result<T, SqlError>,
    ) -> Result<T, SqlError> {
        self.prepare()?;
        let mut n_tries = 1;
        loop {
            match self.attempt(nodes, change) {
                Err(error) if error.may_pass() && n_tries < TRIES => {
                    if error.is_integrity() {
                        // Somebody has removed what was found before.
                        self.names.clear();
                    }
                    // Two that got into each other's way should not meet again.
                    let now = clock::time_of_day().duration_since(std::time::UNIX_EPOCH);
                    let pause = 10 * n_tries + now.unwrap_or_default().subsec_micros() % 20;
                    clock::pause(Duration::from_millis(pause.into()));
                    n_tries += 1;
                }
                other => return other,
            }
        }
    }

    fn attempt<T>(
        &self,
        nodes: &[&str],
        change: &mut dyn FnMut(&mut dyn Sql) -> Result<T, SqlError>,
    ) -> Result<T, SqlError> {
        let mut borrowed = self.begin("BEGIN")?;
        let Some(connection) = &mut borrowed.connection else { return Err(SqlError::Late) };
        if !nodes.is_empty() {
            let mut keys: Vec<i64> = nodes.iter().map(|node| key(node)).collect();
            keys.sort_unstable();
            keys.dedup();
            let lock = "SELECT count(pg_advisory_xact_lock(key)) FROM unnest(?1::bigint[]) AS key";
            connection.each(lock, &[&keys], true, BORDER * 2, &mut |_| Ok(()))?;
        }
        let mut part = Part {
            connection,
            names: &self.names,
            own_names: Vec::new(),
            watch: Stopwatch::start(),
            limit: WRITE,
            is_reading: false,
            has_content_lock: false,
        };
        let result = change(&mut part);
        let names = std::mem::take(&mut part.own_names);
        match result {
            Ok(value) => {
                connection.batch("COMMIT", BORDER)?;
                borrowed.is_clean = true;
                self.names.keep(names);
                Ok(value)
            }
            Err(error) => {
                borrowed.is_clean = connection.batch("ROLLBACK", BORDER).is_ok();
                Err(error)
            }
        }
    }

    /// Reads from the database as it is at one moment; `limit` bounds the time.
    pub(crate) fn read<T>(
        &self,
        limit: Option<Duration>,
        read: impl FnOnce(&mut dyn Sql) -> Result<T, SqlError>,
    ) -> Result<T, SqlError> {
        self.prepare()?;
        let begin = "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY";
        let begin = match limit {
            Some(limit) => {
                format!("{begin}; SET LOCAL statement_timeout = {}", limit.as_millis().max(1))
            }
            None => begin.to_owned(),
        };
        let mut borrowed = self.begin(&begin)?;
        let Some(connection) = &mut borrowed.connection else { return Err(SqlError::Late) };
        let result = read(&mut Part {
            connection,
            names: &self.names,
            own_names: Vec::new(),
            watch: Stopwatch::start(),
            // The server says it first.
            limit: limit.map_or(READ, |limit| limit + Duration::from_millis(500)),
            is_reading: true,
            has_content_lock: false,
        });
        borrowed.is_clean = !connection.is_broken() && connection.batch("ROLLBACK", BORDER).is_ok();
        result
    }

    /// Takes a connection and begins a transaction; one that the server has closed meanwhile is replaced.
    fn begin(&self, begin: &str) -> Result<Borrowed<'_>, SqlError> {
        loop {
            let mut borrowed = self.pool.take(&self.address)?;
            let is_old = borrowed.is_old;
            let Some(connection) = &mut borrowed.connection else { return Err(SqlError::Late) };
            match connection.batch(begin, BORDER) {
                Ok(()) => return Ok(borrowed),
                Err(_) if is_old => self.pool.clear(),
                Err(error) => return Err(error),
            }
        }
    }

    /// Makes the tables, or brings them to the current version, once.
    fn prepare(&self) -> Result<(), SqlError> {
        if self.is_ready.load(Ordering::Acquire) {
            return Ok(());
        }
        let _guard = self.preparing.lock();
        if self.is_ready.load(Ordering::Acquire) {
            return Ok(());
        }
        let mut borrowed = self.begin("BEGIN")?;
        let Some(connection) = &mut borrowed.connection else { return Err(SqlError::Late) };
        let result = schema::postgres::prepare(&mut Tables { connection }, self.is_target);
        match result {
            Ok(()) => {
                connection.batch("COMMIT", BORDER)?;
                borrowed.is_clean = true;
                self.is_ready.store(true, Ordering::Release);
                Ok(())
            }
            Err(error) => {
                borrowed.is_clean = connection.batch("ROLLBACK", BORDER).is_ok();
                Err(match error {
                    Unready::Sql(error) => error,
                    other => SqlError::Unready(other.to_string()),
                })
            }
        }
    }

    /// Lets PostgreSQL reuse the space of removed rows, and look at the tables for its plans.
    pub(crate) fn vacuum(&self, tables: &[&str]) -> Result<(), SqlError> {
        self.prepare()?;
        let mut borrowed = self.begin("SELECT 1")?;
        let Some(connection) = &mut borrowed.connection else { return Err(SqlError::Late) };
        connection.batch("SET statement_timeout = 0", BORDER)?;
        for table in tables {
            connection.batch(&format!("VACUUM (ANALYZE) {table}"), UPKEEP)?;
        }
        Ok(())
    }
}

/// A transaction that makes or changes tables.
pub(crate) struct Tables<'a> {
    connection: &'a mut connection::Connection,
}

impl Tables<'_> {
    /// Runs statements.
    pub(crate) fn run(&mut self, sql: &str) -> Result<(), SqlError> {
        self.connection.batch(sql, UPKEEP)
    }

    /// Returns the number in the only row.
    pub(crate) fn number(&mut self, query: &str) -> Result<Option<i64>, SqlError> {
        let mut found = None;
        self.connection.each(query, &[], false, BORDER, &mut |row| {
            found = row.first().and_then(|cell| cell.int());
            Ok(())
        })?;
        Ok(found)
    }
}

/// Returns the key of the lock of a node.
fn key(certname: &str) -> i64 {
    let digest = blake3::hash(certname.as_bytes());
    let mut bytes = [0; 8];
    bytes.copy_from_slice(&digest.as_bytes()[..8]);
    i64::from_be_bytes(bytes)
}

/// Returns the bytes of the tables with their indexes.
pub(crate) fn bytes(sql: &mut dyn Sql, tables: &[&str]) -> Result<u64, SqlError> {
    let mut n_bytes = 0;
    for table in tables {
        let query = "SELECT pg_total_relation_size(?1::text::regclass)";
        let size = number(sql, query, &[Cell::Text(table)])?.unwrap_or(0);
        n_bytes += u64::try_from(size).unwrap_or(0);
    }
    Ok(n_bytes)
}
