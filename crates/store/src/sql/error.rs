//! Errors of databases, and what they mean for those who write.

use std::error::Error as _;

use rusqlite::ErrorCode;
use tokio_postgres::error::SqlState;

/// An error of a database.
#[derive(Debug, thiserror::Error)]
pub(crate) enum SqlError {
    /// SQLite's.
    #[error("{}", sqlite_words(.0))]
    Sqlite(#[from] rusqlite::Error),
    /// PostgreSQL's.
    #[error("{}", postgres_words(.0))]
    Postgres(#[from] tokio_postgres::Error),
    /// The server can't be reached, or takes no connections at present.
    #[error("{0}")]
    Connection(String),
    /// The server gave no answer in time.
    #[error("the server gives no answer in time")]
    Late,
    /// The tables can't be used.
    #[error("{0}")]
    Unready(String),
    /// Something stored is not what it must be.
    #[error("{0}")]
    Damaged(String),
    /// Those who read want no more rows.
    #[error("no more rows are wanted")]
    Stopped,
}

impl SqlError {
    /// Whether a command alone is the reason, so that it would fail again; otherwise nothing can be stored at present.
    pub(crate) fn is_of_command(&self) -> bool {
        match self {
            Self::Sqlite(rusqlite::Error::SqliteFailure(error, _)) => matches!(
                error.code,
                ErrorCode::ConstraintViolation
                    | ErrorCode::TypeMismatch
                    | ErrorCode::TooBig
                    | ErrorCode::ParameterOutOfRange
                    | ErrorCode::Unknown
            ),
            Self::Sqlite(_) | Self::Damaged(_) => true,
            Self::Postgres(_) => {
                self.is_of_class("22") || self.is_of_class("23") || self.is_of_class("54")
            }
            Self::Connection(_) | Self::Late | Self::Unready(_) | Self::Stopped => false,
        }
    }

    /// Whether a transaction may succeed if it is begun again at once.
    pub(crate) fn may_pass(&self) -> bool {
        let is_state = |state: &SqlState| self.state() == Some(state);
        match self {
            Self::Postgres(error) if error.as_db_error().is_none() => true,
            Self::Postgres(_) => {
                self.is_of_class("40")
                    || self.is_of_class("57P")
                    || self.is_integrity()
                    || is_state(&SqlState::LOCK_NOT_AVAILABLE)
            }
            _ => false,
        }
    }

    /// Whether a row that others refer to is missing, or one exists already.
    pub(crate) fn is_integrity(&self) -> bool {
        self.is_of_class("23")
    }

    /// Whether a connection can't be used after it.
    pub(crate) fn ends_connection(&self) -> bool {
        match self {
            Self::Postgres(error) => error.as_db_error().is_none() || self.is_of_class("57P"),
            Self::Late => true,
            _ => false,
        }
    }

    /// Whether a server may accept the same connection later.
    pub(crate) fn is_temporary(&self) -> bool {
        match self {
            Self::Connection(_) | Self::Late => true,
            Self::Postgres(error) => {
                error.as_db_error().is_none() || self.is_of_class("57P") || self.is_of_class("53")
            }
            _ => false,
        }
    }

    /// Whether a query took longer than it may.
    pub(crate) fn is_late(&self) -> bool {
        match self {
            Self::Late => true,
            Self::Postgres(_) => self.state() == Some(&SqlState::QUERY_CANCELED),
            Self::Sqlite(error) => {
                error.sqlite_error_code() == Some(ErrorCode::OperationInterrupted)
            }
            _ => false,
        }
    }

    /// Whether a statement, or what it makes, is larger than it may be.
    pub(crate) fn is_too_large(&self) -> bool {
        match self {
            Self::Sqlite(error) => {
                let words = error.to_string();
                ["too big", "too large", "too many"].iter().any(|part| words.contains(part))
            }
            Self::Postgres(_) => self.is_of_class("54"),
            _ => false,
        }
    }

    /// Whether PostgreSQL says that a value of a query is wrong.
    pub(crate) fn is_wrong_value(&self) -> bool {
        self.is_of_class("22") || self.is_of_class("42")
    }

    fn state(&self) -> Option<&SqlState> {
        match self {
            Self::Postgres(error) => error.code(),
            _ => None,
        }
    }

    fn is_of_class(&self, class: &str) -> bool {
        self.state().is_some_and(|state| state.code().starts_with(class))
    }
}

/// Returns SQLite's message without its error code.
fn sqlite_words(error: &rusqlite::Error) -> String {
    match error {
        rusqlite::Error::SqliteFailure(_, Some(message)) => message.clone(),
        other => other.to_string(),
    }
}

/// Returns PostgreSQL's message without its detail, which may have content of rows.
fn postgres_words(error: &tokio_postgres::Error) -> String {
    match (error.as_db_error(), error.source()) {
        (Some(error), _) => format!("{}: {}", error.severity(), error.message()),
        (None, Some(source)) => format!("{error}: {source}"),
        (None, None) => error.to_string(),
    }
}
