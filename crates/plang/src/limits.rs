//! What a program may cost, at most.

/// Bounds on a program and on one run of it.
///
/// All can be set lower. None can be caught by the program: a policy that could go on after it ran out of
/// something could be made to allow what it should deny.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// The size of the source in bytes.
    pub source: usize,
    /// The number of tokens.
    pub tokens: usize,
    /// How deep blocks and parentheses may be nested.
    pub nesting: usize,
    /// How high the tree of an expression may be; long sums are high trees.
    pub height: usize,
    /// The number of names that are assigned.
    pub names: usize,
    /// The size of a string literal in bytes.
    pub literal: usize,
    /// The size that a text of the message is taken to have when memory is computed.
    pub field: u64,
    /// Steps for one message, all restarts included.
    pub steps: u64,
    /// Bytes of texts made for one message.
    pub memory: u64,
    /// Service applications for one message.
    pub services: usize,
    /// How often a program may restart.
    pub restarts: u32,
    /// Edits of headers for one message.
    pub edits: usize,
    /// The size of a compiled regular expression in bytes.
    pub regex: usize,
    /// The size of all regular expressions of a program together.
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
