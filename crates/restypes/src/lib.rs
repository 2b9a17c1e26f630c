//! Resource types that modules declare in Ruby, read without Ruby.
//!
//! Start at [`ResourceTypes`], which finds the type of a name: first among those that modules declare ([`mod@read`]),
//! then among those that need no module ([`Builtins`](kukla_catalog::types::Builtins)).

mod generated;
mod providers;
mod read;
mod ruby;
mod sources;
mod types;

pub use read::{Unreadable, read};
pub use sources::{LibDirectories, LibFiles, SourceFile, TypeSources};
pub use types::{ResourceTypes, TypeLookup};
