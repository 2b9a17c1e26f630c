//! Findings by file.

use std::collections::{BTreeMap, BTreeSet};

use kukla_base::render::{FileReport, Kind, Report};
use kukla_base::{Diagnostic, Severity, Source, Span};
use kukla_world::paths::Anchor;
use kukla_world::{Disk, MAX_FILE, World};

use crate::paths::display;

/// All findings so far.
#[derive(Debug, Default)]
pub(super) struct Findings {
    files: BTreeMap<String, Vec<Finding>>,
    /// Diagnostics of files that could be parsed only in parts; their spans are positions in the file.
    diagnostics: BTreeMap<String, Vec<Diagnostic>>,
    /// Files whose values must not appear in excerpts because they may hold secrets.
    redacted_files: BTreeSet<String>,
}

/// One finding.
#[derive(Debug)]
struct Finding {
    line: u32,
    code: &'static str,
    severity: Severity,
    message: String,
    help: Option<String>,
}

impl Findings {
    /// Notes that a file was checked.
    pub(super) fn add_file(&mut self, file: &str) {
        self.files.entry(file.to_owned()).or_default();
    }

    /// Redacts the values of a file in excerpts.
    pub(super) fn redact(&mut self, file: &str) {
        self.redacted_files.insert(file.to_owned());
    }

    /// Adds an error.
    pub(super) fn error(&mut self, code: &'static str, file: &str, line: u32, message: String) {
        self.add(code, Severity::Error, file, line, message, None);
    }

    /// Adds a warning.
    pub(super) fn warning(&mut self, code: &'static str, file: &str, line: u32, message: String) {
        self.add(code, Severity::Warning, file, line, message, None);
    }

    /// Adds a finding with help.
    pub(super) fn add(
        &mut self,
        code: &'static str,
        severity: Severity,
        file: &str,
        line: u32,
        message: String,
        help: Option<String>,
    ) {
        let finding = Finding { line, code, severity, message, help };
        self.files.entry(file.to_owned()).or_default().push(finding);
    }

    /// Adds the diagnostics of a file's parser.
    pub(super) fn diagnostics(&mut self, file: &str, diagnostics: Vec<Diagnostic>) {
        self.add_file(file);
        self.diagnostics.entry(file.to_owned()).or_default().extend(diagnostics);
    }

    /// Returns the report, in the order of files and lines.
    pub(super) fn report(mut self, anchor: &Anchor) -> Report {
        let mut report = Report::default();
        for (file, mut findings) in self.files {
            findings.sort_by_key(|finding| finding.line);
            let is_redacted = self.redacted_files.contains(&file);
            let parsed = self.diagnostics.remove(&file).unwrap_or_default();
            let text = match findings.is_empty() && parsed.is_empty() {
                true => String::new(),
                false => excerpt_text(&file, is_redacted),
            };
            let source = Source::new(display(&file, anchor), text);
            let mut diagnostics: Vec<Diagnostic> =
                findings.into_iter().map(|it| diagnostic(it, &source)).collect();
            diagnostics.extend(parsed);
            diagnostics.sort_by_key(|diagnostic| diagnostic.span.start);
            let puppet_file = Some(file);
            report.files.push(FileReport { source, kind: Kind::Data, puppet_file, diagnostics });
        }
        report
    }
}

/// Returns the text of a file for excerpts; of a redacted file only the beginning of each line is shown.
fn excerpt_text(file: &str, is_redacted: bool) -> String {
    let bytes = Disk.read(file, MAX_FILE).map(|opened| opened.bytes).unwrap_or_default();
    let text = String::from_utf8_lossy(&bytes);
    if !is_redacted {
        return text.into_owned();
    }
    let mut out = String::with_capacity(text.len());
    for line in text.lines() {
        match line.find([':', '=']) {
            Some(end) => {
                out.push_str(&line[..=end]);
                out.push_str(" …");
            }
            None => out.push('…'),
        }
        out.push('\n');
    }
    out
}

fn diagnostic(finding: Finding, source: &Source) -> Diagnostic {
    let starts = source.line_starts();
    let index = usize::try_from(finding.line.max(1) - 1).unwrap_or(0);
    let start = starts.get(index).copied().unwrap_or(0);
    let end = starts.get(index + 1).copied();
    let length = u32::try_from(source.text().len()).unwrap_or(u32::MAX);
    let end = end.unwrap_or(length).max(start);
    let line = source.text().get(start as usize..end as usize).unwrap_or_default();
    let indent = line.len() - line.trim_start().len();
    let trimmed = line.trim();
    let start = start + u32::try_from(indent).unwrap_or(0);
    let length = u32::try_from(trimmed.len()).unwrap_or(0);
    let start = if trimmed.is_empty() { start - u32::try_from(indent).unwrap_or(0) } else { start };
    let span = Span::new(start, length);
    let diagnostic =
        Diagnostic::error(finding.code, span, finding.message).severity(finding.severity);
    match finding.help {
        Some(help) => diagnostic.help(help),
        None => diagnostic,
    }
}
