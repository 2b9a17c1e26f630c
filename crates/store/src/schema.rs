//! Tables, their versions, and the two dialects in which they are written.

mod dialect;
mod sqlite;

pub use dialect::Dialect;
pub(crate) use sqlite::{Unready, prepare};

/// The version of the tables, which is stored with them.
pub(crate) const VERSION: i64 = 2;

/// The tables of the current version.
const TABLES: &str = include_str!("schema/tables.sql");
