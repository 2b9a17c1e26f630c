//! The engines of the store.

use std::path::Path;
use std::time::Duration;

use crate::StoreError;
use crate::postgres::{self, Address, Postgres};
use crate::sql::{Sql, SqlError, number};
use crate::sqlite::Sqlite;

/// The engine of a store.
#[derive(Debug)]
pub(crate) enum Engine {
    /// A file.
    Sqlite(Sqlite),
    /// A database that several servers share.
    Postgres(Box<Postgres>),
}

impl Engine {
    /// Opens a file; `is_target` says that it may be an unfinished copy.
    pub(crate) fn file(path: &Path, is_target: bool) -> Result<Self, StoreError> {
        Ok(Self::Sqlite(Sqlite::open(path, is_target)?))
    }

    /// Opens a database; `is_target` says that it may be an unfinished copy.
    pub(crate) fn database(address: Address, is_target: bool) -> Result<Self, StoreError> {
        let place = address.to_string();
        let opened = Postgres::open(address, is_target);
        let opened = opened.map_err(|error| StoreError::new(place, "read", error))?;
        Ok(Self::Postgres(Box::new(opened)))
    }

    pub(crate) fn place(&self) -> String {
        match self {
            Self::Sqlite(engine) => engine.path.display().to_string(),
            Self::Postgres(engine) => engine.address.to_string(),
        }
    }

    /// Changes the store, all or nothing; `change` may be called several times. `nodes` are the names of the nodes that
    /// it is about.
    pub(crate) fn write<T>(
        &self,
        nodes: &[&str],
        mut change: impl FnMut(&mut dyn Sql) -> Result<T, SqlError>,
    ) -> Result<T, SqlError> {
        match self {
            Self::Sqlite(engine) => engine.write(change),
            Self::Postgres(engine) => engine.write(nodes, &mut change),
        }
    }

    /// Reads from the store as it is at one moment; `limit` bounds the time.
    pub(crate) fn read<T>(
        &self,
        limit: Option<Duration>,
        read: impl FnOnce(&mut dyn Sql) -> Result<T, SqlError>,
    ) -> Result<T, SqlError> {
        match self {
            Self::Sqlite(engine) => engine.read(limit, read),
            Self::Postgres(engine) => engine.read(limit, read),
        }
    }

    /// Gives the space back that removed rows had.
    pub(crate) fn vacuum(&self, tables: &[&str]) -> Result<(), SqlError> {
        match self {
            Self::Sqlite(engine) => engine.vacuum(),
            Self::Postgres(engine) => engine.vacuum(tables),
        }
    }

    /// Returns what the engine finds wrong with its own files.
    pub(crate) fn problems(&self) -> Result<Vec<String>, SqlError> {
        match self {
            Self::Sqlite(engine) => engine.problems(),
            // PostgreSQL has no such check that every user may run.
            Self::Postgres(_) => Ok(Vec::new()),
        }
    }

    /// Returns the size of the tables.
    pub(crate) fn bytes(&self, sql: &mut dyn Sql, tables: &[&str]) -> Result<u64, SqlError> {
        match self {
            Self::Sqlite(_) => {
                let query =
                    "SELECT page_count * page_size FROM pragma_page_count(), pragma_page_size()";
                let n_bytes = number(sql, query, &[])?.unwrap_or(0);
                Ok(u64::try_from(n_bytes).unwrap_or(0))
            }
            Self::Postgres(_) => postgres::bytes(sql, tables),
        }
    }
}
