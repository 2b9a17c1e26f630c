//! From programs to a catalog: classes, resources, and what becomes of them.
//!
//! [`compile`] is the way in; [`run`] has the order of things. Resource expressions are evaluated where they stand
//! ([`declare`], [`overrides`], [`collectors`], [`relationships`]) and change the [`state`]; code of classes and
//! defines runs in scopes of its own ([`classes`]), with its [`parameters`]; [`finish`] completes and checks, and
//! [`output`] makes the catalog.

pub(crate) mod answers;
mod classes;
pub(crate) mod collectors;
pub(crate) mod data;
pub(crate) mod declare;
mod definition;
pub(crate) mod definitions;
mod described;
mod exports;
mod finish;
mod foreign_state;
mod frames;
mod host;
pub(crate) mod methods;
mod names;
pub(crate) mod origins;
mod output;
mod overrides;
mod parameters;
pub(crate) mod queries;
pub(crate) mod reference;
mod relationships;
pub(crate) mod resource;
mod run;
mod shared_arrays;
mod state;
mod tags;

pub use data::{
    ClassParameter, ClassSignature, Lookups, ParameterSource, ParameterUse, SourcePlace,
};
pub use definition::{Definition, DefinitionKind};
pub use run::{Compiled, Request, compile};
pub(crate) use run::{cancelled, guarded};
pub(crate) use state::Compilation;

/// The interpreter that builds a catalog: what the files of this module add methods to.
pub(crate) type Compiler = crate::interpreter::Interpreter<Compilation>;
