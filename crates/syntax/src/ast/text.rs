//! A piece of text that an [`Ast`](super::Ast) holds.

/// A slice of the source, or of a string that had to be built; see [`Ast::text`](super::Ast::text).
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub struct Text {
    /// First byte; built strings are counted as if they followed the source.
    pub start: u32,
    /// Length in bytes.
    pub len: u32,
}

impl Text {
    /// Whether it has no letters.
    pub const fn is_empty(self) -> bool {
        self.len == 0
    }
}
