//! Resource types: what a compiler must know of each.
//!
//! A [`ResourceType`] knows which attributes are valid and what a title means. [`Builtins`] are the types that agents
//! know without any module; those that modules declare in Ruby are read by the crate `kukla_restypes`.

mod builtin;
mod metaparameters;
mod resource_type;
mod title;

pub use builtin::{Builtin, Builtins};
pub use metaparameters::{METAPARAMETERS, RELATIONSHIPS, is_metaparameter};
pub use resource_type::{AppliesTo, Kind, Leniency, ResourceType, TypeDeclaration};
pub use title::{Step, TitleError, TitlePart, TitlePattern, TitlePatterns};
