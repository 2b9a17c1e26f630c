//! Where things are: environments, modules, and the trees made of their manifests.
//!
//! Start at [`Environment`]: a directory in, its module path, modules and manifests out, and the tree of each
//! manifest ([`Environment::load`]). [`xpp`] keeps
//! the tree of serialized manifests that belongs to an environment. [`walk`] finds files, [`paths`]
//! writes paths as Puppet does, [`pool`] does many things at once.
//!
//! Invariant: nothing here prints or exits, and nothing is ever written into a module.

pub mod classes;
mod environment;
mod glob;
mod index;
mod load;
mod manifests;
mod modules;
pub mod paths;
pub mod puppet_conf;
pub mod settings;
pub mod walk;

pub use environment::{Environment, SYSTEM, split};
pub use index::Whole;
pub use load::{LoadError, Loaded, Origin, Unusable, Xpp};
pub use manifests::Manifests;
pub use modules::Module;
