//! One line a complaint, in exactly the words that Puppet prints.
//!
//! Puppet stops at the first error of its parser, and then names the environment. So it does when
//! validation finds a single error. When there are more it logs each of them without that preface.
//! Templates are never prefaced. What Puppet says besides (how many errors it logged, how to get
//! help) is not repeated here.

use super::{FileReport, Kind, Report};
use crate::{Diagnostic, LineColumn, Phase, Place, Severity};

const PREFACE: &str = "Could not parse for environment production: ";

/// All complaints, a line each.
pub fn render(report: &Report) -> String {
    report.files.iter().map(render_file).collect()
}

/// The complaints about one file, a line each.
pub fn render_file(file: &FileReport) -> String {
    let n_errors = file.n_errors();
    file.diagnostics.iter().map(|diagnostic| line(file, diagnostic, n_errors)).collect()
}

fn line(file: &FileReport, diagnostic: &Diagnostic, n_errors: usize) -> String {
    let raised = diagnostic.phase == Phase::Parse || n_errors == 1;
    let level = match diagnostic.severity {
        Severity::Error => "Error",
        Severity::Warning | Severity::Deprecation => "Warning",
    };
    let prefaced = diagnostic.is_error() && raised && file.kind == Kind::Manifest;
    let preface = if prefaced { PREFACE } else { "" };
    format!("{level}: {preface}{}{}\n", diagnostic.message, location(file, diagnostic))
}

/// What Puppet appends to a message to say where, with the space before it.
fn location(file: &FileReport, diagnostic: &Diagnostic) -> String {
    if diagnostic.place == Place::Nowhere {
        return String::new();
    }
    match (&file.puppet_file, diagnostic.line_column(&file.source)) {
        (Some(name), Some(LineColumn { line, column })) => {
            format!(" (file: {name}, line: {line}, column: {column})")
        }
        (Some(name), None) => format!(" (file: {name})"),
        (None, Some(LineColumn { line, column })) => format!(" (line: {line}, column: {column})"),
        (None, None) => String::new(),
    }
}
