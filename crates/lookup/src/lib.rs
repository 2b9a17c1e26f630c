//! Data lookup: from a key to a value, and the story of how it was found.
//!
//! [`Layers`] is what an environment's data is made of: the global `hiera.yaml`, the environment's, the modules'. It is
//! immutable and shared by threads; files are parsed once and kept as long as they don't change.
//! A [`Session`] makes the lookups of one compilation. It asks a [`Host`] for variables, functions and conversions, and
//! `World` for everything that it reads.
//!
//! ```text
//! let session = Session::new(Arc::clone(&layers));                  // once a compilation
//! session.parameter(&mut host, "ntp::servers")?                     // a parameter of a class: Some(Found { value, origins }) or None
//! session.lookup(&mut host, &Query::new(&names), None)?             // lookup(): None means that the caller's block is called,
//!                                                                   // or that not_found(&names) is the fault
//! session.lookup(&mut host, &query, Some(&trace))?                  // trace.borrow().explain() then tells the story
//! ```
//!
//! A key passes the layers ([`search`]); each layer ([`provider`]) walks the hierarchy of its configuration ([`config`]),
//! asks the functions that give data ([`backend`]) and merges what they give ([`mod@merge`]).
//! Every step is told to a [`Trace`]; there is no second code path for explaining.
//!
//! Invariant: nothing here reads files but through a [`World`](kukla_world::World), and nothing prints.

mod access;
mod backend;
mod config;
mod context;
mod data;
mod eyaml;
mod fault;
mod host;
mod interpolate;
mod key;
mod layers;
mod locations;
mod merge;
mod options;
mod paths;
pub mod pdl;
mod provider;
mod run;
mod search;
mod session;
mod short;
mod silence;
mod survey;
mod trace;

pub use access::fits;
pub use context::Context;
pub use eyaml::{DecryptError, check_encrypted};
pub use fault::{Fault, FaultKind, Miss, Search};
pub use host::{Function, Host, Level, Variable};
pub use interpolate::{Piece, pieces};
pub use key::Key;
pub use layers::{Layers, ModulePlace, Places};
pub use merge::Merge;
pub use session::{Found, Occurrence, Query, Read, Session, Use, UseKind, not_found};
pub use survey::{ANYTHING, DataEntry, DataFile, Level as DataLevel, Survey};
pub use trace::{Event, HierarchyLevel, Origin, REDACTED, Step, StepKind, Trace};

/// The key under which data keep options of lookups.
pub(crate) const LOOKUP_OPTIONS: &str = "lookup_options";
