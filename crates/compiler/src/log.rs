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
    /// All levels, in the order in which they are declared.
    pub const ALL: [Self; 8] = [
        Self::Debug,
        Self::Info,
        Self::Notice,
        Self::Warning,
        Self::Err,
        Self::Alert,
        Self::Emerg,
        Self::Crit,
    ];

    /// Returns the level of that name: `warning`.
    pub fn parse(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|level| level.as_str() == name)
    }

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
    /// The scope or template that logged it, as Puppet prints it: `Scope(Class[main])`.
    pub source: Option<Arc<str>>,
    /// The text.
    pub message: String,
    /// The file of the call, if it is known.
    pub file: Option<Arc<str>>,
    /// The line of the call, if it is known.
    pub line: Option<u32>,
}

impl Entry {
    /// Creates an entry that has neither a source nor a place.
    pub const fn new(level: Level, message: String) -> Self {
        Self { level, source: None, message, file: None, line: None }
    }
}
