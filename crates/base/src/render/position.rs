//! From spans to lines and columns.

use crate::{Diagnostic, LineColumn, Source, Span};

/// The first and last position of a span, in lines and columns.
#[derive(Clone, Copy, Debug)]
pub(super) struct Region {
    pub(super) start: LineColumn,
    /// Just after the last character.
    pub(super) end: LineColumn,
}

/// Returns the region of a span.
pub(super) fn region(source: &Source, span: Span) -> Region {
    Region { start: source.line_column(span.start), end: source.line_column(span.end()) }
}

/// Returns the line and column that Puppet names, otherwise those of the underlined text.
pub(super) fn start(source: &Source, diagnostic: &Diagnostic) -> LineColumn {
    diagnostic.line_column(source).unwrap_or_else(|| source.line_column(diagnostic.span.start))
}
