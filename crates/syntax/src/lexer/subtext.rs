//! The text of a heredoc, and where it lies in the source.

use kukla_base::Span;
use kukla_base::source::line_starts;

/// The text of a heredoc without its margin, and the way back to the source.
#[derive(Debug)]
pub(crate) struct SubText {
    /// Where the text starts in the source.
    offset: u32,
    margin: Option<Margin>,
}

#[derive(Debug)]
struct Margin {
    line_starts: Vec<u32>,
    /// How much was cut off up to and with each line; the last entry is there twice.
    removed: Vec<u32>,
}

impl SubText {
    /// Text that lies in the source as it is.
    pub(super) fn plain(offset: u32) -> Self {
        Self { offset, margin: None }
    }

    /// Text from each of whose lines a margin was cut off.
    pub(super) fn with_margin(offset: u32, text: &str, margin_per_line: &[u32]) -> Self {
        let mut removed = vec![0];
        for margin in margin_per_line {
            removed.push(removed.last().copied().unwrap_or(0) + margin);
        }
        removed.push(removed.last().copied().unwrap_or(0));
        Self { offset, margin: Some(Margin { line_starts: line_starts(text), removed }) }
    }

    /// A span of the text in the coordinates of the source; one at the very start keeps the margin.
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
