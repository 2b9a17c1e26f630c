//! A piece of text that an [`Ast`](super::Ast) holds.

/// A slice of the source, or of a string that had to be built; see [`Ast::text`](super::Ast::text).
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub struct Text {
    pub(crate) start: u32,
    pub(crate) len: u32,
}

impl Text {
    /// Whether it has no letters.
    pub const fn is_empty(self) -> bool {
        self.len == 0
    }
}
