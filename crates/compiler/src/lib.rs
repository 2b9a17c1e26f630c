//! Evaluates Puppet code and compiles catalogs.
//!
//! A [`Program`] is one source, parsed and analyzed. The interpreter (`interpreter/`) runs programs and owns
//! everything that changes meanwhile; the catalog builder ([`compile`]) does what resources, classes and data need.
//! Both ask a [`Library`] for what other code defines (functions, types, manifests). Functions written in Rust see a
//! [`Call`] and nothing else.
//!
//! Invariant: nothing here reads files, looks at the clock or prints; everything outside is asked through [`Inputs`].

pub mod answer;
mod call;
pub mod compile;
pub mod explain;
mod fact_path;
mod fault;
mod function;
mod inputs;
mod interpreter;
pub mod issues;
mod library;
pub mod log;
mod place;
mod program;
mod report;
mod resolve;
mod ruby;
mod session;
pub mod source;
mod stop;

pub use call::Call;
pub use fault::{Failure, Fault, Frame, FrameKind, Located, Logged, SourceSpan};
pub use function::{Function, Functions, Kind, LocalType, NativeFunction, Run, Signature};
pub use inputs::{ExecuteError, Inputs};
pub use interpreter::profile::{Part, PartKind};
pub use interpreter::scope::ScopeId;
pub use interpreter::{
    Block, BlockParameter, Limits, MEMORY, Parameter, Parameters, Shared, Strictness, Template,
    equal, includes, make_type,
};
pub use kukla_syntax::Strict;
pub use library::{
    ForeignFunction, FunctionRef, InlineMethod, Library, Manifest, ModuleFolder, NameKind,
    NoLibrary, PuppetFunction, ResourceType,
};
pub use place::Place;
pub use program::{Parsed, Program};
pub use ruby::{RubyFunction, TemplateFailure};
pub use session::{NODE, Outcome, Session};
pub use stop::{Eval, Stop, fault};
