//! Pieces of a text.

use std::ops::Range;

/// A piece of a source, in bytes: where it starts and how long it is.
///
/// Start and length rather than start and end, since that is how Puppet's own tree keeps places.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Span {
    /// The first byte.
    pub start: u32,
    /// The number of bytes.
    pub len: u32,
}

impl Span {
    /// Creates the span of `len` bytes from `start` on.
    pub const fn new(start: u32, len: u32) -> Self {
        Self { start, len }
    }

    /// Creates the span from `start` up to, but without, `end`.
    pub const fn between(start: u32, end: u32) -> Self {
        Self { start, len: end.saturating_sub(start) }
    }

    /// Returns the offset of the first byte after the span.
    pub const fn end(self) -> u32 {
        self.start + self.len
    }

    /// Returns the span from the start of this one to the end of `other`.
    pub const fn to(self, other: Self) -> Self {
        Self::between(self.start, other.end())
    }

    /// Returns the smallest span that covers both.
    pub fn cover(self, other: Self) -> Self {
        Self::between(self.start.min(other.start), self.end().max(other.end()))
    }

    /// Returns the smallest piece of `text` that has all of the span and starts and ends between characters.
    pub fn on_borders(self, text: &str) -> Self {
        let is_inside = |offset: u32| !text.is_char_boundary(offset as usize);
        let length = u32::try_from(text.len()).unwrap_or(u32::MAX);
        let (mut start, mut end) = (self.start.min(length), self.end().min(length));
        while is_inside(start) {
            start -= 1;
        }
        while is_inside(end) {
            end += 1;
        }
        Self::between(start, end)
    }

    /// Returns the span as a range for slicing.
    pub const fn range(self) -> Range<usize> {
        self.start as usize..self.end() as usize
    }
}
