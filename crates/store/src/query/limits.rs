//! Bounds of a query.

use std::time::Duration;

/// Bounds of a query and of its answer.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// Bytes of the text of a query.
    pub bytes: usize,
    /// How deeply operators may be nested.
    pub depth: usize,
    /// The number of operators, values and fields.
    pub size: usize,
    /// The number of regular expressions.
    pub patterns: usize,
    /// The number of rows of an answer; more are an error.
    pub rows: usize,
    /// Bytes of an answer; more are an error.
    pub answer_bytes: usize,
    /// The time to answer.
    pub time: Duration,
    /// Nodes that were deactivated or expired after this time are `inactive`; earlier ones are to be purged.
    pub inactive_since: i64,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            bytes: 1 << 20,
            depth: 64,
            size: 50_000,
            patterns: 200,
            rows: 2_000_000,
            answer_bytes: 1 << 28,
            time: Duration::from_secs(60),
            inactive_since: 0,
        }
    }
}
