//! Diagnostics in a form common to both sides, and their lines in specs.

use std::fmt;

use kukla_base::{Diagnostic, DiagnosticPlace, Phase, Severity, Source};

/// A diagnostic of Puppet or Kukla, without Kukla's own additions.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Issue {
    /// The phase in which it was reported.
    pub phase: Phase,
    /// The severity.
    pub severity: Severity,
    /// The code.
    pub code: Code,
    /// The place.
    pub place: Place,
    /// The message, with line breaks as `\n`.
    pub message: String,
}

/// Code of a diagnostic.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Code {
    /// `duplicate-parameter`
    Named(String),
    /// Puppet has a message, but no code.
    Unnamed,
    /// Puppet crashed with an exception of this Ruby class; message and place are meaningless.
    Crash(String),
}

/// Place of a diagnostic.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Place {
    /// Line and column, from 1.
    At(u32, u32),
    /// A line, no column.
    Line(u32),
    /// The file, no line.
    File,
    /// No place.
    Nowhere,
}

impl Issue {
    /// Whether it makes the source invalid.
    pub fn is_error(&self) -> bool {
        self.severity == Severity::Error
    }

    /// Whether `ours` equals this diagnostic of Puppet's.
    pub fn is_met_by(&self, ours: &Self) -> bool {
        let same_code = match &self.code {
            Code::Named(_) => self.code == ours.code,
            Code::Unnamed | Code::Crash(_) => true,
        };
        same_code
            && self.severity == ours.severity
            && self.place == ours.place
            && self.message == ours.message
    }

    /// Converts a diagnostic of Kukla's.
    pub fn of(diagnostic: &Diagnostic, source: &Source) -> Self {
        let place = match (diagnostic.place, diagnostic.line_column(source)) {
            (DiagnosticPlace::At(_), Some(at)) => Place::At(at.line, at.column),
            (DiagnosticPlace::Line(_), Some(at)) => Place::Line(at.line),
            (DiagnosticPlace::File, _) => Place::File,
            (DiagnosticPlace::Nowhere | DiagnosticPlace::At(_) | DiagnosticPlace::Line(_), _) => {
                Place::Nowhere
            }
        };
        Self {
            phase: diagnostic.phase,
            severity: diagnostic.severity,
            code: Code::Named(diagnostic.code.to_owned()),
            place,
            message: one_line(&diagnostic.message),
        }
    }

    /// Parses the line that [`fmt::Display`] writes. The phase is not written: it is taken as validation.
    pub fn parse(line: &str) -> Option<Self> {
        let mut words = line.splitn(4, ' ');
        let severity = match words.next()? {
            "error" => Severity::Error,
            "warning" => Severity::Warning,
            "deprecation" => Severity::Deprecation,
            _ => return None,
        };
        let code = parse_code(words.next()?);
        let place = parse_place(words.next()?)?;
        let message = words.next().unwrap_or_default().to_owned();
        Some(Self { phase: Phase::Validate, severity, code, place, message })
    }
}

impl fmt::Display for Issue {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let severity = match self.severity {
            Severity::Error => "error",
            Severity::Warning => "warning",
            Severity::Deprecation => "deprecation",
        };
        let code = match &self.code {
            Code::Named(code) | Code::Crash(code) => code,
            Code::Unnamed => "-",
        };
        write!(out, "{severity} {code} {}", self.place)?;
        if self.message.is_empty() { Ok(()) } else { write!(out, " {}", self.message) }
    }
}

impl fmt::Display for Place {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::At(line, column) => write!(out, "{line}:{column}"),
            Self::Line(line) => write!(out, "{line}"),
            Self::File => out.write_str("file"),
            Self::Nowhere => out.write_str("-"),
        }
    }
}

/// Returns the diagnostics that both sides must share, warnings first as Puppet prints them.
///
/// Puppet stops at the first error of its lexer or parser, or at the first heredoc with wrong content; so later
/// diagnostics, and those of validation, are left out.
pub fn comparable(issues: Vec<Issue>) -> Vec<Issue> {
    let stop = issues.iter().position(|issue| issue.is_error() && issue.phase != Phase::Validate);
    let (mut warnings, errors): (Vec<_>, Vec<_>) = match stop {
        Some(stop) => issues
            .into_iter()
            .take(stop + 1)
            .filter(|issue| issue.phase != Phase::Validate)
            .partition(|issue| !issue.is_error()),
        None => issues.into_iter().partition(|issue| !issue.is_error()),
    };
    warnings.extend(errors);
    warnings
}

/// Returns a message on one line.
pub fn one_line(message: &str) -> String {
    message.replace('\n', "\\n").replace('\r', "\\r").replace('\0', "\\0")
}

/// Converts `SYNTAX_ERROR` to Kukla's spelling, `syntax-error`.
pub fn kebab_case(code: &str) -> String {
    code.to_ascii_lowercase().replace('_', "-")
}

fn parse_code(word: &str) -> Code {
    match word {
        "-" => Code::Unnamed,
        class if class.starts_with(|first: char| first.is_ascii_uppercase()) => {
            Code::Crash(class.to_owned())
        }
        code => Code::Named(code.to_owned()),
    }
}

fn parse_place(word: &str) -> Option<Place> {
    match word {
        "file" => Some(Place::File),
        "-" => Some(Place::Nowhere),
        at => Some(match at.split_once(':') {
            Some((line, column)) => Place::At(line.parse().ok()?, column.parse().ok()?),
            None => Place::Line(at.parse().ok()?),
        }),
    }
}
