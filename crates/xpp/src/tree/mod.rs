//! The tree of serialized manifests that an environment carries with it.
//!
//! ```text
//! <environment>/.xpp/
//!     modules -> tree-7            what readers use: modules/<module>/<path>.xpp
//!     tree-7/                      the tree, complete, never changed once it is here
//!     tree-7/.index                what all manifests define, see `index`
//!     .new-8/                      the next one while it is built
//!     .lock                        held by whoever builds
//!     .stamps                      what the system said of manifests and files that were compared
//! ```
//!
//! [`build()`] compares every manifest with its file in the tree, unless the system says that both are as they were when
//! they were last compared (`stamps`). If nothing is to be changed, nothing is touched. Otherwise a new tree is made beside the present one: what is current is linked into it
//! (hard links, so it costs no space), the rest is written. The finished tree gets its name by a
//! rename, and a rename puts a new link in place of `modules`.
//!
//! So a reader finds the old tree or the new one, and never half of one. A build that is killed, or
//! runs out of space, leaves the old tree as it was; the next build removes what is left of it. The
//! old tree is removed after the switch: a reader who was just on the way there finds no file, and
//! takes the source.
//!
//! Where links can't be made (not on Unix) `modules` is a directory, and the switch is two renames:
//! between them a reader finds no tree at all.
//!
//! Data is not forced to disk: after a loss of power a file may be cut off. Readers find that out and
//! take the source, and `kukla xpp verify` finds it too.

mod attributes;
mod build;
mod error;
mod freshness;
mod load;
mod manifest;
mod new_tree;
mod puppet8;
mod stamps;
mod store;
mod whole;

pub use attributes::Configured;
pub use build::{Built, Index, Made, Plan, Scope, build};
pub use error::TreeError;
pub use freshness::{Freshness, freshness};
pub use load::{LoadError, load};
pub use manifest::{Manifest, RESERVED};
pub use store::Store;
