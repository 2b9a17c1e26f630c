//! Workflow commands of GitHub Actions, which become annotations of the changed lines.
//!
//! One line per diagnostic: `::error file=…,line=…,endLine=…,col=…,endColumn=…,title=…::message`.

use super::position::{Region, region, start};
use super::{FileReport, Report, printable, printable_message};
use crate::{Diagnostic, Severity};

/// Renders all diagnostics, one workflow command each.
pub fn render(report: &Report) -> String {
    report.diagnostics().map(|(file, diagnostic)| command(file, diagnostic)).collect()
}

fn command(file: &FileReport, diagnostic: &Diagnostic) -> String {
    let name = match diagnostic.severity {
        Severity::Error => "error",
        Severity::Warning | Severity::Deprecation => "warning",
    };
    let path = escape_property(&printable(file.source.name()));
    let title = escape_property(diagnostic.code);
    let place = place(file, diagnostic);
    format!(
        "::{name} file={path},{place},title={title}::{}\n",
        escape(&printable_message(&words(diagnostic)))
    )
}

/// Returns the location parameters. GitHub accepts columns only for annotations within one line.
fn place(file: &FileReport, diagnostic: &Diagnostic) -> String {
    let at = start(&file.source, diagnostic);
    let Region { end, .. } = region(&file.source, diagnostic.span);
    let (line, column) = (at.line, at.column);
    if end.line == line {
        let end_column = end.column.max(column);
        format!("line={line},endLine={line},col={column},endColumn={end_column}")
    } else {
        format!("line={line},endLine={}", end.line.max(line))
    }
}

fn words(diagnostic: &Diagnostic) -> String {
    match &diagnostic.help {
        Some(help) => format!("{}\nhelp: {help}", diagnostic.message),
        None => diagnostic.message.clone(),
    }
}

fn escape(text: &str) -> String {
    text.replace('%', "%25").replace('\r', "%0D").replace('\n', "%0A")
}

fn escape_property(text: &str) -> String {
    escape(text).replace(':', "%3A").replace(',', "%2C")
}
