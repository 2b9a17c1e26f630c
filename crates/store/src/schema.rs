//! Tables, their versions, and the two dialects in which they are written.

mod dialect;
pub(crate) mod postgres;
mod sqlite;

use crate::sql::SqlError;

pub use dialect::Dialect;
pub(crate) use sqlite::prepare;

/// The version of the tables, which is stored with them.
pub(crate) const VERSION: i64 = 6;

/// The tables of version 2.
const TABLES: &str = include_str!("schema/tables.sql");

/// The tables that version 3 added.
const TABLES_3: &str = include_str!("schema/tables_3.sql");

/// The tables that version 4 added.
const TABLES_4: &str = include_str!("schema/tables_4.sql");

/// The tables and columns that version 5 added.
const TABLES_5: &str = include_str!("schema/tables_5.sql");

/// The table that version 6 added.
const TABLES_6: &str = include_str!("schema/tables_6.sql");

/// The reason why tables can't be used.
#[derive(Debug, thiserror::Error)]
pub(crate) enum Unready {
    /// An error of the database.
    #[error(transparent)]
    Sql(#[from] SqlError),
    /// They are of an unknown version.
    #[error("a newer Kukla wrote it (version {0} of its tables)")]
    Newer(i64),
    /// Another program has tables with such names.
    #[error("another program has its tables there: Kukla needs a database or a schema of its own")]
    Foreign,
    /// It is the target of a copy that was not finished.
    #[error("it is an unfinished copy: `kukla store migrate` with the same places goes on with it")]
    Unfinished,
    /// A database can't hold all texts.
    #[error("its encoding is not UTF8")]
    Encoding,
}

impl From<rusqlite::Error> for Unready {
    fn from(error: rusqlite::Error) -> Self {
        Self::Sql(error.into())
    }
}
