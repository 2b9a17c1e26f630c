//! The traits by which code in another language sees a compilation, and a compilation sees such code.
//!
//! Ruby code of modules is run by the interpreter in `kukla_ruby` or by a real Ruby in `kukla_worker`. Both implement
//! [`Render`] for templates and [`RunFunctions`] for functions, and see the compilation through a [`Host`]; the compiler
//! depends on neither of them.

mod error;
mod function;
mod host;
mod template;

pub use error::{ErrorKind, NeedsRuby, RubyError, Unsupported};
pub use function::{Function, FunctionKind, Param, ParamKind, RunFunctions, Signature};
pub use host::{
    BlockFn, CallSite, Host, HostError, LogSource, NameQuestion, NoHost, SiteDefinition,
};
pub use template::{NoTemplates, ReadTemplates, Render};
