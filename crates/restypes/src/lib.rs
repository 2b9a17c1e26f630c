//! Resource types: which there are, and what a compiler must know of each.
//!
//! Start at [`ResourceTypes`], which finds the type of a name: first among those that modules declare
//! in Ruby ([`mod@read`]), then among those that are known without any module ([`Builtins`]).
//! A [`ResourceType`] knows which attributes are valid and what a title means.

mod builtin;
mod generated;
mod metaparameters;
mod providers;
mod read;
mod resource_type;
mod ruby;
mod sources;
mod title;
mod types;

pub use builtin::{Builtin, Builtins};
pub use metaparameters::{METAPARAMETERS, RELATIONSHIPS, is_metaparameter};
pub use read::{Unreadable, read};
pub use resource_type::{AppliesTo, Facts, Kind, Leniency, ResourceType};
pub use sources::{Found, LibDirectories, Sources};
pub use title::{Step, TitleError, TitlePart, TitlePattern, TitlePatterns};
pub use types::{Lookup, ResourceTypes};
