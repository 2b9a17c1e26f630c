//! Evaluates Puppet code: expressions, scopes, calls and templates.
//!
//! A [`Program`] is one source, parsed and prepared. An [`Evaluator`] runs programs: it owns everything that changes
//! ([`scope`]s, the [`log`]), and asks a [`Library`] for what others define (functions, types).
//! Functions written in Rust see a [`Call`] and nothing else.
//!
//! Invariant: nothing here reads files, looks at the clock or prints; everything outside is asked through [`Inputs`].

mod annotations;
pub mod answer;
mod caches;
mod call;
mod coerce;
mod compare;
pub mod compile;
mod definitions;
mod eval;
mod evaluator;
pub mod explain;
mod fact_path;
mod fault;
mod function;
mod inputs;
mod instances;
pub mod issues;
mod label;
mod library;
mod likely;
pub mod log;
mod mismatch;
mod named_types;
mod nesting;
mod place;
mod profile;
mod program;
mod report;
mod ruby;
mod scope;
mod session;
mod signature;
pub mod source;
mod stop;
mod strangers;
mod table;
mod text;
mod watch;

pub use caches::Shared;
pub use call::{Block, BlockParameter, Call, Parameter, Parameters};
pub use compare::{equal, includes};
pub use eval::Template;
pub use evaluator::{Evaluator, Limits, Strictness};
pub use fault::{Failure, Fault, Frame, FrameKind, Located, Logged, SourceSpan};
pub use function::{Function, Functions, Kind, LocalType, NativeFunction, Run, Signature};
pub use inputs::{ExecuteError, Inputs};
pub use kukla_syntax::Strict;
pub use library::{
    ForeignFunction, FunctionRef, Library, Manifest, ModuleFolder, NameKind, NoLibrary,
    PuppetFunction, ResourceType,
};
pub use named_types::make_type;
pub use place::Place;
pub use profile::{Part, PartKind};
pub use program::{Parsed, Program};
pub use ruby::{RubyFunction, TemplateFailure};
pub use scope::ScopeId;
pub use session::{NODE, Outcome, Session};
pub use stop::{Eval, Stop, fault};
