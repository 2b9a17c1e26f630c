//! Reasons why a search ends without a value.

use std::fmt;

use kukla_base::cancel;

use crate::trace::Origin;

/// Result of a search: a value, or the reason why there is none.
pub type Search<T> = Result<T, Miss>;

/// Reason why a search has no value.
#[derive(Clone, Debug)]
pub enum Miss {
    /// The key does not exist here; the search continues elsewhere.
    NotFound,
    /// The search failed.
    Fault(Box<Fault>),
}

/// Returns an error if the compilation that this thread works on is to stop.
pub(crate) fn may_go_on() -> Search<()> {
    match cancel::requested() {
        None => Ok(()),
        Some(reason) => Err(Miss::Fault(Box::new(Fault::other(reason.to_string())))),
    }
}

/// An error in Puppet's words.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Fault {
    /// The kind of exception that Puppet raises; some are wrapped by callers.
    pub kind: FaultKind,
    /// The message, without the place.
    pub message: String,
    /// The configuration file that caused it.
    pub file: Option<String>,
    /// The line in it.
    pub line: Option<u32>,
    /// The column in that line.
    pub column: Option<u32>,
    /// The code of the issue, if it has one.
    pub code: Option<&'static str>,
    /// Where the fault is, if Puppet's message does not contain it.
    pub place: Option<Box<Origin>>,
    /// The undefined variable, if that is the fault.
    pub variable: Option<Box<str>>,
}

/// Kinds of exceptions that Puppet distinguishes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum FaultKind {
    /// A `Puppet::DataBinding::LookupError`, which `puppet lookup --explain` shows as part of its answer.
    Lookup,
    /// Any other `Puppet::Error`.
    Puppet,
    /// Any other error of Ruby's.
    Other,
}

impl Fault {
    fn new(kind: FaultKind, message: impl Into<String>) -> Self {
        Self {
            kind,
            message: message.into(),
            file: None,
            line: None,
            column: None,
            code: None,
            place: None,
            variable: None,
        }
    }

    /// Creates a lookup error without a place.
    pub fn lookup(message: impl Into<String>) -> Self {
        Self::new(FaultKind::Lookup, message)
    }

    /// Creates an error of Puppet.
    pub fn puppet(message: impl Into<String>) -> Self {
        Self::new(FaultKind::Puppet, message)
    }

    /// Creates an error of Ruby.
    pub fn other(message: impl Into<String>) -> Self {
        Self::new(FaultKind::Other, message)
    }

    /// Creates the error of an undefined variable, with a reason that may be empty.
    pub(crate) fn undefined_variable(name: &str, reason: &str) -> Self {
        let message = format!("Undefined variable '{name}'; {reason}");
        Self { variable: Some(name.into()), ..Self::other(message) }
    }

    /// Creates an error with a code, and the file that caused it.
    pub fn issue(code: &'static str, message: impl Into<String>, file: Option<&str>) -> Self {
        Self {
            file: file.map(str::to_owned),
            code: Some(code),
            ..Self::new(FaultKind::Lookup, message)
        }
    }

    /// Returns Puppet's message, with the place if the message does not contain it.
    pub fn message_with_place(&self) -> String {
        match self.place.as_deref() {
            Some(Origin { file, line, .. }) => format!("{self} (file: {file}, line: {line})"),
            None => self.to_string(),
        }
    }

    /// Sets the line.
    pub fn at(mut self, line: Option<u32>) -> Self {
        self.line = line;
        self
    }
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)?;
        match (&self.file, self.line) {
            (Some(file), Some(line)) => match self.column {
                Some(column) => write!(f, " (file: {file}, line: {line}, column: {column})"),
                None => write!(f, " (file: {file}, line: {line})"),
            },
            (Some(file), None) => write!(f, " (file: {file})"),
            (None, Some(line)) => write!(f, " (line: {line})"),
            (None, None) => Ok(()),
        }
    }
}

impl std::error::Error for Fault {}

impl From<Fault> for Miss {
    fn from(fault: Fault) -> Self {
        Self::Fault(Box::new(fault))
    }
}
