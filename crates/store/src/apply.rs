//! Commands become rows, by PuppetDB's rules: what is older than what is known is ignored, and a report counts once.

mod catalog;
mod changes;
mod content;
mod data;
mod facts;
mod history;
mod leaves;
mod node;
mod report;

use crate::command::{Body, Command};
use crate::history::FactHistory;
use crate::sql::{Sql, SqlError};

/// The fate of a command.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// It is stored.
    Stored,
    /// Something newer is known.
    Stale,
    /// It was stored before.
    Duplicate,
    /// It says that the node said the same before, but the store has heard something else since.
    Changed,
}

impl Outcome {
    /// Returns the fate of a command which says that nothing has changed, by the time of what the store has instead.
    fn of_other(known: Option<i64>, time: i64) -> Self {
        match known {
            // The journal may repeat what was stored.
            Some(known) if known >= time => Self::Stale,
            _ => Self::Changed,
        }
    }
}

/// When and how a command came.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Receipt {
    /// When it came, in milliseconds since 1970.
    pub received: i64,
    /// Whether the exported resources were stored before, with values that commands can't hold.
    pub keeps_exports: bool,
}

/// The bounds of the past that is kept.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Past<'a> {
    /// How many changes of a node's catalog are kept.
    pub(crate) n_changes: u32,
    /// The history of facts that is kept.
    pub(crate) facts: &'a FactHistory,
}

/// Stores a command.
pub(crate) fn command(
    sql: &mut dyn Sql,
    command: &Command,
    receipt: Receipt,
    past: Past<'_>,
) -> Result<Outcome, SqlError> {
    let Command { certname, producer_timestamp: time, body } = command;
    let node = match body {
        Body::Deactivate => node::id(sql, certname)?,
        _ => node::active_id(sql, certname, *time)?,
    };
    match body {
        Body::Facts(facts) => {
            facts::replace(sql, node, (*time, receipt.received), facts, past.facts)
        }
        Body::Catalog(catalog) => {
            catalog::replace(sql, node, *time, receipt, catalog, past.n_changes)
        }
        Body::SameFacts(same) => facts::keep(sql, node, *time, receipt.received, same),
        Body::SameCatalog(same) => catalog::keep(sql, node, *time, receipt.received, same),
        Body::Inputs(inputs) => catalog::replace_inputs(sql, node, *time, inputs),
        Body::Report(report) => report::store(sql, node, command, receipt.received, report),
        Body::Deactivate => node::deactivate(sql, node, *time),
    }
}

pub(crate) use content::sha1;
pub(crate) use node::{activate, id as node_id};
