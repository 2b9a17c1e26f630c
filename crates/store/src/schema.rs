//! Tables, their versions, and the two dialects in which they are written.

mod dialect;
mod sqlite;

pub use dialect::Dialect;
pub(crate) use sqlite::{Unready, prepare};

/// The version of the tables, which is stored with them.
pub(crate) const VERSION: i64 = 3;

/// The tables of version 2.
const TABLES: &str = include_str!("schema/tables.sql");

/// The tables that version 3 added.
const TABLES_3: &str = include_str!("schema/tables_3.sql");
