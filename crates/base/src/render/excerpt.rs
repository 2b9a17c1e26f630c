//! The few lines of a source that a diagnostic is about, cut to a size that can be shown.
//!
//! A source may be one line of many megabytes, or a diagnostic may span a million lines. So the drawing never gets the
//! source, only an excerpt, whose size does not depend on that of the source.

use std::ops::Range;

use crate::{Source, Span};

/// Spans over more lines than this are shown up to the end of their first line.
const MAX_LINES: usize = 40;
/// Lines longer than this, in bytes, are cut around what is underlined.
const MAX_LINE: usize = 240;
/// The context that stays on each side of the underlined text in a cut line, in bytes.
const AROUND: usize = 40;
/// The length of underlined text that stays in a cut line, in bytes.
const MAX_UNDERLINED: usize = 60;
/// The mark at the place of a cut.
const CUT: char = '…';

/// Some lines of a source.
#[derive(Debug)]
pub(super) struct Excerpt {
    /// The lines.
    pub(super) text: String,
    /// The number of the first line, from 1.
    pub(super) first_line: usize,
    /// The ranges of the spans in `text`.
    pub(super) spans: Vec<Range<usize>>,
}

/// Returns true if two spans are near enough for one excerpt.
pub(super) fn are_near(source: &Source, one: Span, other: Span) -> bool {
    let line = |span: Span| source.line_column(span.start).line;
    line(one).abs_diff(line(other)) as usize <= MAX_LINES
}

/// Returns the lines that hold these spans, which must be near each other.
pub(super) fn excerpt(source: &Source, spans: &[Span]) -> Excerpt {
    let ranges: Vec<_> = spans.iter().map(|span| visible_range(source, *span)).collect();
    let first = ranges.iter().map(|range| line_index(source, range.start)).min().unwrap_or(0);
    let last = ranges.iter().map(|range| line_index(source, range.end)).max().unwrap_or(0);
    let mut excerpt = Excerpt { text: String::new(), first_line: first + 1, spans: ranges.clone() };
    for index in first..=last {
        excerpt.add_line(source, index, &ranges);
    }
    excerpt
}

/// Returns the part of a span that can be shown, on character borders, without line breaks at its end.
///
/// A span behind the last line moves to the end of the last line that has text: that is where people look for what is
/// missing.
pub(super) fn visible_range(source: &Source, span: Span) -> Range<usize> {
    let text = source.text();
    let start = floor(text, span.start as usize);
    if start == text.len() {
        let end = text.trim_end().len();
        return end..end;
    }
    let end = floor(text, span.end() as usize).max(start);
    let first = line_index(source, start);
    if line_index(source, end) - first >= MAX_LINES {
        return start..line_range(source, first).end.max(start);
    }
    start..start + text[start..end].trim_end_matches(['\r', '\n']).len()
}

impl Excerpt {
    /// Returns the number of the last line, from 1.
    pub(super) fn last_line(&self) -> usize {
        self.first_line + self.text.lines().count().saturating_sub(1)
    }

    /// Adds a line, and moves the ends of the spans that are in it to where they are in the excerpt.
    fn add_line(&mut self, source: &Source, index: usize, ranges: &[Range<usize>]) {
        let line = line_range(source, index);
        let is_inside = |at: usize| line_index(source, at) == index;
        let ends = ranges.iter().flat_map(|range| [range.start, range.end]);
        let ends: Vec<_> = ends.filter(|at| is_inside(*at)).collect();
        let visible = cut(source, &line, &ends);
        if visible.start > line.start {
            self.text.push(CUT);
        }
        let base = self.text.len();
        let moved = |at: usize| base + at.clamp(visible.start, visible.end) - visible.start;
        for (range, target) in ranges.iter().zip(&mut self.spans) {
            if is_inside(range.start) {
                target.start = moved(range.start);
            }
            if is_inside(range.end) {
                target.end = moved(range.end);
            }
        }
        self.text.push_str(&source.text()[visible.clone()]);
        if visible.end < line.end {
            self.text.push(CUT);
        }
        self.text.push('\n');
    }
}

/// Returns the part of a line that can be shown, around these ends of spans.
fn cut(source: &Source, line: &Range<usize>, ends: &[usize]) -> Range<usize> {
    if line.len() <= MAX_LINE {
        return line.clone();
    }
    let first = ends.iter().min().map_or(line.start, |at| *at);
    let last = ends.iter().max().map_or(first, |at| (*at).min(first + MAX_UNDERLINED));
    let start = first.saturating_sub(AROUND).max(line.start);
    let end = (last + AROUND).min(line.end);
    floor(source.text(), start)..floor(source.text(), end)
}

fn line_index(source: &Source, offset: usize) -> usize {
    source.line_starts().partition_point(|&start| start as usize <= offset).saturating_sub(1)
}

/// Returns the line without its end.
fn line_range(source: &Source, index: usize) -> Range<usize> {
    let starts = source.line_starts();
    let start = starts[index] as usize;
    let end = starts.get(index + 1).map_or(source.text().len(), |&next| next as usize);
    let line = &source.text()[start..end];
    let line = line.strip_suffix('\n').unwrap_or(line);
    start..start + line.strip_suffix('\r').unwrap_or(line).len()
}

/// Returns the nearest character border at or before `offset`.
fn floor(text: &str, offset: usize) -> usize {
    let mut offset = offset.min(text.len());
    while !text.is_char_boundary(offset) {
        offset -= 1;
    }
    offset
}
