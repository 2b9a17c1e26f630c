//! The tree of serialized manifests of an environment.
//!
//! ```text
//! <environment>/.xpp/
//!     modules -> tree-7            for readers: modules/<module>/<path>.xpp
//!     tree-7/                      the tree, complete, never changed once it is here
//!     tree-7/.index                the definitions of all manifests, see `index`
//!     .new-8/                      the next one while it is built
//!     .lock                        held by the process that builds
//!     .stamps                      stamps of manifests and files that were compared
//! ```
//!
//! [`build()`] compares every manifest with its file in the tree, unless their stamps show that both are unchanged
//! since
//! the last comparison (`stamps`). If nothing has changed, nothing is written. Otherwise a new tree is made beside the
//! present one: current files are linked into it (hard links, so they take no space), the rest is written. The finished
//! tree gets its name by a rename, and a rename puts a new link in place of `modules`.
//!
//! So a reader finds the old tree or the new one, and never a part of one. A build that is killed, or
//! runs out of space, leaves the old tree as it was; the next build removes the leftovers. The
//! old tree is removed after the switch: a reader that still has its path finds no file, and
//! uses the source.
//!
//! Data is not synced to disk: after a power failure a file may be truncated. Readers detect that and
//! use the source, and `kukla xpp verify` reports it.

mod build;
mod error;
mod freshness;
mod load;
mod manifest;
mod new_tree;
mod puppet8;
mod stamps;
mod store;

pub use build::{Built, Index, Made, Plan, Scope, build};
pub use error::TreeError;
pub use freshness::{Freshness, freshness};
pub use load::{LoadError, load};
pub use manifest::{Manifest, RESERVED};
pub use store::Store;
