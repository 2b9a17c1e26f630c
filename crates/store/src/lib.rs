//! The store: what the nodes of a fleet said, by the rules of PuppetDB.
//!
//! [`Store`] is the entry point. [`Command`]s are facts, catalogs and reports; [`Store::apply`] stores a group of them in
//! one transaction, and [`Queue`] holds those that were accepted until then. A compilation searches exported resources
//! ([`Exports`](kukla_catalog::exports::Exports)).
//!
//! Invariant: a reader sees all of a command or nothing of it.

mod apply;
mod archive;
mod bucket;
pub mod command;
mod engine;
mod error;
mod exported;
mod history;
mod json;
mod migrate;
mod postgres;
pub mod puppetdb;
pub mod query;
mod queue;
mod retention;
mod schema;
mod sql;
mod sqlite;
mod status;
mod store;
mod tarball;
pub mod time;
mod uses;

pub use apply::{Outcome, Receipt};
pub use archive::ArchivedCommand;
pub use command::Command;
pub use error::{CommandError, StoreError};
pub use history::{FactChange, FactHistory, FactPattern};
pub use migrate::{MigrateError, Progress, Target};
pub use postgres::{Address, AddressError};
pub use queue::{Again, Drained, Queue, Said, Saying, Subject, Submission, SubmitError, said};
pub use retention::{Compacted, Retention};
pub use schema::Dialect;
pub use status::{Status, TableStatus};
pub use store::{Applied, Exporter, Store};
pub use tarball::{Archive, ArchiveError, PackError, Packed, PackedCommand};
pub use uses::{CatalogChange, DataUse, ResourceDifference, ResourceState};
