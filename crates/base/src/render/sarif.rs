//! SARIF 2.1.0, which code scanning services read.

use serde_json::{Value, json};

use super::pieces::with_items;
use super::position::{Region, region};
use super::{FileReport, Report};
use crate::{Diagnostic, Label, Severity, Source, Span};

const SCHEMA: &str = "https://json.schemastore.org/sarif-2.1.0.json";

/// The program that made the report.
#[derive(Clone, Copy, Debug)]
pub struct Tool<'a> {
    /// Its name.
    pub name: &'a str,
    /// Its version.
    pub version: &'a str,
    /// The explanation of a code in Markdown, the first line being its title.
    pub explain: fn(code: &str) -> Option<&'static str>,
}

/// Renders the whole report as one SARIF log.
pub fn render(report: &Report, tool: &Tool<'_>) -> String {
    let codes = codes(report);
    let rules: Vec<Value> = codes.iter().map(|code| rule(code, tool)).collect();
    let driver = json!({ "name": tool.name, "semanticVersion": tool.version, "rules": rules });
    let log = json!({
        "$schema": SCHEMA,
        "version": "2.1.0",
        "runs": [{
            "tool": { "driver": driver },
            "columnKind": "unicodeCodePoints",
            "results": [],
        }],
    });
    let results = report.diagnostics().map(|(file, diagnostic)| result(file, diagnostic, &codes));
    with_items(&log, "results", 4, results)
}

/// Returns the codes that occur, each once, sorted.
fn codes(report: &Report) -> Vec<&'static str> {
    let mut codes: Vec<_> = report.diagnostics().map(|(_, diagnostic)| diagnostic.code).collect();
    codes.sort_unstable();
    codes.dedup();
    codes
}

fn rule(code: &str, tool: &Tool<'_>) -> Value {
    let Some(markdown) = (tool.explain)(code) else { return json!({ "id": code }) };
    let title = markdown.lines().next().unwrap_or(code).trim_start_matches(['#', ' ']);
    json!({
        "id": code,
        "shortDescription": { "text": title },
        "help": { "text": markdown, "markdown": markdown },
    })
}

fn result(file: &FileReport, diagnostic: &Diagnostic, codes: &[&str]) -> Value {
    let source = &file.source;
    let mut result = json!({
        "ruleId": diagnostic.code,
        "ruleIndex": codes.partition_point(|code| *code < diagnostic.code),
        "level": level(diagnostic.severity),
        "message": { "text": words(diagnostic) },
        "locations": [location(source, diagnostic.span)],
    });
    if !diagnostic.labels.is_empty() {
        let related = diagnostic.labels.iter().enumerate();
        result["relatedLocations"] =
            related.map(|(index, label)| related_location(source, index, label)).collect();
    }
    result
}

fn level(severity: Severity) -> &'static str {
    match severity {
        Severity::Error => "error",
        Severity::Warning => "warning",
        Severity::Deprecation => "note",
    }
}

fn words(diagnostic: &Diagnostic) -> String {
    match &diagnostic.help {
        Some(help) => format!("{}\n{help}", diagnostic.message),
        None => diagnostic.message.clone(),
    }
}

fn related_location(source: &Source, index: usize, label: &Label) -> Value {
    let mut location = location(source, label.span);
    location["id"] = json!(index);
    location["message"] = json!({ "text": label.text });
    location
}

fn location(source: &Source, span: Span) -> Value {
    let Region { start, end } = region(source, span);
    json!({
        "physicalLocation": {
            "artifactLocation": { "uri": uri(source.name()) },
            "region": {
                "startLine": start.line,
                "startColumn": start.column,
                "endLine": end.line,
                "endColumn": end.column,
            },
        },
    })
}

/// Converts a path to a URI reference: relative paths stay relative, absolute ones become `file:` URIs.
fn uri(path: &str) -> String {
    let relative = path.strip_prefix("./").unwrap_or(path);
    let scheme = if path.starts_with('/') { "file://" } else { "" };
    relative.bytes().fold(scheme.to_owned(), |mut uri, byte| {
        if byte.is_ascii_alphanumeric() || b"-._~/".contains(&byte) {
            uri.push(char::from(byte));
        } else {
            uri.extend(['%', hex(byte >> 4), hex(byte & 15)]);
        }
        uri
    })
}

fn hex(digit: u8) -> char {
    char::from(b"0123456789ABCDEF"[usize::from(digit)])
}
