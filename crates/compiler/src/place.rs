//! Places that Puppet names: a file, a line and a column.

use std::fmt;
use std::sync::Arc;

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

impl Place {
    /// Returns the place as tools write it: `/a.pp:1:2`, without the numbers that are not known.
    pub fn short(&self) -> String {
        let file = if self.file.is_empty() { "<code>" } else { &*self.file };
        match (self.line, self.column) {
            (0, _) => file.to_owned(),
            (line, 0) => format!("{file}:{line}"),
            (line, column) => format!("{file}:{line}:{column}"),
        }
    }
}

impl fmt::Display for Place {
    /// ` (file: /a.pp, line: 1, column: 2)`
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
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

/// Where something was written: a file and a line.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(crate) struct At {
    pub(crate) file: Option<Arc<str>>,
    pub(crate) line: Option<u32>,
}

impl At {
    /// The place, if the line is known.
    pub(crate) fn place(&self) -> Option<Place> {
        let file = self.file.clone().unwrap_or_default();
        Some(Place { file, line: self.line?, column: 0 })
    }

    /// `(file: /a.pp, line: 1)`, or nothing.
    pub(crate) fn text(&self) -> String {
        let file = self.file.as_deref().filter(|file| !file.is_empty());
        match (file, self.line) {
            (Some(file), Some(line)) => format!("(file: {file}, line: {line})"),
            (Some(file), None) => format!("(file: {file})"),
            (None, Some(line)) => format!("(line: {line})"),
            (None, None) => String::new(),
        }
    }

    /// Returns [`text`](Self::text) with a blank before it, or nothing.
    pub(crate) fn text_with_space(&self) -> String {
        match self.text() {
            text if text.is_empty() => text,
            text => format!(" {text}"),
        }
    }
}
