//! Reasons why a file is not served.

use std::io;

use hyper::StatusCode;

use crate::agents::exchange::RouteError;

/// A refusal of a request for files. The text is that of Puppet 7.23 where Puppet has one.
#[derive(Debug, thiserror::Error)]
pub enum FileError {
    /// The mount has no such file.
    #[error("Could not find {model} {key}")]
    NotFound {
        /// `file_metadata` or `file_content`.
        model: &'static str,
        /// The mount and path of the request.
        key: String,
    },
    /// The mount has no such file or directory to list.
    #[error("Could not find instances in file_metadata with '{key}'")]
    NoInstances {
        /// The mount and path of the request.
        key: String,
    },
    /// There is no mount of this name.
    #[error("Could not find mount '{name}'; fileserver.conf or a module can provide it")]
    NoMount {
        /// The name.
        name: String,
    },
    /// The path has a segment `..` or `.`.
    #[error("Invalid relative path (.. or .) in: {key}")]
    RelativePath {
        /// The mount and path of the request.
        key: String,
    },
    /// The path has a zero byte.
    #[error("Invalid zero byte in the path of the request")]
    ZeroByte,
    /// The path ends before the name of a module.
    #[error("No {what} specified")]
    Incomplete {
        /// `module` or `task`.
        what: &'static str,
    },
    /// A parameter of the query has a value that Puppet refuses.
    #[error("{0}")]
    Parameter(String),
    /// A directory has more entries than `max_files` allows.
    #[error(
        "The directory '{path}' contains {entries} entries, which exceeds the limit of {limit} specified by the max_files parameter for this resource. The limit may be increased, but be aware that large number of file resources can result in excessive resource consumption and degraded performance. Consider using an alternate method to manage large directory trees"
    )]
    TooManyFiles {
        /// The directory.
        path: String,
        /// The number of its entries.
        entries: usize,
        /// The limit of the request.
        limit: usize,
    },
    /// A directory has more entries than this server lists.
    #[error(
        "The directory '{path}' contains more than {limit} entries, the most that one request may list"
    )]
    Endless {
        /// The directory.
        path: String,
        /// The limit of the server.
        limit: usize,
    },
    /// A device, or a FIFO whose content was requested.
    #[error("Cannot manage files of type {kind}: {path}")]
    Special {
        /// Ruby's name of the type.
        kind: &'static str,
        /// The file.
        path: String,
    },
    /// A name in a directory is not UTF-8.
    #[error("The name of a file is not UTF-8: {path}")]
    NotUtf8 {
        /// The path, with replacement characters.
        path: String,
    },
    /// The system refuses to read a file.
    #[error("{} - {path}", reason(error))]
    Unreadable {
        /// The file.
        path: String,
        /// The system's reason.
        error: io::Error,
    },
}

impl FileError {
    pub(super) fn unreadable(path: &str) -> impl FnOnce(io::Error) -> Self {
        let path = path.to_owned();
        move |error| Self::Unreadable { path, error }
    }
}

impl From<FileError> for RouteError {
    fn from(error: FileError) -> Self {
        let words = error.to_string();
        match error {
            FileError::NotFound { .. }
            | FileError::NoInstances { .. }
            | FileError::NoMount { .. } => Self::NotFound(words),
            FileError::RelativePath { .. } => Self::text(StatusCode::BAD_REQUEST, words),
            FileError::ZeroByte => Self::BadRequest(words),
            _ => Self::Failed(words),
        }
    }
}

/// Returns the system's words without Rust's error number.
fn reason(error: &io::Error) -> String {
    let text = error.to_string();
    match text.split_once(" (os error") {
        Some((words, _)) => words.to_owned(),
        None => text,
    }
}
