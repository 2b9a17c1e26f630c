//! The interpreter of the Puppet language: expressions, scopes, calls, templates, limits.
//!
//! It knows nothing of resources, classes and catalogs. The design of the wall:
//!
//! - [`Interpreter<C>`](Interpreter) owns everything that changes while code runs, and one `C: CatalogHost` that it
//!   never looks into.
//! - An expression that needs a catalog (a resource, a collector, an arrow, `File['/a']['mode']`, …) goes through
//!   [`CatalogHost`], whose functions get the whole interpreter, since the code of a class runs in it again.
//! - The catalog builder is the other side: `compile::Compilation` implements [`CatalogHost`], and
//!   `compile::Compiler` is the interpreter that has it. Its methods see both sides as fields of one struct, so that
//!   borrows are disjoint.
//! - `C` is a type parameter and no trait object, so that the wall costs no instruction.
//! - Functions in Rust and Ruby see a `Call`, which has both sides too; so the host runs them.
//!
//! No module below this one may name `compile` or the rooms behind it: `tests/src/wall.rs` holds that, and the type
//! parameter sees to the rest.
//!
//! Start reading at [`evaluate`], which evaluates every kind of node; each of the other files has one subject.

mod access;
mod annotations;
mod arithmetic;
mod assignment;
mod block;
mod bytes;
mod caches;
mod calls;
mod closures;
mod coerce;
mod collections;
mod compare;
mod conditions;
mod definitions;
mod epp;
mod evaluate;
mod host;
mod instances;
pub(crate) mod label;
mod likely;
mod limits;
mod matches;
mod members;
pub(crate) mod mismatch;
mod named_types;
mod nesting;
mod parameters;
pub(crate) mod profile;
pub(crate) mod scope;
pub(crate) mod shared;
pub(crate) mod signature;
mod state;
mod strangers;
pub(crate) mod table;
mod templates;
pub(crate) mod text;
mod times;
mod types;
mod variables;
pub(crate) mod watch;

pub use block::Block;
pub use caches::Shared;
pub use compare::{equal, includes};
pub(crate) use definitions::Types;
pub use epp::Template;
pub(crate) use evaluate::{Values, unwind, with_stack};
use evaluate::{peek, unfolded};
pub(crate) use host::{CatalogHost, Invocation};
pub use limits::{Limits, MEMORY, Strictness};
pub(crate) use members::{check_member, find_member};
pub use named_types::make_type;
pub use parameters::{BlockParameter, Parameter, Parameters};
pub(crate) use state::{Interpreter, illegal_jump, jump_place};
