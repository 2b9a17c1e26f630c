//! One line per diagnostic, in exactly the words that Puppet prints.
//!
//! Puppet stops at the first error of its parser, and then names the environment. So it does when
//! validation finds a single error. When there are more it logs each of them without that preface,
//! and so it does with definitions that clash.
//! Messages about templates never have the preface. Puppet's remaining lines (the number of errors it logged, how to get
//! help) are left out.

use super::{FileReport, Kind, Report, printable, printable_message};
use crate::{Diagnostic, DiagnosticPlace, LineColumn, Phase, Severity};

const PREFACE: &str = "Could not parse for environment production: ";

/// Renders all diagnostics, one per line.
pub fn render(report: &Report) -> String {
    report.files.iter().map(render_file).collect()
}

/// Renders the diagnostics of one file, one per line.
pub fn render_file(file: &FileReport) -> String {
    let n_errors = file.n_errors();
    file.diagnostics.iter().map(|diagnostic| line(file, diagnostic, n_errors)).collect()
}

fn line(file: &FileReport, diagnostic: &Diagnostic, n_errors: usize) -> String {
    let raised = match diagnostic.phase {
        Phase::Parse | Phase::Content => true,
        Phase::Validate => n_errors == 1,
        Phase::Load | Phase::Evaluate => false,
    };
    let level = match diagnostic.severity {
        Severity::Error => "Error",
        Severity::Warning | Severity::Deprecation => "Warning",
    };
    let prefaced = diagnostic.is_error() && raised && file.kind == Kind::Manifest;
    let preface = if prefaced { PREFACE } else { "" };
    let message = printable_message(&diagnostic.message);
    format!("{level}: {preface}{message}{}\n", location(file, diagnostic))
}

/// Returns the location that Puppet appends to a message, with the space before it.
fn location(file: &FileReport, diagnostic: &Diagnostic) -> String {
    if diagnostic.place == DiagnosticPlace::Nowhere {
        return String::new();
    }
    let place = diagnostic.line_column(&file.source);
    if let (DiagnosticPlace::Line(_), Some(LineColumn { line, .. })) = (diagnostic.place, place) {
        return match file.puppet_file.as_deref().map(printable) {
            Some(name) => format!(" (file: {name}, line: {line})"),
            None => format!(" (line: {line})"),
        };
    }
    let name = file.puppet_file.as_deref().map(printable);
    match (name, place) {
        (Some(name), Some(LineColumn { line, column })) => {
            format!(" (file: {name}, line: {line}, column: {column})")
        }
        (Some(name), None) => format!(" (file: {name})"),
        (None, Some(LineColumn { line, column })) => format!(" (line: {line}, column: {column})"),
        (None, None) => String::new(),
    }
}
