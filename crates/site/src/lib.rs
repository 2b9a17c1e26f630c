//! A site: everything between a file system and a request for a catalog.
//!
//! [`settings`] reads `puppet.conf`; an [`Environment`] is a directory with a module path, and knows its modules and
//! manifests. A [`Snapshot`] is an environment that is ready to compile: the compiler asks it for manifests, functions,
//! types and files by name. [`Live`] replaces a snapshot when files change.
//!
//! Invariant: nothing here prints or exits, and nothing is ever written into a module.

pub mod classes;
mod environment;
mod glob;
mod index;
mod load;
mod manifests;
mod modules;

pub mod puppet_conf;
pub mod settings;
mod snapshot;

pub use environment::{Environment, SYSTEM, split};
pub use index::Whole;
pub use kukla_worker::Ruby;
pub use load::{LoadError, Loaded, Origin, Unusable, Xpp};
pub use manifests::Manifests;
pub use modules::Module;
pub use snapshot::{
    Finding, FindingKind, Live, Main, Options, RubyWorker, Snapshot, Timeout, Verdict,
};
