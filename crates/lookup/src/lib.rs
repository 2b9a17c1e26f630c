//! Data lookup: from a key to a value, with an explanation of how it was found.
//!
//! [`Layers`] holds an environment's data: the global `hiera.yaml`, the environment's, the modules'. It is immutable and
//! shared by threads; files are parsed once and cached until they change.
//! A [`Session`] makes the lookups of one compilation. It gets variables, functions and conversions from a [`Host`], and
//! reads everything through a `World`.
//!
//! ```text
//! let session = Session::new(Arc::clone(&layers));                  // once per compilation
//! session.parameter(&mut host, "ntp::servers")?                     // a parameter of a class: Some(FoundValue) or None
//! session.lookup(&mut host, &Query::new(&names), None)?             // lookup(): None: the caller calls its block,
//!                                                                   // or fails with not_found(&names)
//! session.lookup(&mut host, &query, Some(&trace))?                  // then trace.borrow().explain() is the explanation
//! ```
//!
//! A key passes the layers ([`search`]); each layer ([`provider`]) walks the hierarchy of its configuration ([`config`]),
//! calls the data functions ([`backend`]) and merges their results ([`mod@merge`]).
//! Every step is recorded in a [`Trace`]; there is no second code path for explaining.
//!
//! Invariant: all reads go through a [`World`](kukla_world::World), and nothing prints.

mod access;
mod backend;
mod config;
mod context;
mod data;
mod eyaml;
mod fast_path;
mod fault;
mod host;
mod interpolate;
mod key;
mod layers;
mod locations;
mod merge;
mod no_data;
mod options;
mod paths;
pub mod pdl;
mod provider;
mod run;
mod search;
mod session;
mod survey;
mod trace;

pub use access::fits;
pub use context::Context;
pub use eyaml::{DecryptError, check_encrypted};
pub use fault::{Fault, FaultKind, Miss, Search};
pub use host::{Function, Host, LogLevel, Variable};
pub use interpolate::{Piece, pieces};
pub use key::Key;
pub use layers::{Layers, ModulePlace, Places};
pub use merge::Merge;
pub use session::{DataRead, DataUse, FoundValue, Occurrence, Query, Session, UseKind, not_found};
pub use survey::{ANYTHING, DataEntry, DataFile, DataLevel, Survey};
pub use trace::{Event, HierarchyLevel, Origin, REDACTED, Step, StepKind, Trace};

/// The key of the options of lookups in data.
pub(crate) const LOOKUP_OPTIONS: &str = "lookup_options";
