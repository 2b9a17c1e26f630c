//! Errors of the store.

use std::fmt::Display;

/// An error of reading or writing the store.
#[derive(Debug, thiserror::Error)]
#[error("the store `{place}` can't be {task}: {reason}")]
pub struct StoreError {
    place: String,
    task: &'static str,
    reason: String,
}

impl StoreError {
    pub(crate) fn new(place: impl Display, task: &'static str, reason: impl Display) -> Self {
        Self { place: place.to_string(), task, reason: reason.to_string() }
    }
}

/// A command that can't be accepted.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum CommandError {
    /// Its name is unknown.
    #[error("Supported commands are {supported}. Received '{0}'.", supported = crate::command::names())]
    Name(String),
    /// Its version is not one that is accepted.
    #[error("{name} version {version} is {state}", state = if *.is_newer { "not known yet" } else { "retired" })]
    Version {
        /// The name of the command.
        name: String,
        /// The version that was sent.
        version: i64,
        /// Whether it is above all that are known.
        is_newer: bool,
    },
    /// Its payload is no JSON.
    #[error("the payload is no JSON: {0}")]
    Json(String),
    /// Something in its payload is not as it must be.
    #[error("{place}: expected {expected}")]
    Payload {
        /// Where: `resources[3].title`.
        place: String,
        /// The kind of value that is expected there.
        expected: &'static str,
    },
}
