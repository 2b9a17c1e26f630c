//! Diagnostics as lists of plain values, shared by all encodings.
//!
//! A diagnostic is: code, severity, phase, place, offset of the place, start and length of its span,
//! message, label, help, and for every further label start, length and text. Severity, phase and place
//! are numbers in the order in which their types list them.

use kukla_base::{Diagnostic, DiagnosticPlace, Label, Phase, Severity, Span};

use super::XppError;
use kukla_syntax::explain;

/// A plain value.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum Atom {
    Undef,
    Number(u32),
    Text(String),
}

/// The error for a list of values that is not a diagnostic.
const BAD: XppError = XppError::Corrupt("a diagnostic is not well formed");

pub(super) fn to_atoms(diagnostic: &Diagnostic) -> Vec<Atom> {
    let Diagnostic { code, severity, phase, message, place, span, label, labels, help, stack: _ } =
        diagnostic;
    let (place, offset) = match *place {
        DiagnosticPlace::At(offset) => (0, offset),
        DiagnosticPlace::Line(offset) => (1, offset),
        DiagnosticPlace::File => (2, 0),
        DiagnosticPlace::Nowhere => (3, 0),
    };
    let mut atoms = vec![
        text(code),
        Atom::Number(severity_number(*severity)),
        Atom::Number(phase_number(*phase)),
        Atom::Number(place),
        Atom::Number(offset),
        Atom::Number(span.start),
        Atom::Number(span.len),
        text(message),
        label.as_deref().map_or(Atom::Undef, text),
        help.as_deref().map_or(Atom::Undef, text),
    ];
    for Label { span, text: words } in labels {
        atoms.extend([Atom::Number(span.start), Atom::Number(span.len), text(words)]);
    }
    atoms
}

pub(super) fn from_atoms(atoms: Vec<Atom>) -> Result<Diagnostic, XppError> {
    let mut atoms = Atoms(atoms.into_iter());
    let code = atoms.text()?;
    let code = explain::find(&code).ok_or(BAD)?.code;
    let severity = severity(atoms.number()?)?;
    let phase = phase(atoms.number()?)?;
    let place = place(atoms.number()?, atoms.number()?)?;
    let span = atoms.span()?;
    let message = atoms.text()?;
    let (label, help) = (atoms.optional()?, atoms.optional()?);
    let mut labels = Vec::new();
    while atoms.0.len() > 0 {
        labels.push(Label { span: atoms.span()?, text: atoms.text()? });
    }
    let stack = Vec::new();
    Ok(Diagnostic { code, severity, phase, message, place, span, label, labels, help, stack })
}

fn text(text: &str) -> Atom {
    Atom::Text(text.to_owned())
}

fn severity_number(severity: Severity) -> u32 {
    match severity {
        Severity::Error => 0,
        Severity::Warning => 1,
        Severity::Deprecation => 2,
    }
}

fn severity(number: u32) -> Result<Severity, XppError> {
    let all = [Severity::Error, Severity::Warning, Severity::Deprecation];
    all.into_iter().find(|&severity| severity_number(severity) == number).ok_or(BAD)
}

fn phase_number(phase: Phase) -> u32 {
    match phase {
        Phase::Parse => 0,
        Phase::Content => 1,
        Phase::Validate => 2,
        Phase::Load => 3,
        Phase::Evaluate => 4,
    }
}

fn phase(number: u32) -> Result<Phase, XppError> {
    let all = [Phase::Parse, Phase::Content, Phase::Validate, Phase::Load, Phase::Evaluate];
    all.into_iter().find(|&phase| phase_number(phase) == number).ok_or(BAD)
}

fn place(kind: u32, offset: u32) -> Result<DiagnosticPlace, XppError> {
    match kind {
        0 => Ok(DiagnosticPlace::At(offset)),
        1 => Ok(DiagnosticPlace::Line(offset)),
        2 => Ok(DiagnosticPlace::File),
        3 => Ok(DiagnosticPlace::Nowhere),
        _ => Err(BAD),
    }
}

struct Atoms(std::vec::IntoIter<Atom>);

impl Atoms {
    fn number(&mut self) -> Result<u32, XppError> {
        match self.0.next() {
            Some(Atom::Number(number)) => Ok(number),
            _ => Err(BAD),
        }
    }

    fn optional(&mut self) -> Result<Option<String>, XppError> {
        match self.0.next() {
            Some(Atom::Text(text)) => Ok(Some(text)),
            Some(Atom::Undef) => Ok(None),
            Some(Atom::Number(_)) | None => Err(BAD),
        }
    }

    fn text(&mut self) -> Result<String, XppError> {
        self.optional()?.ok_or(BAD)
    }

    fn span(&mut self) -> Result<Span, XppError> {
        let span = Span::new(self.number()?, self.number()?);
        span.start.checked_add(span.len).map(|_| span).ok_or(BAD)
    }
}
