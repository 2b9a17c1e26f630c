//! Semantic versions and version ranges, as in the semantic_puppet gem.

mod range;
mod simple;
mod syntax;
mod version;

pub use range::VersionRange;
pub use version::{Segment, Version, VersionNumber};
