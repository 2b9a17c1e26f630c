//! From spans to lines and columns.

use crate::{Diagnostic, LineColumn, Source, Span};

/// Where a span starts and ends, as people count.
#[derive(Clone, Copy, Debug)]
pub(super) struct Region {
    pub(super) start: LineColumn,
    /// Just after the last character.
    pub(super) end: LineColumn,
}

/// The region of a span.
pub(super) fn region(source: &Source, span: Span) -> Region {
    Region { start: source.line_column(span.start), end: source.line_column(span.end()) }
}

/// The line and column that Puppet names, else those of the text that we underline.
pub(super) fn start(source: &Source, diagnostic: &Diagnostic) -> LineColumn {
    diagnostic.line_column(source).unwrap_or_else(|| source.line_column(diagnostic.span.start))
}
