//! The two dialects of SQL in which the tables are written.

/// The dialect of an engine.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Dialect {
    /// SQLite's.
    Sqlite,
    /// PostgreSQL's.
    PostgreSql,
}

/// Words of `tables.sql` with the types of SQLite and of PostgreSQL.
const WORDS: [(&str, &str, &str); 7] = [
    ("{id}", "INTEGER PRIMARY KEY", "BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY"),
    ("{int}", "INTEGER", "BIGINT"),
    ("{bool}", "INTEGER", "BOOLEAN"),
    ("{json}", "TEXT", "JSONB"),
    ("{bytes}", "BLOB", "BYTEA"),
    ("{hash}", "", "USING hash "),
    ("{without_rowid}", " WITHOUT ROWID", ""),
];

impl Dialect {
    /// Returns statements with the types of this dialect.
    pub(crate) fn written(self, sql: &str) -> String {
        let mut out = sql.to_owned();
        for (word, sqlite, postgresql) in WORDS {
            let own = match self {
                Self::Sqlite => sqlite,
                Self::PostgreSql => postgresql,
            };
            out = out.replace(word, own);
        }
        out
    }
}
