//! Real Ruby in a co-process, for code that the room `ruby` does not support.
//!
//! A [`Pool`] belongs to one environment: its processes load that environment's code and no other. The number of
//! processes of all pools together is limited by [`Processes`].
//! [`FunctionFile`] and [`Template`] correspond to the types of the same names in the room `ruby`; they too see the
//! compilation through a `Host`, whose methods the Ruby process calls back.
//!
//! ```text
//! Kukla ── ["call", file, name, …] ──> Ruby
//!       <── ["do", "var", "x"] ──────          as often as it likes, also within each other
//!       ── ["ok", value] ────────────>
//!       <── ["ok", result] ──────────
//! ```
//!
//! Messages are msgpack in frames with a length prefix; values are Puppet's rich data.
//!
//! Invariant: a process that exits, hangs or sends invalid messages fails its call, and is never used again.

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

/// The reason why real Ruby gave no answer.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum WorkerError {
    /// It can't be started.
    #[error("no Ruby can be started: {0}")]
    Missing(String),
    /// It exited before it answered; holds the end of its standard error.
    #[error("the Ruby worker ended: {0}")]
    Died(String),
    /// It exceeded its deadline, and was killed.
    #[error("the Ruby worker did not answer within {0} seconds")]
    Hangs(u64),
    /// All workers were busy until the deadline.
    #[error("no Ruby worker was free for {0} seconds")]
    Busy(u64),
    /// The compilation was stopped while it waited.
    #[error("{0}")]
    Stopped(kukla_base::cancel::Reason),
    /// Its message can't be understood.
    #[error("the Ruby worker does not make sense: {0}")]
    Nonsense(&'static str),
}
