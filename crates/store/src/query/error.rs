//! Errors of queries, with PuppetDB's words where it has some.

use crate::StoreError;

const TEXT: &str = "text/plain;charset=utf-8";

/// An error of a query.
#[derive(Debug, thiserror::Error)]
pub enum QueryError {
    /// The query or a parameter is wrong.
    #[error("{0}")]
    Wrong(String),
    /// The address names something that is not stored: its kind, and its name.
    #[error("No information is known about {0} {1}")]
    Unknown(&'static str, String),
    /// No entity has this address.
    #[error("no such address; see /pdb/query/v4")]
    NoAddress,
    /// The query asks for more than the limits allow.
    #[error("{0}")]
    TooLarge(String),
    /// The store can't be read.
    #[error(transparent)]
    Store(#[from] StoreError),
}

impl QueryError {
    /// Returns an error with words.
    pub(crate) fn wrong(words: impl Into<String>) -> Self {
        Self::Wrong(words.into())
    }

    /// Returns the HTTP status of the error.
    pub fn status(&self) -> u16 {
        match self {
            Self::Wrong(_) => 400,
            Self::TooLarge(_) => 413,
            Self::Unknown(..) | Self::NoAddress => 404,
            Self::Store(_) => 500,
        }
    }

    /// Returns the content type and the body of the answer.
    pub fn body(&self) -> (&'static str, String) {
        match self {
            Self::Unknown(..) => (
                "application/json;charset=utf-8",
                serde_json::json!({"error": self.to_string()}).to_string(),
            ),
            Self::Wrong(_) | Self::NoAddress | Self::TooLarge(_) => (TEXT, self.to_string()),
            // The error names files and servers, which a client need not know.
            Self::Store(_) => {
                (TEXT, "The store can't be read; the server's log says why".to_owned())
            }
        }
    }
}

/// The result of reading a part of a query.
pub(crate) type Checked<T> = Result<T, QueryError>;
