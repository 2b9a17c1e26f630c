//! Named texts with an index of their lines.

use std::sync::OnceLock;

use crate::Span;

#[cfg(test)]
mod tests;

/// A text with the name that messages give it (a path, `-` for standard input, …).
#[derive(Debug)]
pub struct Source {
    name: String,
    text: String,
    line_starts: OnceLock<Vec<u32>>,
    /// The number of characters that start before each block of the text.
    characters: OnceLock<Vec<u32>>,
}

/// The size of a block, in bytes.
const BLOCK: usize = 512;

/// A place as people count: lines and columns from 1, columns in characters.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct LineColumn {
    /// The line, from 1.
    pub line: u32,
    /// The column in characters, from 1.
    pub column: u32,
}

impl Source {
    /// Creates a source.
    pub fn new(name: impl Into<String>, text: impl Into<String>) -> Self {
        Self {
            name: name.into(),
            text: text.into(),
            line_starts: OnceLock::new(),
            characters: OnceLock::new(),
        }
    }

    /// Returns the name that messages give it.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Returns the whole text.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// Returns the text of `span`, clipped to the source.
    pub fn slice(&self, span: Span) -> &str {
        let end = self.floor(span.end());
        &self.text[self.floor(span.start).min(end)..end]
    }

    /// Returns the line and column of a byte offset, counted as Puppet counts.
    ///
    /// Only `\n` ends a line. An offset inside a character counts that character; one past the end
    /// counts as the end.
    pub fn line_column(&self, offset: u32) -> LineColumn {
        let starts = self.line_starts();
        let line = starts.partition_point(|&start| start <= offset).max(1);
        let start = starts[line - 1] as usize;
        let end = (offset as usize).clamp(start, self.text.len());
        LineColumn { line: to_u32(line), column: to_u32(self.n_characters(start, end) + 1) }
    }

    /// Returns the line of an offset in bytes.
    pub fn line(&self, offset: u32) -> u32 {
        to_u32(self.line_starts().partition_point(|&start| start <= offset).max(1))
    }

    /// Counts the characters that start between two offsets, by the index of blocks where they are far apart.
    fn n_characters(&self, start: usize, end: usize) -> usize {
        if end - start <= BLOCK {
            return n_characters(&self.text.as_bytes()[start..end]);
        }
        let up_to = |offset: usize| {
            let block = offset / BLOCK;
            let rest = &self.text.as_bytes()[block * BLOCK..offset];
            self.characters()[block] as usize + n_characters(rest)
        };
        up_to(end) - up_to(start)
    }

    fn characters(&self) -> &[u32] {
        self.characters.get_or_init(|| {
            let blocks = self.text.as_bytes().chunks(BLOCK).map(n_characters);
            let sums = blocks.scan(0, |sum, n| {
                *sum += n;
                Some(to_u32(*sum))
            });
            std::iter::once(0).chain(sums).collect()
        })
    }

    /// Returns the byte offset at which each line starts; one more entry after a final line break.
    pub fn line_starts(&self) -> &[u32] {
        self.line_starts.get_or_init(|| line_starts(&self.text))
    }

    /// Returns the nearest character border at or before `offset`.
    fn floor(&self, offset: u32) -> usize {
        let mut offset = (offset as usize).min(self.text.len());
        while !self.text.is_char_boundary(offset) {
            offset -= 1;
        }
        offset
    }
}

/// Counts the characters that start in `bytes`.
fn n_characters(bytes: &[u8]) -> usize {
    bytes.iter().filter(|&&byte| byte & 0xC0 != 0x80).count()
}

/// Returns the byte offset at which each line of `text` starts; one more entry after a final line break.
pub fn line_starts(text: &str) -> Vec<u32> {
    let breaks = memchr::memchr_iter(b'\n', text.as_bytes());
    std::iter::once(0).chain(breaks.map(|at| to_u32(at + 1))).collect()
}

/// Narrows an offset. All fit in 32 bits: the parser refuses larger sources.
fn to_u32(number: usize) -> u32 {
    u32::try_from(number).unwrap_or(u32::MAX)
}
