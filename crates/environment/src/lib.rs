//! An environment, ready to compile: what its modules offer, found by name and read once.
//!
//! A [`Snapshot`] is what the compiler asks ([`Library`](kukla_compiler::Library)): manifests, functions
//! (`functions`), types (`types`), resource types and files (`machine`). It never changes in what it says: a
//! file is read when it is first needed, and stays as it was then. [`Live`] exchanges it when files change.
//!
//! Invariant: all that a snapshot keeps is shared between threads and never changed once it is there.

mod cache;
mod compile;
mod data;
mod fallback;
mod functions;
mod live;
mod machine;
mod manifests;
mod module;
mod ruby;
mod snapshot;
mod survey;
mod told;
mod types;
mod watch;

pub use compile::Main;
pub use kukla_worker::Ruby;
pub use live::{Live, Timeout};
pub use machine::Machine;
pub use ruby::RubyWorker;
pub use snapshot::{Options, Snapshot};
pub use survey::{Finding, FindingKind, Verdict};
