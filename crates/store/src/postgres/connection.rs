//! A connection, with the runtime that drives it.
//!
//! Those who use the store are threads that wait for it, so each connection has a runtime of its own that runs on the
//! thread that waits: no thread is woken up for an answer, and every wait has a limit. Must not be used on a thread of
//! an async runtime.

use std::collections::HashMap;
use std::future::Future;
use std::time::Duration;

use futures_util::{TryStreamExt as _, pin_mut};
use tokio::runtime::{Builder, Runtime};
use tokio_postgres::types::{ToSql, Type};
use tokio_postgres::{Client, NoTls, Statement};

use super::address::Address;
use super::passfile;
use super::tls::Connector;
use crate::sql::{Cell, EachRow, SqlError};

/// The most statements that stay prepared.
const MOST_STATEMENTS: usize = 256;

/// Settings of a session: waiting for a lock ends, and a client that has gone loses its locks.
const SESSION: &str = "SET lock_timeout = '60s'; SET statement_timeout = '150s'; \
    SET idle_in_transaction_session_timeout = '60s'; SET client_min_messages = warning; \
    SET jit = off; SET default_transaction_isolation = 'read committed'; \
    SELECT set_config('synchronous_commit', 'on', false) \
    WHERE current_setting('synchronous_commit') = 'off'; \
    SELECT set_config('tcp_keepalives_idle', '30', false), \
    set_config('tcp_keepalives_interval', '5', false), \
    set_config('tcp_keepalives_count', '3', false)";

/// A session.
pub(super) struct Connection {
    // Dropped before the runtime, which ends the task that reads and writes.
    client: Client,
    runtime: Option<Runtime>,
    statements: HashMap<String, Statement>,
    /// Types of the columns into which rows are inserted.
    columns: HashMap<&'static str, Vec<Type>>,
    is_broken: bool,
}

impl Connection {
    /// Connects.
    pub(super) fn open(address: &Address) -> Result<Self, SqlError> {
        let mut config = address.config.clone();
        if config.get_password().is_none()
            && let Some(path) = &address.passfile
        {
            let password = passfile::password(path, address);
            let failed = |error| SqlError::Connection(format!("`{}`: {error}", path.display()));
            if let Some(password) = password.map_err(failed)? {
                config.password(password);
            }
        }
        let limit = config.get_connect_timeout().copied().unwrap_or_default() * 2;
        let started = Builder::new_current_thread().enable_all().build();
        let runtime = started.map_err(|error| SqlError::Connection(error.to_string()))?;
        let client = match &address.tls {
            None => within(&runtime, limit, async {
                let (client, connection) = config.connect(NoTls).await?;
                tokio::spawn(connection);
                Ok(client)
            })?,
            Some(paths) => {
                let connector = Connector::new(paths).map_err(SqlError::Connection)?;
                within(&runtime, limit, async {
                    let (client, connection) = config.connect(connector).await?;
                    tokio::spawn(connection);
                    Ok(client)
                })?
            }
        };
        let mut connection = Self {
            client,
            runtime: Some(runtime),
            statements: HashMap::new(),
            columns: HashMap::new(),
            is_broken: false,
        };
        connection.batch(SESSION, limit)?;
        Ok(connection)
    }

    /// Whether it can't be used any more.
    pub(super) fn is_broken(&self) -> bool {
        self.is_broken || self.client.is_closed()
    }

    /// Runs statements without parameters.
    pub(super) fn batch(&mut self, sql: &str, limit: Duration) -> Result<(), SqlError> {
        let Self { client, runtime, .. } = self;
        let done = waited(runtime.as_ref(), limit, client.batch_execute(sql));
        self.noted(done)
    }

    /// Runs a statement; returns the number of rows that changed. `is_kept` says that it will come again.
    pub(super) fn execute(
        &mut self,
        sql: &str,
        values: &[&(dyn ToSql + Sync)],
        limit: Duration,
    ) -> Result<u64, SqlError> {
        let statement = self.prepared(sql, true, limit)?;
        let Self { client, runtime, .. } = self;
        let done = waited(runtime.as_ref(), limit, client.execute(&statement, values));
        self.noted(done)
    }

    /// Runs a query, and hands its rows over while they come.
    pub(super) fn each(
        &mut self,
        sql: &str,
        values: &[&(dyn ToSql + Sync)],
        is_kept: bool,
        limit: Duration,
        receive: EachRow<'_>,
    ) -> Result<(), SqlError> {
        let statement = self.prepared(sql, is_kept, limit)?;
        let Self { client, runtime, .. } = self;
        let mut is_cut = false;
        let done = waited(runtime.as_ref(), limit, async {
            let rows = client.query_raw(&statement, values.iter().copied()).await?;
            pin_mut!(rows);
            let mut cells: Vec<Cell<'_>>;
            while let Some(row) = rows.try_next().await? {
                cells = Vec::with_capacity(row.len());
                for at in 0..row.len() {
                    cells.push(row.try_get(at)?);
                }
                if let Err(error) = receive(&cells) {
                    is_cut = true;
                    return Ok(Err(error));
                }
            }
            Ok(Ok(()))
        });
        // The rest of the rows would still come.
        self.is_broken |= is_cut;
        self.noted(done)?
    }

    /// Returns the types of columns of a table.
    pub(super) fn columns(
        &mut self,
        table: &'static str,
        names: &[&str],
        limit: Duration,
    ) -> Result<Vec<Type>, SqlError> {
        if let Some(types) = self.columns.get(table) {
            return Ok(types.clone());
        }
        let sql = format!("SELECT {} FROM {table}", names.join(", "));
        let statement = self.prepared(&sql, false, limit)?;
        let types: Vec<Type> =
            statement.columns().iter().map(|column| column.type_().clone()).collect();
        self.columns.insert(table, types.clone());
        Ok(types)
    }

    fn prepared(
        &mut self,
        sql: &str,
        is_kept: bool,
        limit: Duration,
    ) -> Result<Statement, SqlError> {
        if let Some(statement) = self.statements.get(sql) {
            return Ok(statement.clone());
        }
        let Self { client, runtime, .. } = self;
        let own = placeholders(sql);
        let prepared = waited(runtime.as_ref(), limit, client.prepare(&own));
        let statement = self.noted(prepared)?;
        if is_kept {
            if self.statements.len() >= MOST_STATEMENTS {
                self.statements.clear();
            }
            self.statements.insert(sql.to_owned(), statement.clone());
        }
        Ok(statement)
    }

    /// Notes whether the connection can be used after an error.
    fn noted<T>(&mut self, result: Result<T, SqlError>) -> Result<T, SqlError> {
        self.is_broken |= matches!(&result, Err(error) if error.ends_connection());
        result
    }
}

impl Drop for Connection {
    fn drop(&mut self) {
        // Waiting for its threads would panic on a thread of another runtime.
        if let Some(runtime) = self.runtime.take() {
            runtime.shutdown_background();
        }
    }
}

/// Waits for a result, but not longer than the limit.
fn within<T>(
    runtime: &Runtime,
    limit: Duration,
    future: impl Future<Output = Result<T, tokio_postgres::Error>>,
) -> Result<T, SqlError> {
    runtime.block_on(async {
        match tokio::time::timeout(limit, future).await {
            Ok(result) => result.map_err(SqlError::from),
            Err(_) => Err(SqlError::Late),
        }
    })
}

fn waited<T>(
    runtime: Option<&Runtime>,
    limit: Duration,
    future: impl Future<Output = Result<T, tokio_postgres::Error>>,
) -> Result<T, SqlError> {
    match runtime {
        Some(runtime) => within(runtime, limit, future),
        None => Err(SqlError::Late),
    }
}

/// Writes placeholders as PostgreSQL has them: `$1`. No statement has a question mark with another meaning.
fn placeholders(sql: &str) -> String {
    sql.replace('?', "$")
}
