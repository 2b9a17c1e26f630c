//! JSON for programs, with a stable schema.
//!
//! ```json
//! {
//!   "version": 1,
//!   "summary": { "files": 12, "errors": 1, "warnings": 0 },
//!   "diagnostics": [
//!     {
//!       "file": "manifests/site.pp",
//!       "code": "syntax-error",
//!       "severity": "error",
//!       "message": "Syntax error at '}'",
//!       "line": 3,
//!       "column": 1,
//!       "span": {
//!         "start": { "offset": 31, "line": 3, "column": 1 },
//!         "end": { "offset": 32, "line": 3, "column": 2 }
//!       },
//!       "label": null,
//!       "labels": [],
//!       "help": null
//!     }
//!   ]
//! }
//! ```
//!
//! - `version`: of the schema. Fields may be added under the same version, so ignore unknown ones; a field that is removed or
//!   changes its meaning gets a new version.
//! - `severity`: `error`, `warning` or `deprecation`.
//! - `line`, `column`: those that Puppet names; `null` when it names none, as at the end of input.
//! - `span`: the text that the diagnostic is about. Offsets are in bytes from 0, lines from 1, columns in characters from 1;
//!   `end` is just after the last character.
//! - `stack`: the calls that led to an error of an evaluation, the innermost first; absent if there are none.
//! - `label`: the note at the span; `labels`: notes at other spans of the same file, each `{ text, span }`.

use serde_json::{Value, json};

use super::pieces::with_items;
use super::position::region;
use super::{FileReport, Report, severity_word};
use crate::{Diagnostic, Label, LineColumn, Source, Span};

/// The version of the schema.
pub const VERSION: u32 = 1;

/// Renders the whole report as one JSON document.
pub fn render(report: &Report) -> String {
    let document = json!({
        "version": VERSION,
        "summary": {
            "files": report.files.len(),
            "errors": report.n_errors(),
            "warnings": report.n_warnings(),
        },
        "diagnostics": [],
    });
    let diagnostics = report.diagnostics().map(|(file, one)| diagnostic(file, one));
    with_items(&document, "diagnostics", 2, diagnostics)
}

fn diagnostic(file: &FileReport, diagnostic: &Diagnostic) -> Value {
    let source = &file.source;
    let at = diagnostic.line_column(source);
    let mut value = json!({
        "file": source.name(),
        "code": diagnostic.code,
        "severity": severity_word(diagnostic.severity),
        "message": diagnostic.message,
        "line": at.map(|at| at.line),
        "column": at.map(|at| at.column),
        "span": span(source, diagnostic.span),
        "label": diagnostic.label,
        "labels": diagnostic.labels.iter().map(|l| label(source, l)).collect::<Vec<_>>(),
        "help": diagnostic.help,
    });
    if !diagnostic.stack.is_empty() {
        value["stack"] = diagnostic.stack.clone().into();
    }
    value
}

fn label(source: &Source, label: &Label) -> Value {
    json!({ "text": label.text, "span": span(source, label.span) })
}

fn span(source: &Source, span: Span) -> Value {
    let region = region(source, span);
    json!({ "start": point(span.start, region.start), "end": point(span.end(), region.end) })
}

fn point(offset: u32, LineColumn { line, column }: LineColumn) -> Value {
    json!({ "offset": offset, "line": line, "column": column })
}
