//! Real Ruby in a co-process, for what the room `ruby` does not know.
//!
//! A [`Pool`] belongs to one environment: its processes load that environment's code and no other. All pools together
//! have no more processes than [`Processes`] has room for.
//! [`FunctionFile`] and [`Template`] are what the room `ruby` has under the same names; they too see the compilation
//! through a `Host`, whose methods the other side calls back.
//!
//! ```text
//! Kukla ── ["call", file, name, …] ──> Ruby
//!       <── ["do", "var", "x"] ──────          as often as it likes, also within each other
//!       ── ["ok", value] ────────────>
//!       <── ["ok", result] ──────────
//! ```
//!
//! Messages are msgpack in frames of a length and so many bytes; values are Puppet's rich data.
//!
//! Invariant: a process that ends, hangs or talks nonsense costs its call an error, and is never asked again.

mod callback;
mod conversation;
mod file;
mod message;
mod msgpack;
mod pool;
mod process;
mod processes;
mod reports;
mod types;

pub use file::{FunctionFile, Template};
pub use pool::{CodeStamp, Config, Pool, Ruby};
pub use processes::Processes;
pub use types::type_facts;

/// Why there is no answer from a real Ruby.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum WorkerError {
    /// It can't be started.
    #[error("no Ruby can be started: {0}")]
    Missing(String),
    /// It ended before it answered; what it said last.
    #[error("the Ruby worker ended: {0}")]
    Died(String),
    /// It took too long, and was ended.
    #[error("the Ruby worker did not answer within {0} seconds")]
    Hangs(u64),
    /// All workers were busy for as long.
    #[error("no Ruby worker was free for {0} seconds")]
    Busy(u64),
    /// The compilation was stopped while it waited.
    #[error("{0}")]
    Stopped(kukla_base::cancel::Reason),
    /// What it said makes no sense.
    #[error("the Ruby worker does not make sense: {0}")]
    Nonsense(&'static str),
}
