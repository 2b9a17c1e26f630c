//! Pieces of text in an [`Ast`](super::Ast).

/// A slice of the source, or of a string that had to be built; see [`Ast::text`](super::Ast::text).
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub struct Text {
    /// The offset of the first byte; those of built strings continue those of the source.
    pub start: u32,
    /// The length in bytes.
    pub len: u32,
}

impl Text {
    /// Returns true for an empty text.
    pub const fn is_empty(self) -> bool {
        self.len == 0
    }
}
