//! The path to a mismatch.

use std::fmt;

/// A step on the path to a mismatch.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum Step {
    Subject(String),
    EntryValue(String),
    EntryKey(String),
    Parameter(String),
    Return,
    Block,
    Index(usize),
    Variant(usize),
    Signature(usize),
}

impl Step {
    /// Returns true for a step into an alternative.
    pub(super) const fn is_alternative(&self) -> bool {
        matches!(self, Self::Variant(_) | Self::Signature(_))
    }
}

impl fmt::Display for Step {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Subject(text) => f.write_str(text),
            Self::EntryValue(key) => write!(f, "entry '{key}'"),
            Self::EntryKey(key) => write!(f, "key of entry '{key}'"),
            Self::Parameter(name) => write!(f, "parameter '{name}'"),
            Self::Return => f.write_str("return"),
            Self::Block => f.write_str("block"),
            Self::Index(index) => write!(f, "index {index}"),
            Self::Variant(index) => write!(f, "variant {index}"),
            Self::Signature(index) => write!(f, "{}.", index + 1),
        }
    }
}

/// Returns a path with one step more.
pub(super) fn then(path: &[Step], step: Step) -> Vec<Step> {
    let mut path = path.to_vec();
    path.push(step);
    path
}
