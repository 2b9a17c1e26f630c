//! Semantic versions and ranges of them, as the semantic_puppet gem has them.

mod range;
mod simple;
mod syntax;
mod version;

pub use range::VersionRange;
pub use version::{Part, Segment, Version};
