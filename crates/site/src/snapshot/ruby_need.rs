//! Reasons why Ruby code needs a real Ruby, and why it can't be run at all.

use std::io;

use kukla_foreign::{RubyError, Unsupported};
use kukla_worker::WorkerError;

/// A reason why the interpreter does not run Ruby code.
#[derive(Debug, thiserror::Error)]
pub(crate) enum RubyNeed {
    /// The setting `ruby_worker` demands it.
    #[error("the setting ruby_worker is always")]
    Always,
    /// The interpreter does not support something in the code.
    #[error(transparent)]
    Unsupported(#[from] Unsupported),
    /// The interpreter can't read the file.
    #[error(transparent)]
    Unreadable(#[from] io::Error),
}

/// A reason why there is no real Ruby.
#[derive(Debug, thiserror::Error)]
pub(crate) enum NoWorker {
    /// It may not be used.
    #[error("the setting ruby_worker is off")]
    Off,
    /// It can't be started.
    #[error(transparent)]
    NotStarted(#[from] WorkerError),
}

/// A reason why Ruby code can't be run.
#[derive(Debug, thiserror::Error)]
pub(crate) enum CannotRun {
    /// It needs a real Ruby, and there is none.
    #[error("{need}, and {error}")]
    NoWorker {
        /// The need.
        need: RubyNeed,
        /// The reason.
        error: NoWorker,
    },
    /// A real Ruby can't load it.
    #[error("{need}, and loading it fails: {error}")]
    NotLoaded {
        /// The need.
        need: RubyNeed,
        /// Ruby's error, boxed because it is large.
        error: Box<RubyError>,
    },
    /// The file of a function defines another one.
    #[error("it defines another function")]
    OtherFunction,
    /// A template can't be read.
    #[error(transparent)]
    Unreadable(#[from] io::Error),
}
