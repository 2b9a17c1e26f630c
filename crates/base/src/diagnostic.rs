//! A complaint about a source.

use crate::{LineColumn, Source, Span};

/// How bad it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Severity {
    /// The source can't be used.
    Error,
    /// The source can be used, but does not do what it seems to do.
    Warning,
    /// The source can be used by this version of Puppet, but not for ever.
    Deprecation,
}

/// When Puppet complains.
///
/// Puppet stops at the first complaint of its lexer and parser, so such a complaint hides all that
/// validation would find.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Phase {
    /// While it reads the text: Puppet stops here.
    Parse,
    /// While it checks the content of a heredoc: Puppet stops here too, and forgets what it found.
    Content,
    /// While it checks the tree: Puppet lists all of these.
    Validate,
    /// While it makes known what the file defines: Puppet stops at the first of these.
    Load,
    /// While it evaluates code: Puppet stops at the first of these.
    Evaluate,
}

/// The place that Puppet names for a complaint.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Place {
    /// The line and column of this byte offset.
    At(u32),
    /// The line of this byte offset, without a column.
    Line(u32),
    /// The file, but no line: the end of the input.
    File,
    /// Neither file nor line: an exception inside Puppet that became a message.
    Nowhere,
}

/// A complaint about a source: what, how bad, where, and what to do.
///
/// `message` keeps Puppet's words where Puppet has any. Built only by the functions of an `issues`
/// module, so that there is one place for the words of each complaint.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Diagnostic {
    /// Puppet's name of the problem in kebab-case, such as `duplicate-parameter`.
    pub code: &'static str,
    /// How bad it is.
    pub severity: Severity,
    /// When Puppet complains of it.
    pub phase: Phase,
    /// The headline, on one line.
    pub message: String,
    /// The place that Puppet names.
    pub place: Place,
    /// The text to underline; at least as good as Puppet's place.
    pub span: Span,
    /// What to write at the underlined text.
    pub label: Option<String>,
    /// Other places that help to understand.
    pub labels: Vec<Label>,
    /// What to do about it.
    pub help: Option<String>,
    /// What led there, the innermost first: `in class ntp, declared at /site.pp:3`.
    pub stack: Vec<String>,
}

/// Words at another place of the same source.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Label {
    /// The place.
    pub span: Span,
    /// The words.
    pub text: String,
}

impl Diagnostic {
    /// An error found while parsing, at the start of `span`.
    pub fn parse_error(code: &'static str, span: Span, message: impl Into<String>) -> Self {
        Self::new(code, Severity::Error, Phase::Parse, span, message.into())
    }

    /// An error in the content of a heredoc that starts at `span`.
    pub fn content_error(code: &'static str, span: Span, message: impl Into<String>) -> Self {
        Self::new(code, Severity::Error, Phase::Content, span, message.into())
    }

    /// An error found by validation, at the start of `span`.
    pub fn error(code: &'static str, span: Span, message: impl Into<String>) -> Self {
        Self::new(code, Severity::Error, Phase::Validate, span, message.into())
    }

    /// An error found when definitions are made known, at the start of `span`.
    pub fn load_error(code: &'static str, span: Span, message: impl Into<String>) -> Self {
        Self::new(code, Severity::Error, Phase::Load, span, message.into())
    }

    /// An error found while code is evaluated, at the start of `span`.
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
        let place = Place::At(span.start);
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

    /// The same with another severity.
    pub fn severity(self, severity: Severity) -> Self {
        Self { severity, ..self }
    }

    /// The same with another place that Puppet names.
    pub fn place(self, place: Place) -> Self {
        Self { place, ..self }
    }

    /// The same with other text underlined; the place that Puppet names stays.
    pub fn underline(self, span: Span) -> Self {
        Self { span, ..self }
    }

    /// The same with all that is underlined on character borders of `text`; Puppet's place stays.
    pub fn on_borders(mut self, text: &str) -> Self {
        self.span = self.span.on_borders(text);
        for label in &mut self.labels {
            label.span = label.span.on_borders(text);
        }
        self
    }

    /// The same with words at the underlined text.
    pub fn label(self, text: impl Into<String>) -> Self {
        Self { label: Some(text.into()), ..self }
    }

    /// The same with words at another place.
    pub fn label_at(mut self, span: Span, text: impl Into<String>) -> Self {
        self.labels.push(Label { span, text: text.into() });
        self
    }

    /// The same with advice.
    pub fn help(self, text: impl Into<String>) -> Self {
        Self { help: Some(text.into()), ..self }
    }

    /// Whether Puppet stops at this.
    pub fn is_raised(&self) -> bool {
        match self.phase {
            Phase::Parse | Phase::Content | Phase::Load | Phase::Evaluate => self.is_error(),
            Phase::Validate => false,
        }
    }

    /// Whether the source can't be used because of this.
    pub fn is_error(&self) -> bool {
        self.severity == Severity::Error
    }

    /// The line and column that Puppet names, if it names any.
    pub fn line_column(&self, source: &Source) -> Option<LineColumn> {
        match self.place {
            Place::At(offset) | Place::Line(offset) => Some(source.line_column(offset)),
            Place::File | Place::Nowhere => None,
        }
    }
}
