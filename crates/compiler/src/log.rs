//! The log of a program while it runs.

use std::sync::Arc;

/// How important a message is.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Level {
    /// For those who look for a mistake.
    Debug,
    /// For those who want to know.
    Info,
    /// Normal.
    Notice,
    /// Perhaps wrong.
    Warning,
    /// Wrong.
    Err,
    /// Needs to be fixed at once.
    Alert,
    /// Nothing works.
    Emerg,
    /// Critical.
    Crit,
}

impl Level {
    /// Its name in Puppet.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Debug => "debug",
            Self::Info => "info",
            Self::Notice => "notice",
            Self::Warning => "warning",
            Self::Err => "err",
            Self::Alert => "alert",
            Self::Emerg => "emerg",
            Self::Crit => "crit",
        }
    }
}

/// One message.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Entry {
    /// How important it is.
    pub level: Level,
    /// The text.
    pub message: String,
    /// The file of the call, if it is known.
    pub file: Option<Arc<str>>,
    /// The line of the call, if it is known.
    pub line: Option<u32>,
}
