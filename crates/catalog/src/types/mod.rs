//! Metadata of resource types for the compiler.
//!
//! A [`ResourceType`] has the valid attributes and the meaning of a title. [`Builtins`] are the types that need no module;
//! those that modules declare in Ruby are read by the crate `kukla_restypes`.

mod builtin;
mod metaparameters;
mod resource_type;
mod title;

pub use builtin::{Builtin, Builtins};
pub use metaparameters::{METAPARAMETERS, RELATIONSHIPS, is_metaparameter};
pub use resource_type::{AppliesTo, AttributeKind, Leniency, ResourceType, TypeDeclaration};
pub use title::{TitleError, TitlePart, TitlePattern, TitlePatterns, TitleStep};
