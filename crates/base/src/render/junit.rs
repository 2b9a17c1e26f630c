//! JUnit XML, which CI servers show as test results: one test case per file.
//!
//! A file with errors is a failed test; warnings are in its output. The words are those of the
//! `text` format, so that they show the source.

use super::printable::{printable, printable_message};
use super::text::{self, Style};
use super::{FileReport, Report};
use crate::Diagnostic;

/// Renders the whole report as one XML document.
pub fn render(report: &Report) -> String {
    let n_failures = report.files.iter().filter(|file| file.n_errors() > 0).count();
    let n_files = report.files.len();
    let counts = format!("tests=\"{n_files}\" failures=\"{n_failures}\" errors=\"0\"");
    let cases: String = report.files.iter().map(test_case).collect();
    format!(
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n\
         <testsuites {counts}>\n  \
         <testsuite name=\"kukla validate\" {counts} skipped=\"0\">\n\
         {cases}  \
         </testsuite>\n\
         </testsuites>\n"
    )
}

fn test_case(file: &FileReport) -> String {
    let name = escape(&printable(file.source.name()));
    let open = format!("    <testcase classname=\"kukla.validate\" name=\"{name}\"");
    if file.diagnostics.is_empty() {
        return format!("{open}/>\n");
    }
    let errors = failure(file);
    let warnings = output(file);
    format!("{open}>\n{errors}{warnings}    </testcase>\n")
}

/// Renders all errors of a file as one failure: CI servers show only the first.
fn failure(file: &FileReport) -> String {
    let Some(first) = file.diagnostics.iter().find(|diagnostic| diagnostic.is_error()) else {
        return String::new();
    };
    let more = match file.n_errors() - 1 {
        0 => String::new(),
        n => format!(" (and {n} more)"),
    };
    let message = escape(&printable_message(&format!("{}{more}", first.message)));
    let body = escape(&draw(file, Diagnostic::is_error));
    format!("      <failure type=\"{}\" message=\"{message}\">{body}</failure>\n", first.code)
}

fn output(file: &FileReport) -> String {
    let body = draw(file, |diagnostic| !diagnostic.is_error());
    if body.is_empty() {
        return String::new();
    }
    format!("      <system-out>{}</system-out>\n", escape(&body))
}

fn draw(file: &FileReport, is_chosen: impl Fn(&Diagnostic) -> bool) -> String {
    let chosen = file.diagnostics.iter().filter(|diagnostic| is_chosen(diagnostic));
    chosen.map(|diagnostic| text::render_diagnostic(file, diagnostic, Style::PLAIN)).collect()
}

/// Escapes text for XML character data and attribute values. Characters that XML 1.0 forbids become `U+FFFD`.
fn escape(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for character in text.chars() {
        match character {
            '&' => escaped.push_str("&amp;"),
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '"' => escaped.push_str("&quot;"),
            '\r' => escaped.push_str("&#13;"),
            '\n' | '\t' => escaped.push(character),
            '\0'..='\x1f' | '\u{fffe}' | '\u{ffff}' => escaped.push('\u{fffd}'),
            _ => escaped.push(character),
        }
    }
    escaped
}
