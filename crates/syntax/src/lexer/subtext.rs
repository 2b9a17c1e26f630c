//! The text of a heredoc, and its mapping to the source.

use kukla_base::Span;
use kukla_base::source::line_starts;

/// The text of a heredoc without its margin, and the mapping back to the source.
#[derive(Debug)]
pub(crate) struct SubText {
    /// The offset of the text in the source.
    offset: u32,
    margin: Option<Margin>,
}

#[derive(Debug)]
struct Margin {
    line_starts: Vec<u32>,
    /// The number of characters removed up to and with each line; the last entry is repeated.
    removed: Vec<u32>,
}

impl SubText {
    /// Creates a text that is literally in the source.
    pub(super) fn plain(offset: u32) -> Self {
        Self { offset, margin: None }
    }

    /// Creates a text from each of whose lines a margin was removed.
    pub(super) fn with_margin(offset: u32, text: &str, margin_per_line: &[u32]) -> Self {
        let mut removed = vec![0];
        for margin in margin_per_line {
            removed.push(removed.last().copied().unwrap_or(0) + margin);
        }
        removed.push(removed.last().copied().unwrap_or(0));
        Self { offset, margin: Some(Margin { line_starts: line_starts(text), removed }) }
    }

    /// Converts a span of the text to the coordinates of the source; one at the very start keeps the margin.
    pub(crate) fn to_source(&self, span: Span) -> Span {
        let Some(margin) = &self.margin else {
            return Span::new(span.start + self.offset, span.len);
        };
        let first = margin.removed_before(span.start);
        let last = margin.removed_before(span.end());
        let start = if span.start == 0 { 0 } else { span.start + first };
        Span::new(start + self.offset, span.len + last - first)
    }
}

impl Margin {
    fn removed_before(&self, offset: u32) -> u32 {
        let line = self.line_starts.partition_point(|&start| start <= offset);
        self.removed.get(line).or(self.removed.last()).copied().unwrap_or(0)
    }
}
