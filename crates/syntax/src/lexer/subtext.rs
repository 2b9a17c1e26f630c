//! The text of a heredoc, and where it lies in the source.

use kukla_base::Span;
use kukla_base::source::line_starts;

/// The text of a heredoc without its margin, and the way back to the source.
#[derive(Debug)]
pub(crate) struct SubText {
    /// The heredoc in whose text this one stands.
    parent: Option<usize>,
    /// Where the text starts in its parent or in the source.
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
    /// Text that lies in its parent as it is.
    pub(super) fn plain(parent: Option<usize>, offset: u32) -> Self {
        Self { parent, offset, margin: None }
    }

    /// Text from each of whose lines a margin was cut off.
    pub(super) fn with_margin(
        parent: Option<usize>,
        offset: u32,
        text: &str,
        margin_per_line: &[u32],
    ) -> Self {
        let mut removed = vec![0];
        for margin in margin_per_line {
            removed.push(removed.last().copied().unwrap_or(0) + margin);
        }
        removed.push(removed.last().copied().unwrap_or(0));
        Self { parent, offset, margin: Some(Margin { line_starts: line_starts(text), removed }) }
    }

    /// The heredoc in whose text this one stands.
    pub(super) fn parent(&self) -> Option<usize> {
        self.parent
    }

    /// A span of the text in the coordinates of the parent; one at the very start keeps the margin.
    pub(crate) fn to_parent(&self, span: Span) -> Span {
        let Some(margin) = &self.margin else {
            return Span::new(span.start + self.offset, span.len);
        };
        let first = margin.removed_before(span.start);
        let last = margin.removed_before(span.end());
        let start = if span.start == 0 { 0 } else { span.start + first };
        Span::new(start + self.offset, span.len + last - first)
    }

    /// A span in the coordinates of the source.
    pub(crate) fn to_source(all: &[Self], subtext: Option<usize>, span: Span) -> Span {
        let (mut span, mut next) = (span, subtext);
        while let Some(number) = next {
            span = all[number].to_parent(span);
            next = all[number].parent;
        }
        span
    }
}

impl Margin {
    fn removed_before(&self, offset: u32) -> u32 {
        let line = self.line_starts.partition_point(|&start| start <= offset);
        self.removed.get(line).or(self.removed.last()).copied().unwrap_or(0)
    }
}
