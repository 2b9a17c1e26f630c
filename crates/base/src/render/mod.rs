//! Renderers of diagnostics for people and machines.
//!
//! One model, a [`Report`], and one file per renderer. Each is a function from the report to a string; the caller decides
//! where the string goes.

mod excerpt;
mod pieces;
mod position;
mod printable;

pub mod concise;
pub mod github;
pub mod json;
pub mod junit;
pub mod sarif;
pub mod text;

#[cfg(test)]
mod tests;

pub use printable::{is_unprintable, printable, printable_message};

use crate::{Diagnostic, Severity, Source};

/// The diagnostics of one run, by file, in the order of the output.
#[derive(Debug, Default)]
pub struct Report {
    /// Every checked file, those without diagnostics too.
    pub files: Vec<FileReport>,
}

/// The diagnostics of one source.
#[derive(Debug)]
pub struct FileReport {
    /// The text and the name that people know it by. The text of a file without diagnostics may be empty: there is nothing to
    /// show of it.
    pub source: Source,
    /// The language of the source.
    pub kind: Kind,
    /// The name of the file in Puppet's messages, none when Puppet names no file.
    pub puppet_file: Option<String>,
    /// The diagnostics, in the order of the output.
    pub diagnostics: Vec<Diagnostic>,
}

/// The language of a source, on which the wording of Puppet's messages depends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Puppet code, as in `.pp` files.
    Manifest,
    /// A template, as in `.epp` files.
    Template,
    /// Data, as in `.yaml` and `.pdl` files; Puppet reads them, but reports their problems in other words.
    Data,
    /// Rules in the language P, as in `.p` files; Puppet never sees them.
    Rules,
}

impl Report {
    /// Counts the errors in all files.
    pub fn n_errors(&self) -> usize {
        self.files.iter().map(FileReport::n_errors).sum()
    }

    /// Counts the warnings and deprecations in all files.
    pub fn n_warnings(&self) -> usize {
        self.files.iter().map(|file| file.diagnostics.len() - file.n_errors()).sum()
    }

    /// Returns every diagnostic with its file.
    fn diagnostics(&self) -> impl Iterator<Item = (&FileReport, &Diagnostic)> {
        self.files.iter().flat_map(|file| file.diagnostics.iter().map(move |d| (file, d)))
    }
}

impl FileReport {
    /// Counts the errors.
    pub fn n_errors(&self) -> usize {
        self.diagnostics.iter().filter(|diagnostic| diagnostic.is_error()).count()
    }
}

/// Returns the word for a severity.
fn severity_word(severity: Severity) -> &'static str {
    match severity {
        Severity::Error => "error",
        Severity::Warning => "warning",
        Severity::Deprecation => "deprecation",
    }
}
