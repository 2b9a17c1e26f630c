//! The format for people: the headline in Puppet's words, the source with the place underlined, advice.

use std::ops::Range;

use annotate_snippets::renderer::DEFAULT_LINE_NUM_STYLE;
use annotate_snippets::{Annotation, AnnotationKind, Group, Level, Padding, Renderer, Snippet};

use super::excerpt::{Excerpt, are_near, excerpt, visible_range};
use super::{FileReport, Kind, Report, is_unprintable, severity_word};
use crate::{Diagnostic, DiagnosticPlace, Label, LineColumn, Severity, Source, Span};

/// Drawing options.
#[derive(Clone, Copy, Debug)]
pub struct Style {
    /// Enables colours by escape codes.
    pub colour: bool,
    /// The width of the drawing, in columns.
    pub width: usize,
}

impl Style {
    /// No colour, and the width of a wide window.
    pub const PLAIN: Self = Self { colour: false, width: 140 };
}

/// Renders all diagnostics, with an empty line after each.
pub fn render(report: &Report, style: Style) -> String {
    report.files.iter().map(|file| render_file(file, style)).collect()
}

/// Renders the diagnostics of one file, with an empty line after each.
pub fn render_file(file: &FileReport, style: Style) -> String {
    file.diagnostics.iter().map(|diagnostic| render_diagnostic(file, diagnostic, style)).collect()
}

/// Renders one diagnostic, with an empty line after it.
pub fn render_diagnostic(file: &FileReport, diagnostic: &Diagnostic, style: Style) -> String {
    let renderer = if style.colour { Renderer::styled() } else { Renderer::plain() };
    let renderer = renderer.term_width(style.width);
    let headline = renderer.render(&[headline(diagnostic)]);
    let drawing = Drawing::new(file, diagnostic);
    let origin = drawing.origin(style);
    let body = renderer.render(&[drawing.body()]);
    // The drawing library writes spaces after the bar of an empty line.
    let body: String = body.lines().flat_map(|line| [line.trim_end(), "\n"]).collect();
    format!("{headline}\n{origin}{body}\n")
}

fn headline(diagnostic: &Diagnostic) -> Group<'_> {
    let title = level(diagnostic.severity).primary_title(printable(&diagnostic.message));
    Group::with_title(title.id(diagnostic.code))
}

fn level(severity: Severity) -> Level<'static> {
    match severity {
        Severity::Error => Level::ERROR,
        Severity::Warning => Level::WARNING,
        Severity::Deprecation => Level::WARNING.with_name(severity_word(severity)),
    }
}

/// The part of a drawn diagnostic below its headline.
///
/// The line with the location is our own: it is Puppet's location, which need not be the start of the underlined text, and
/// lines may have been cut.
struct Drawing<'a> {
    file: &'a FileReport,
    diagnostic: &'a Diagnostic,
    /// The source around the span and the labels near it.
    main: Option<Excerpt>,
    near: Vec<&'a Label>,
    /// The source around each label far away.
    far: Vec<(&'a Label, Excerpt)>,
}

impl<'a> Drawing<'a> {
    fn new(file: &'a FileReport, diagnostic: &'a Diagnostic) -> Self {
        if is_about_all(file, diagnostic) {
            return Self { file, diagnostic, main: None, near: Vec::new(), far: Vec::new() };
        }
        let source = &file.source;
        let is_near = |label: &&Label| are_near(source, diagnostic.span, label.span);
        let (near, far): (Vec<_>, Vec<_>) = diagnostic.labels.iter().partition(is_near);
        let spans = std::iter::once(diagnostic.span).chain(near.iter().map(|label| label.span));
        let main = Some(excerpt(source, &spans.collect::<Vec<_>>()));
        let far = far.into_iter().map(|label| (label, excerpt(source, &[label.span]))).collect();
        Self { file, diagnostic, main, near, far }
    }

    /// Returns the line with the arrow, its head above the bars of the source; empty if the diagnostic has no location.
    fn origin(&self, style: Style) -> String {
        let excerpts = self.main.iter().chain(self.far.iter().map(|(_, excerpt)| excerpt));
        let last_line = excerpts.map(Excerpt::last_line).max();
        let indent = last_line.map_or(0, |line| line.to_string().len());
        let arrow = if style.colour { DEFAULT_LINE_NUM_STYLE } else { Default::default() };
        match self.place() {
            place if place.is_empty() => String::new(),
            place => format!("{:indent$}{arrow}-->{arrow:#} {place}\n", ""),
        }
    }

    fn place(&self) -> String {
        let path = printable(self.file.source.name());
        if self.main.is_none() {
            return path;
        }
        let LineColumn { line, column } = start(&self.file.source, self.diagnostic);
        format!("{path}:{line}:{column}")
    }

    fn body(&self) -> Group<'_> {
        let main = self.main.iter().map(|main| self.main_snippet(main));
        let far = self.far.iter().map(|(label, excerpt)| self.far_snippet(label, excerpt));
        let stack = self.diagnostic.stack.iter();
        let stack = stack.map(|frame| Level::NOTE.no_name().message(printable(frame)));
        let help = self.diagnostic.help.as_deref().map(|help| Level::HELP.message(help));
        // The explanations cover Puppet's messages only.
        let see = (!matches!(self.file.kind, Kind::Rules | Kind::Data))
            .then(|| format!("kukla explain {}", self.diagnostic.code));
        Group::with_level(level(self.diagnostic.severity))
            .elements(main)
            .elements(far)
            .element(Padding)
            .elements(stack)
            .elements(help)
            .elements(see.map(|see| Level::NOTE.with_name("see").message(see)))
    }

    fn main_snippet<'b>(&'b self, excerpt: &'b Excerpt) -> Snippet<'b, Annotation<'b>> {
        let primary = AnnotationKind::Primary.span(excerpt.spans[0].clone());
        let primary = primary.label(self.diagnostic.label.as_deref().map(printable));
        let near = self.near.iter().zip(&excerpt.spans[1..]);
        let near = near.map(|(label, span)| context(label, span));
        snippet(excerpt).annotation(primary).annotations(near)
    }

    fn far_snippet<'b>(
        &'b self,
        label: &'b Label,
        excerpt: &'b Excerpt,
    ) -> Snippet<'b, Annotation<'b>> {
        let path = printable(self.file.source.name());
        snippet(excerpt).path(path).annotation(context(label, &excerpt.spans[0]))
    }
}

/// Returns true for a diagnostic about the file as a whole, which has nothing to underline.
fn is_about_all(file: &FileReport, diagnostic: &Diagnostic) -> bool {
    let nowhere =
        diagnostic.place == DiagnosticPlace::Nowhere && diagnostic.span == Span::default();
    file.source.text().is_empty() || nowhere
}

/// Returns the line and column that Puppet names, otherwise those of the underlined text.
fn start(source: &Source, diagnostic: &Diagnostic) -> LineColumn {
    diagnostic.line_column(source).unwrap_or_else(|| {
        let start = visible_range(source, diagnostic.span).start;
        source.line_column(u32::try_from(start).unwrap_or(u32::MAX))
    })
}

fn context<'a>(label: &'a Label, span: &Range<usize>) -> Annotation<'a> {
    AnnotationKind::Context.span(span.clone()).label(printable(&label.text))
}

fn snippet(excerpt: &Excerpt) -> Snippet<'_, Annotation<'_>> {
    Snippet::source(excerpt.text.as_str()).line_start(excerpt.first_line)
}

/// Replaces the characters that would break the line or control the terminal.
fn printable(text: &str) -> String {
    text.chars()
        .map(|character| if is_unprintable(character) { picture(character) } else { character })
        .collect()
}

/// Returns the visible sign for a control character.
fn picture(control: char) -> char {
    match u32::from(control) {
        code @ 0..0x20 => char::from_u32(0x2400 + code).unwrap_or(char::REPLACEMENT_CHARACTER),
        0x7f => '\u{2421}',
        _ => char::REPLACEMENT_CHARACTER,
    }
}
