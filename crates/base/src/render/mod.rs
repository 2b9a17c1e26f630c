//! Diagnostics as people and machines read them.
//!
//! One model, a [`Report`], and one file a renderer. Each is a function from the report to a string;
//! who calls it decides where the string goes.

mod excerpt;
mod pieces;
mod position;

pub mod concise;
pub mod github;
pub mod json;
pub mod junit;
pub mod sarif;
pub mod text;

#[cfg(test)]
mod tests;

use crate::{Diagnostic, Severity, Source};

/// What one run found, a file at a time, in the order in which it is to be shown.
#[derive(Debug, Default)]
pub struct Report {
    /// Every file that was checked, the faultless ones too.
    pub files: Vec<FileReport>,
}

/// What was found in one source.
#[derive(Debug)]
pub struct FileReport {
    /// The text and the name that people know it by. The text of a faultless file may be empty:
    /// there is nothing to show of it.
    pub source: Source,
    /// What kind of source it is.
    pub kind: Kind,
    /// The name of the file in Puppet's messages, none when Puppet names no file.
    pub puppet_file: Option<String>,
    /// The complaints, in the order in which they are to be shown.
    pub diagnostics: Vec<Diagnostic>,
}

/// What kind of source a file is: Puppet words its messages differently.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Puppet code, as in `.pp` files.
    Manifest,
    /// A template, as in `.epp` files.
    Template,
    /// Data, as in `.yaml` and `.pdl` files; Puppet reads them, but does not complain of them so.
    Data,
    /// Rules in the language P, as in `.p` files; Puppet never sees them.
    Rules,
}

impl Report {
    /// The number of errors in all files.
    pub fn n_errors(&self) -> usize {
        self.files.iter().map(FileReport::n_errors).sum()
    }

    /// The number of warnings and deprecations in all files.
    pub fn n_warnings(&self) -> usize {
        self.files.iter().map(|file| file.diagnostics.len() - file.n_errors()).sum()
    }

    /// Every complaint with the file that it is about.
    fn diagnostics(&self) -> impl Iterator<Item = (&FileReport, &Diagnostic)> {
        self.files.iter().flat_map(|file| file.diagnostics.iter().map(move |d| (file, d)))
    }
}

impl FileReport {
    /// The number of errors.
    pub fn n_errors(&self) -> usize {
        self.diagnostics.iter().filter(|diagnostic| diagnostic.is_error()).count()
    }
}

/// The word for a severity.
fn severity_word(severity: Severity) -> &'static str {
    match severity {
        Severity::Error => "error",
        Severity::Warning => "warning",
        Severity::Deprecation => "deprecation",
    }
}
