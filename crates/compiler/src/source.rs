//! From a source to a program, or to what Puppet says when it refuses one.

use std::sync::Arc;

use kukla_base::{Diagnostic, DiagnosticPlace, Phase, Severity, Source};
use kukla_syntax::{Checked, Options, check};

use crate::issues::{self, Issue};
use crate::log::{Entry, Level};
use crate::{Fault, Located, Logged, Place, Program, SourceSpan, Stop};

/// As many errors are shown as Puppet shows.
const MAX_ERRORS: usize = 10;

/// Why a source is no program.
#[derive(Clone, Debug)]
pub struct Refusal {
    /// The error.
    pub issue: Issue,
    /// The place that Puppet names.
    pub place: Option<Place>,
    /// The text to underline.
    pub at: Option<Box<SourceSpan>>,
    /// Whether the source could be read, but defines what may not be defined.
    pub is_clash: bool,
}

impl Refusal {
    /// Returns the refusal of a file as a whole.
    pub const fn of_file(issue: Issue, place: Option<Place>) -> Self {
        Self { issue, place, at: None, is_clash: false }
    }

    /// Returns the fault of the function that was to render a template.
    pub(crate) fn in_template(self, function: &str) -> Box<Stop> {
        let fault =
            Fault::new(issues::invalid_epp(function, &self), Located::ByInnermostExpression);
        match self.at {
            Some(at) => fault.underlined(*at).into(),
            None => fault.into(),
        }
    }
}

impl From<Refusal> for Fault {
    fn from(refusal: Refusal) -> Self {
        let located = match refusal.place {
            Some(place) => Located::At(place, Logged::Beside),
            None => Located::Nowhere(Logged::Beside),
        };
        let fault = Self::new(refusal.issue, located);
        match refusal.at {
            Some(at) => fault.underlined(*at),
            None => fault,
        }
    }
}

impl std::fmt::Display for Refusal {
    /// Puppet's message with its place.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.issue.message())?;
        self.place.as_ref().map_or(Ok(()), |place| place.fmt(f))
    }
}

impl std::error::Error for Refusal {}

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
    let source = Arc::new(Source::new(file, checked.ast.source()));
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
        file: Some(source.name().into())
            .filter(|_| !matches!(diagnostic.place, DiagnosticPlace::Nowhere)),
        line: line_column(diagnostic, source).map(|(line, _)| line),
        ..Entry::new(level, diagnostic.message.clone())
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
fn refusal(
    diagnostics: &[Diagnostic],
    source: &Arc<Source>,
    log: &mut Vec<Entry>,
) -> Option<Refusal> {
    let errors: Vec<&Diagnostic> = diagnostics.iter().filter(|d| d.is_error()).collect();
    let first = *errors.first()?;
    let n_warnings = diagnostics.iter().filter(|d| d.severity == Severity::Warning).count();
    if errors.len() == 1 || first.phase != Phase::Validate {
        return Some(with_place(first, source));
    }
    log.extend(errors.iter().take(MAX_ERRORS).map(|error| entry(error, source, Level::Err)));
    let issue = issues::validation_failed(errors.len(), n_warnings);
    let at = Some(Box::new(source_span(first, source)));
    Some(Refusal { issue, place: Some(place(source, None)), at, is_clash: false })
}

/// Why a text is not evaluated, if there are errors: several are one.
pub(crate) fn refusal_of(diagnostics: &[Diagnostic], file: &str, text: &str) -> Option<Refusal> {
    refusal(diagnostics, &Arc::new(Source::new(file, text)), &mut Vec::new())
}

fn with_place(diagnostic: &Diagnostic, source: &Arc<Source>) -> Refusal {
    let place = match (line_column(diagnostic, source), diagnostic.place) {
        (_, DiagnosticPlace::Nowhere) => None,
        (at, _) => Some(place(source, at)),
    };
    let at = Some(Box::new(source_span(diagnostic, source)));
    let issue = issues::of_diagnostic(diagnostic);
    Refusal { issue, place, at, is_clash: diagnostic.phase == Phase::Load }
}

fn source_span(diagnostic: &Diagnostic, source: &Arc<Source>) -> SourceSpan {
    let source = Arc::clone(source);
    let Diagnostic { span, label, labels, .. } = diagnostic;
    SourceSpan { source, span: *span, label: label.clone(), labels: labels.clone() }
}

fn place(source: &Source, at: Option<(u32, Option<u32>)>) -> Place {
    let (line, column) = at.unwrap_or((0, None));
    Place { file: source.name().into(), line, column: column.unwrap_or(0) }
}
