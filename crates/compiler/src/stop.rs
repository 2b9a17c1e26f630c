//! Why an evaluation stops before its end.

use std::sync::Arc;

use kukla_base::Symbol;
use kukla_pcore::Value;

use crate::compile::resource::At;
use crate::log::{Entry, Level};

/// A result, or why there is none.
pub type Eval<T> = Result<T, Box<Stop>>;

/// Why an evaluation stops: something is wrong, or a function told it to.
#[derive(Debug, Clone)]
pub enum Stop {
    /// Something is wrong.
    Fault(Fault),
    /// `break()`, on its way to the function that iterates.
    Break(Place),
    /// `next(value)`, on its way to the end of the block.
    Next(Value, Place),
    /// A parameter was read that has no value yet, on its way to the one whose default did it.
    UnsetParameter(Symbol),
    /// `$context.not_found`, on its way to the search for data.
    NotFound,
    /// `return(value)`, on its way to the end of the function, define or class.
    Return(Value, Place),
}

/// What is wrong, in Puppet's words.
#[derive(Debug, Clone)]
pub struct Fault {
    /// The message; once there is a place it begins with `Evaluation Error:`.
    pub message: String,
    /// Where. What has none gets that of the innermost expression that is evaluated.
    pub place: Option<Place>,
    /// Whether the message is complete: no expression adds its name, though there is no place.
    pub is_final: bool,
    /// Whether Puppet logs its place beside the message, not in it.
    pub is_issue: bool,
}

/// A place in a source.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Place {
    /// The file; empty if there is none.
    pub file: Arc<str>,
    /// From 1; 0 if it is not known.
    pub line: u32,
    /// From 1, in characters; 0 if it is not known.
    pub column: u32,
}

/// Stops with a message; the innermost expression adds its name and place.
pub fn fault<T>(message: impl Into<String>) -> Eval<T> {
    Err(Stop::fault(message))
}

impl Stop {
    /// A message; the innermost expression adds its name and place.
    pub fn fault(message: impl Into<String>) -> Box<Self> {
        Self::made(message.into(), None, false, false)
    }

    /// A message that is complete without a place.
    pub fn final_fault(message: impl Into<String>) -> Box<Self> {
        Self::made(message.into(), None, true, false)
    }

    /// A message with its place.
    pub fn fault_at(message: impl Into<String>, place: Place) -> Box<Self> {
        Self::made(message.into(), Some(place), true, true)
    }

    /// A message with a file and a line, which no expression adds its name to.
    pub(crate) fn fault_at_line(message: impl Into<String>, at: &At) -> Box<Self> {
        let place = at.line.map(|line| Place {
            file: at.file.map_or("", Symbol::as_str).into(),
            line,
            column: 0,
        });
        let is_final = place.is_some();
        Self::made(message.into(), place, is_final, false)
    }

    /// A message that is complete, whose place is logged beside it if there is one.
    pub fn issue(message: impl Into<String>, place: Option<Place>) -> Box<Self> {
        Self::made(message.into(), place, true, true)
    }

    fn made(message: String, place: Option<Place>, is_final: bool, is_issue: bool) -> Box<Self> {
        Box::new(Self::Fault(Fault { message, place, is_final, is_issue }))
    }

    /// Whether it is `break()`.
    pub const fn is_break(&self) -> bool {
        matches!(self, Self::Break(_))
    }
}

impl Fault {
    /// The message with its place, as Puppet prints it.
    pub fn full_message(&self) -> String {
        match &self.place {
            Some(place) => format!("{}{place}", self.message),
            None => self.message.clone(),
        }
    }
}

impl Fault {
    /// What Puppet logs of it.
    pub(crate) fn entry(&self, node: &str) -> Entry {
        match (&self.place, self.is_issue) {
            (Some(place), true) => Entry {
                level: Level::Err,
                message: self.message.clone(),
                file: Some(Arc::clone(&place.file)).filter(|file| !file.is_empty()),
                line: Some(place.line).filter(|&line| line > 0),
            },
            (None, true) => {
                Entry { level: Level::Err, message: self.message.clone(), file: None, line: None }
            }
            (_, false) => {
                let message = format!("{} on node {node}", self.full_message());
                Entry { level: Level::Err, message, file: None, line: None }
            }
        }
    }
}

impl std::fmt::Display for Place {
    /// ` (file: /a.pp, line: 1, column: 2)`
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match (self.line, self.file.is_empty()) {
            (0, true) => return Ok(()),
            (0, false) => return write!(f, " (file: {})", self.file),
            _ => (),
        }
        match (self.file.is_empty(), self.column) {
            (true, 0) => write!(f, " (line: {})", self.line),
            (true, column) => write!(f, " (line: {}, column: {column})", self.line),
            (false, 0) => write!(f, " (file: {}, line: {})", self.file, self.line),
            (false, column) => {
                write!(f, " (file: {}, line: {}, column: {column})", self.file, self.line)
            }
        }
    }
}
