//! The settings and limits of an evaluation.

use std::time::Instant;

use kukla_base::Editions;
use kukla_syntax::Strict;

/// The settings `strict`, `strict_variables`, `edition` and `ruby_edition`: the rules of an evaluation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Strictness {
    /// The treatment of code that is wrong but works.
    pub strict: Strict,
    /// Whether an unknown variable is an error.
    pub strict_variables: bool,
    /// The editions of Puppet and Ruby.
    pub editions: Editions,
}

impl Default for Strictness {
    fn default() -> Self {
        Self { strict: Strict::Error, strict_variables: true, editions: Editions::default() }
    }
}

/// The memory that the process may use unless the user says otherwise.
pub const MEMORY: u64 = 2 << 30;

/// The limits of an evaluation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Calls within calls.
    pub depth: u32,
    /// Expressions evaluated.
    pub steps: u64,
    /// The time at which it is stopped.
    pub deadline: Option<Instant>,
    /// The memory in bytes that the process may use meanwhile.
    pub memory: Option<u64>,
}

impl Default for Limits {
    fn default() -> Self {
        Self { depth: 1_000, steps: 500_000_000, deadline: None, memory: Some(MEMORY) }
    }
}
