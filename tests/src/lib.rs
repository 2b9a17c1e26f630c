//! Comparison of Kukla with real Puppet.
//!
//! A [`Case`] is a source with its parsing options. Both sides give a [`View`] of it: [`ours()`] in this process, the
//! [`oracle`] by asking a warm Puppet, and [`compare()`] finds the difference. Puppet's answers are also recorded, so
//! that tests need no Puppet: in the Markdown of `spec/` (see [`spec`]) and as digests of large corpora in `digests/`
//! (see [`digests`]).
//!
//! Puppet can read Kukla's serialized trees: [`xpp`] compares the result with the tree of Puppet's parser.
//!
//! [`generator`] makes random programs; [`reduce`] makes a failing one small. [`soundness`] checks records of compilations,
//! without Puppet.

#![expect(
    clippy::disallowed_methods,
    clippy::disallowed_types,
    reason = "tests read specs, run Puppet and write what it said"
)]

#[cfg(test)]
mod arrows;
pub mod calls;
pub mod case;
pub mod catalog;
pub mod compare;
pub mod cores;
pub mod digests;
pub mod edition;
pub mod environments;
pub mod eval;
pub mod evaluable;
pub mod generator;
pub mod issue;
pub mod known_differences;
#[cfg(test)]
mod messages;
pub mod modules;
pub mod oracle;
pub mod ours;
#[cfg(test)]
mod prose;
pub mod reduce;
pub mod restypes;
pub mod ruby;
#[cfg(test)]
mod signatures;
pub mod soundness;
pub mod spec;
#[cfg(test)]
mod tests;
pub mod types;
pub mod view;
#[cfg(test)]
mod wall;
pub mod xpp;

pub use case::Case;
pub use compare::{Difference, compare};
pub use edition::edition;
pub use issue::{Code, Issue};
pub use oracle::Oracle;
pub use ours::ours;
pub use view::View;

/// The folder of this package, with specs, digests and the oracle.
pub const ROOM: &str = env!("CARGO_MANIFEST_DIR");
