//! From a source to a program, or to what Puppet says when it refuses one.

use std::sync::Arc;

use kukla_base::{Diagnostic, Phase, Place as DiagnosticPlace, Severity, Source};
use kukla_syntax::{Checked, Options, check};

use crate::log::{Entry, Level};
use crate::{Place, Program};

/// As many errors are shown as Puppet shows.
const MAX_ERRORS: usize = 10;

/// Why a source is no program, in Puppet's words.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Refusal {
    /// What is wrong.
    pub message: String,
    /// Where.
    pub place: Option<Place>,
    /// Whether the source could be read, but defines what may not be defined.
    pub is_clash: bool,
}

impl std::fmt::Display for Refusal {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.message)?;
        self.place.as_ref().map_or(Ok(()), |place| place.fmt(f))
    }
}

/// The program of a source that belongs to no module; what it is warned of goes to the log.
pub fn program(
    text: &str,
    options: &Options,
    log: &mut Vec<Entry>,
) -> Result<Arc<Program>, Refusal> {
    accepted(check(text, options), &options.file, "", log)
}

/// Returns the program of a source of a module that was checked; warnings go to the log.
pub fn accepted(
    checked: Checked,
    file: &str,
    module: &str,
    log: &mut Vec<Entry>,
) -> Result<Arc<Program>, Refusal> {
    if checked.diagnostics.is_empty() {
        return Ok(Program::new(checked.ast, file, module));
    }
    let source = Source::new(file, checked.ast.source());
    log.extend(warnings(&checked.diagnostics, &source));
    match refusal(&checked.diagnostics, &source, log) {
        Some(refusal) => Err(refusal),
        None => Ok(Program::new(checked.ast, file, module)),
    }
}

fn warnings(diagnostics: &[Diagnostic], source: &Source) -> Vec<Entry> {
    let warnings = diagnostics.iter().filter(|diagnostic| !diagnostic.is_error());
    warnings.map(|diagnostic| entry(diagnostic, source, Level::Warning)).collect()
}

fn entry(diagnostic: &Diagnostic, source: &Source, level: Level) -> Entry {
    Entry {
        level,
        message: diagnostic.message.clone(),
        file: Some(source.name().into())
            .filter(|_| !matches!(diagnostic.place, DiagnosticPlace::Nowhere)),
        line: line_column(diagnostic, source).map(|(line, _)| line),
    }
}

fn line_column(diagnostic: &Diagnostic, source: &Source) -> Option<(u32, Option<u32>)> {
    let at = |offset| {
        let at = source.line_column(offset);
        (at.line, at.column)
    };
    match diagnostic.place {
        DiagnosticPlace::At(offset) => {
            let (line, column) = at(offset);
            Some((line, Some(column)))
        }
        DiagnosticPlace::Line(offset) => Some((at(offset).0, None)),
        DiagnosticPlace::File | DiagnosticPlace::Nowhere => None,
    }
}

/// Why the code is not evaluated, if there are errors.
fn refusal(diagnostics: &[Diagnostic], source: &Source, log: &mut Vec<Entry>) -> Option<Refusal> {
    let errors: Vec<&Diagnostic> = diagnostics.iter().filter(|d| d.is_error()).collect();
    let first = *errors.first()?;
    let n_warnings = diagnostics.iter().filter(|d| d.severity == Severity::Warning).count();
    if errors.len() == 1 || first.phase != Phase::Validate {
        return Some(with_place(first, source));
    }
    log.extend(errors.iter().take(MAX_ERRORS).map(|error| entry(error, source, Level::Err)));
    let warnings = match n_warnings {
        0 => String::new(),
        n => format!(", and {n} warnings"),
    };
    let n_errors = errors.len();
    let message = format!("Language validation logged {n_errors} errors{warnings}. Giving up");
    Some(Refusal { message, place: Some(place(source, None)), is_clash: false })
}

/// Why a text is not evaluated, if there are errors: several are one.
pub(crate) fn refusal_of(diagnostics: &[Diagnostic], file: &str, text: &str) -> Option<Refusal> {
    refusal(diagnostics, &Source::new(file, text), &mut Vec::new())
}

fn with_place(diagnostic: &Diagnostic, source: &Source) -> Refusal {
    let message = diagnostic.message.clone();
    let place = match (line_column(diagnostic, source), diagnostic.place) {
        (_, DiagnosticPlace::Nowhere) => None,
        (at, _) => Some(place(source, at)),
    };
    Refusal { message, place, is_clash: diagnostic.phase == Phase::Load }
}

fn place(source: &Source, at: Option<(u32, Option<u32>)>) -> Place {
    let (line, column) = at.unwrap_or((0, None));
    Place { file: source.name().into(), line, column: column.unwrap_or(0) }
}
