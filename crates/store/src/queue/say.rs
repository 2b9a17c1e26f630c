//! Takes facts and catalogs of nodes: whole if they are new, else as a short command.

use super::kept::Own;
use super::known::{Said, Subject, digest};
use super::{Queue, Submission, SubmitError};
use crate::sql::{Cell, number};
use crate::{Store, StoreError};

/// Something that a node says of itself.
#[derive(Clone, Copy)]
pub struct Saying<'a> {
    /// The name of the node.
    pub node: &'a str,
    /// Its facts or its catalog.
    pub subject: Subject,
    /// Everything of it that is stored, but for the description of this occasion.
    pub content: &'a [&'a [u8]],
    /// When it says that, in milliseconds since 1970; payloads have the same time.
    pub time: i64,
    /// Whether its exported resources are stored already.
    pub keeps_exports: bool,
    /// Whether it may be said by a short command if nothing has changed.
    pub may_be_short: bool,
    /// Writes the payload of the command that says all of it.
    pub whole: &'a dyn Fn() -> String,
    /// Writes the payload of the command that only names the time at which the node said the same.
    pub same: &'a dyn Fn(&str) -> String,
}

/// Something that a node says of itself again.
#[derive(Clone, Copy)]
pub struct Again<'a> {
    /// The name of the node.
    pub node: &'a str,
    /// Its facts or its catalog.
    pub subject: Subject,
    /// The digest of what it said.
    pub said: Said,
    /// When it says that, in milliseconds since 1970; the payload has the same time.
    pub time: i64,
    /// Whether its exported resources are stored already.
    pub keeps_exports: bool,
    /// Writes the payload of the command that only names the time at which the node said the same.
    pub same: &'a dyn Fn(&str) -> String,
}

impl std::fmt::Debug for Again<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Self { node, subject, .. } = self;
        f.debug_struct("Again").field("node", node).field("subject", subject).finish()
    }
}

impl std::fmt::Debug for Saying<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Self { node, subject, .. } = self;
        f.debug_struct("Saying").field("node", node).field("subject", subject).finish()
    }
}

impl Queue {
    /// Accepts what a node says of itself, and returns the number of the command. It survives the end of this process.
    pub fn say(&self, store: &Store, saying: &Saying<'_>) -> Result<u64, SubmitError> {
        let Saying { node, subject, time, keeps_exports, same, .. } = *saying;
        let said = digest(saying.content);
        let again = Again { node, subject, said, time, keeps_exports, same };
        if saying.may_be_short
            && let Some(number) = self.say_again(store, &again)?
        {
            return Ok(number);
        }
        let payload = (saying.whole)();
        let (name, version) = match subject {
            Subject::Facts => ("replace facts", 5),
            Subject::Catalog => ("replace catalog", 9),
        };
        let submission = Submission { name, version, payload: payload.as_bytes(), keeps_exports };
        let own = Own::Whole { subject, node, said, time };
        self.append(submission, own, false)?.ok_or(SubmitError::Full)
    }

    /// Accepts that a node says again what it has said last; nothing if that is not known any more.
    pub fn say_again(&self, store: &Store, again: &Again<'_>) -> Result<Option<u64>, SubmitError> {
        let Again { node, subject, said, time, keeps_exports, .. } = *again;
        let entry = self.lock().known.before(subject, node, &said, time);
        let Some(entry) = entry else { return Ok(None) };
        // Another process may have told the store something else; of a store that servers share that is known only of
        // what it has.
        let is_last = match entry.is_stored {
            true => store.last_said(subject, node).ok().flatten() == Some(entry.time),
            false => !store.is_shared(),
        };
        if !is_last {
            return Ok(None);
        }
        let name = match subject {
            Subject::Facts => "same facts",
            Subject::Catalog => "same catalog",
        };
        let payload = (again.same)(&crate::time::written(entry.time));
        let submission =
            Submission { name, version: 1, payload: payload.as_bytes(), keeps_exports };
        self.append(submission, Own::Same { subject, node, said, time, since: entry.time }, false)
    }
}

impl Store {
    /// Returns when the producer said the facts or the catalog that the store has of a node.
    fn last_said(&self, subject: Subject, node: &str) -> Result<Option<i64>, StoreError> {
        let query = match subject {
            Subject::Facts => {
                "SELECT producer_timestamp FROM factsets \
                 JOIN nodes ON nodes.id = factsets.node_id WHERE certname = ?1"
            }
            Subject::Catalog => {
                "SELECT producer_timestamp FROM catalogs \
                 JOIN nodes ON nodes.id = catalogs.node_id WHERE certname = ?1"
            }
        };
        self.read(|sql| number(sql, query, &[Cell::Text(node)]))
    }
}
