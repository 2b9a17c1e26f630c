//! Limits of a program and of its runs.

/// Limits of a program and of one run of it.
///
/// All can be lowered. A program can't catch the violation of a limit: a policy that could continue after it ran out
/// of a resource could be tricked into allowing a request that it should deny.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Maximum size of the source in bytes.
    pub source: usize,
    /// Maximum number of tokens.
    pub tokens: usize,
    /// Maximum nesting of blocks and parentheses.
    pub nesting: usize,
    /// Maximum height of an expression's tree; long sums are high trees.
    pub height: usize,
    /// Maximum number of assigned names.
    pub names: usize,
    /// Maximum size of a string literal in bytes.
    pub literal: usize,
    /// Assumed size of a text of the message when the memory of a run is estimated.
    pub field: u64,
    /// Steps for one message, all restarts included.
    pub steps: u64,
    /// Bytes of texts made for one message.
    pub memory: u64,
    /// Service applications for one message.
    pub services: usize,
    /// Maximum number of restarts.
    pub restarts: u32,
    /// Edits of headers for one message.
    pub edits: usize,
    /// Maximum size of a compiled regular expression in bytes.
    pub regex: usize,
    /// Maximum size of all compiled regular expressions of a program.
    pub patterns: usize,
}

impl Limits {
    /// The limits of P 1.0.
    pub const DEFAULT: Self = Self {
        source: 1 << 20,
        tokens: 200_000,
        nesting: 64,
        height: 256,
        names: 4096,
        literal: 64 << 10,
        field: 8 << 10,
        steps: 100_000,
        memory: 1 << 20,
        services: 16,
        restarts: 4,
        edits: 256,
        regex: 1 << 20,
        patterns: 16 << 20,
    };
}

impl Default for Limits {
    fn default() -> Self {
        Self::DEFAULT
    }
}
