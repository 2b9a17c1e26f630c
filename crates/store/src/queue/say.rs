//! Takes facts and catalogs of nodes: whole if they are new, else as a short command.

use super::kept::Own;
use super::known::{Entry, Said, Subject, digest};
use super::{Queue, Submission, SubmitError};
use crate::sql::{Cell, number};
use crate::{Command, Outcome, Receipt, Store, StoreError};

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
        if store.is_shared() {
            return self.keep(store, again, &entry);
        }
        // Another process may have told the store something else.
        let is_last =
            !entry.is_stored || store.last_said(subject, node).ok().flatten() == Some(entry.time);
        if !is_last {
            return Ok(None);
        }
        let payload = (again.same)(&crate::time::written(entry.time));
        let (name, version) = subject.short_command();
        let submission = Submission { name, version, payload: payload.as_bytes(), keeps_exports };
        self.append(submission, Own::Same { subject, node, said, time, since: entry.time }, false)
    }

    /// Tells a store that servers share that a node says what it said before, in one transaction that sees whether the
    /// store still has that: a short command that waits could find that another server was faster. Returns the number of
    /// the command that said it; nothing if all of it has to be said.
    fn keep(
        &self,
        store: &Store,
        again: &Again<'_>,
        entry: &Entry,
    ) -> Result<Option<u64>, SubmitError> {
        let Again { node, subject, time, keeps_exports, .. } = *again;
        // What the store does not have yet can't be relied on.
        if !entry.is_stored {
            return Ok(None);
        }
        let payload = (again.same)(&crate::time::written(entry.time));
        let (name, version) = subject.short_command();
        let command = Command::reread(name, version, payload.as_bytes())?;
        let receipt = Receipt { received: crate::time::now(), keeps_exports };
        // A store that can't be reached gets all of it later.
        let applied =
            store.apply(&[(&command, receipt)]).ok().and_then(|mut applied| applied.pop());
        let mut kept = self.lock();
        match applied {
            Some(Ok(Outcome::Stored)) => kept.known.said_again(subject, node, entry, time),
            // The store has something newer, and would ignore this.
            Some(Ok(Outcome::Stale | Outcome::Duplicate)) => kept.known.forget(subject, node),
            Some(Ok(Outcome::Changed) | Err(_)) | None => {
                kept.known.forget(subject, node);
                return Ok(None);
            }
        }
        Ok(Some(entry.number))
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
