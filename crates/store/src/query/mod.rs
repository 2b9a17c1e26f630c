//! PuppetDB's queries: AST and PQL, read into one tree and written as SQL for either engine.
//!
//! A [`Request`] is an address below `/pdb/query/v4` with its parameters. [`Request::compile`] checks its query with
//! PuppetDB's words for mistakes and returns SQL whose values are all bound: no text of a query becomes text of SQL.
//!
//! ```text
//! text ── json | pql ──> JSON (AST) ── check, read ──> Select ── sql ──> Compiled
//! ```

mod answer;
mod check;
mod compiled;
mod counts;
mod entities;
mod error;
mod fields;
pub(crate) mod functions;
mod json;
mod limits;
mod options;
mod paging;
mod pql;
mod read;
mod request;
mod routes;
mod rows;
mod show;
mod sql;
mod times;
mod tree;

pub use answer::{Answer, Gone, Receiver, Unanswered};
pub use compiled::{Column, Compiled, Kind, Parameter, Shape};
pub use error::QueryError;
pub use limits::Limits;
pub use pql::parse as parse_pql;
pub use request::Request;
