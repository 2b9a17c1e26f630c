//! The tree of serialized manifests that an environment carries with it.
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
//! [`build()`] compares every manifest with its file in the tree, unless the system says that both are as they were when
//! they were last compared (`stamps`). If nothing is to be changed, nothing is touched. Otherwise a new tree is made beside the present one: what is current is linked into it
//! (hard links, so it costs no space), the rest is written. The finished tree gets its name by a
//! rename, and a rename puts a new link in place of `modules`.
//!
//! So a reader finds the old tree or the new one, and never half of one. A build that is killed, or
//! runs out of space, leaves the old tree as it was; the next build removes what is left of it. The
//! old tree is removed after the switch: a reader that was just on the way there finds no file, and
//! takes the source.
//!
//! Data is not forced to disk: after a loss of power a file may be cut off. Readers notice that and
//! take the source, and `kukla xpp verify` reports it.

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
