//! Why an evaluation stops before its end.

use std::sync::Arc;

use kukla_base::Symbol;
use kukla_pcore::Value;

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
}

/// A place in a source.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Place {
    /// The file; empty if there is none.
    pub file: Arc<str>,
    /// From 1.
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
        Box::new(Self::Fault(Fault { message: message.into(), place: None, is_final: false }))
    }

    /// A message that is complete without a place.
    pub fn final_fault(message: impl Into<String>) -> Box<Self> {
        Box::new(Self::Fault(Fault { message: message.into(), place: None, is_final: true }))
    }

    /// A message with its place.
    pub fn fault_at(message: impl Into<String>, place: Place) -> Box<Self> {
        Box::new(Self::Fault(Fault { message: message.into(), place: Some(place), is_final: true }))
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

impl std::fmt::Display for Place {
    /// ` (file: /a.pp, line: 1, column: 2)`
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
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
