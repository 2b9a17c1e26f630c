//! A site: everything between a file system and a request for a catalog.
//!
//! ```text
//! Settings ──> Site ──> OpenEnvironment (Snapshot, $settings::) ─┐
//!   facts, trusted data, classification ──> Node ────────────────┴──> Member ──> Request ──> Fleet
//! ```
//! [`settings`] reads `puppet.conf`; a [`Site`] opens environments by name ([`EnvironmentChoice`] finds their directories) and
//! makes [`Node`]s of a [`NodeSelection`]. An [`Environment`] is a directory with a module path; a [`Snapshot`] is an
//! environment that is ready to compile: the compiler gets manifests, functions, types and files from it by name. A
//! [`Fleet`] compiles many nodes.
//!
//! Invariant: nothing here prints, exits, or depends on the current directory, and nothing is ever written into a module.

mod choice;
pub mod classes;
mod classifier;
mod data_file;
mod environment;
mod error;
mod facts;
mod fleet;
mod glob;
mod homes;
mod index;
mod layout;
mod load;
mod manifests;
mod member;
mod modules;
mod node;
mod open;
mod other_name;
mod program;
pub mod puppet_conf;
mod puppetdb;
mod routes;
mod selection;
pub mod settings;
mod site;
mod snapshot;
mod trees;
mod trusted;
mod upgrade;
pub mod uuid;

pub use choice::{Defaults, EnvironmentChoice, around};
pub use classifier::ClassifierError;
pub use data_file::{ParseError, json};
pub use environment::Environment;
pub use error::{SiteError, reason};
pub use facts::NodeFacts;
pub use fleet::{Fleet, Observer, store_exports};
pub use homes::Homes;
pub use index::Whole;
pub use kukla_worker::{Ruby, WorkerError};
pub use layout::basemodulepath;
pub use load::{LoadError, Loaded, Origin, Unusable, Warn, Warning, Xpp};
pub use manifests::Manifests;
pub use member::Member;
pub use modules::Module;
pub use node::{Node, ServerIdentity};
pub use open::{OpenEnvironment, Revision};
pub use program::ProgramError;
pub use puppetdb::{Sent, StoreChoice, StoreReason};
pub use routes::{RouteNote, Routes, RoutesError};
pub use selection::{FactsSource, NodeSelection};
pub use site::{Site, SiteOptions};
pub use snapshot::{
    Finding, FindingKind, Main, Options, ProcessorError, RubyWorker, Settle, Snapshot, Tended,
    Timeout, Verdict,
};
pub use trees::Trees;
pub use upgrade::UpgradeFinding;
