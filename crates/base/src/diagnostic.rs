//! Errors, warnings and deprecations of a source.

use crate::{LineColumn, Source, Span};

/// The severity of a diagnostic.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Severity {
    /// The source can't be used.
    Error,
    /// The source can be used, but does not do what it seems to do.
    Warning,
    /// The source can be used by this version of Puppet, but not for ever.
    Deprecation,
}

/// The phase in which Puppet reports a problem.
///
/// Puppet stops at the first error of its lexer and parser, so such an error hides all that validation would find.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Phase {
    /// While it reads the text: Puppet stops here.
    Parse,
    /// While it checks the content of a heredoc: Puppet stops here too, and drops its earlier findings.
    Content,
    /// While it checks the tree: Puppet lists all of these.
    Validate,
    /// While it registers the definitions of the file: Puppet stops at the first of these.
    Load,
    /// While it evaluates code: Puppet stops at the first of these.
    Evaluate,
}

/// The location that Puppet names in a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum DiagnosticPlace {
    /// The line and column of this byte offset.
    At(u32),
    /// The line of this byte offset, without a column.
    Line(u32),
    /// The file, but no line: the end of the input.
    File,
    /// Neither file nor line: an exception inside Puppet that became a message.
    Nowhere,
}

/// A problem of a source, with its severity, its place and advice.
///
/// `message` keeps Puppet's words where Puppet has any. Built only by the functions of an `issues` module, so that the
/// words of each problem are in one place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Diagnostic {
    /// Puppet's name of the problem in kebab-case, such as `duplicate-parameter`.
    pub code: &'static str,
    /// The severity.
    pub severity: Severity,
    /// The phase in which Puppet reports it.
    pub phase: Phase,
    /// The headline, on one line.
    pub message: String,
    /// The place that Puppet names.
    pub place: DiagnosticPlace,
    /// The text to underline; at least as good as Puppet's place.
    pub span: Span,
    /// The note at the underlined text.
    pub label: Option<String>,
    /// Notes at related spans of the same source.
    pub labels: Vec<Label>,
    /// Advice for the user.
    pub help: Option<String>,
    /// The calls and declarations that led there, the innermost first: `in class ntp, declared at /site.pp:3`.
    pub stack: Vec<String>,
}

/// A note at a span of the same source.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Label {
    /// The place.
    pub span: Span,
    /// The text of the note.
    pub text: String,
}

impl Diagnostic {
    /// Creates an error of the parser, at the start of `span`.
    pub fn parse_error(code: &'static str, span: Span, message: impl Into<String>) -> Self {
        Self::new(code, Severity::Error, Phase::Parse, span, message.into())
    }

    /// Creates an error in the content of a heredoc that starts at `span`.
    pub fn content_error(code: &'static str, span: Span, message: impl Into<String>) -> Self {
        Self::new(code, Severity::Error, Phase::Content, span, message.into())
    }

    /// Creates an error of validation, at the start of `span`.
    pub fn error(code: &'static str, span: Span, message: impl Into<String>) -> Self {
        Self::new(code, Severity::Error, Phase::Validate, span, message.into())
    }

    /// Creates an error of registering a definition, at the start of `span`.
    pub fn load_error(code: &'static str, span: Span, message: impl Into<String>) -> Self {
        Self::new(code, Severity::Error, Phase::Load, span, message.into())
    }

    /// Creates an error of an evaluation, at the start of `span`.
    pub fn evaluation_error(code: &'static str, span: Span, message: impl Into<String>) -> Self {
        Self::new(code, Severity::Error, Phase::Evaluate, span, message.into())
    }

    fn new(
        code: &'static str,
        severity: Severity,
        phase: Phase,
        span: Span,
        message: String,
    ) -> Self {
        let place = DiagnosticPlace::At(span.start);
        Self {
            code,
            severity,
            phase,
            message,
            place,
            span,
            label: None,
            labels: Vec::new(),
            help: None,
            stack: Vec::new(),
        }
    }

    /// Replaces the severity.
    pub fn severity(self, severity: Severity) -> Self {
        Self { severity, ..self }
    }

    /// Replaces the place that Puppet names.
    pub fn place(self, place: DiagnosticPlace) -> Self {
        Self { place, ..self }
    }

    /// Replaces the underlined span; the place that Puppet names stays.
    pub fn underline(self, span: Span) -> Self {
        Self { span, ..self }
    }

    /// Widens all underlined spans to character borders of `text`; the place that Puppet names stays.
    pub fn on_borders(mut self, text: &str) -> Self {
        self.span = self.span.on_borders(text);
        for label in &mut self.labels {
            label.span = label.span.on_borders(text);
        }
        self
    }

    /// Sets the note at the underlined text.
    pub fn label(self, text: impl Into<String>) -> Self {
        Self { label: Some(text.into()), ..self }
    }

    /// Adds a note at another span.
    pub fn label_at(mut self, span: Span, text: impl Into<String>) -> Self {
        self.labels.push(Label { span, text: text.into() });
        self
    }

    /// Sets the advice.
    pub fn help(self, text: impl Into<String>) -> Self {
        Self { help: Some(text.into()), ..self }
    }

    /// Returns true if Puppet stops at this error.
    pub fn is_raised(&self) -> bool {
        match self.phase {
            Phase::Parse | Phase::Content | Phase::Load | Phase::Evaluate => self.is_error(),
            Phase::Validate => false,
        }
    }

    /// Returns true for errors, which make the source unusable.
    pub fn is_error(&self) -> bool {
        self.severity == Severity::Error
    }

    /// Returns the line and column that Puppet names, if it names any.
    pub fn line_column(&self, source: &Source) -> Option<LineColumn> {
        match self.place {
            DiagnosticPlace::At(offset) | DiagnosticPlace::Line(offset) => {
                Some(source.line_column(offset))
            }
            DiagnosticPlace::File | DiagnosticPlace::Nowhere => None,
        }
    }
}
