//! Commands in memory until they are stored, so that the journal is written and hardly ever read.

use std::collections::HashMap;

use super::known::{Known, Said, Subject};
use crate::command::Body;
use crate::{Command, Receipt};

/// The number of bytes of commands that are kept in memory until they are stored; others are read from the journal.
pub(super) const MOST_KEPT: usize = 12 << 20;
/// The number of bytes beyond which only commands are kept that were read already: the others are no work lost.
const MOST_WRITTEN: usize = 4 << 20;

/// Commands that wait, and what is known of nodes.
#[derive(Debug, Default)]
pub(super) struct Kept {
    commands: HashMap<u64, Waits>,
    n_bytes: usize,
    /// The bytes of commands that came and are not yet being stored, be they kept or not.
    pub(super) n_bytes_waiting: usize,
    /// Whether the store took nothing the last time.
    pub(super) is_stuck: bool,
    /// The last facts and catalogs of nodes.
    pub(super) known: Known,
    pub(super) is_closed: bool,
    /// The number of those who wait until a command is stored.
    pub(super) n_waiting: usize,
    /// Whether those who store commands wait for the first one.
    pub(super) is_idle: bool,
}

/// A command that waits.
#[derive(Debug)]
pub(super) enum Waits {
    /// It was read when it was accepted; the number is that of its bytes.
    Read(Box<Command>, Receipt, usize),
    /// It is this record of the journal.
    Written(Vec<u8>),
}

impl Waits {
    fn n_bytes(&self) -> usize {
        match self {
            Self::Read(.., n_bytes) => *n_bytes,
            Self::Written(record) => record.len(),
        }
    }
}

/// The origin of a command.
pub(super) enum Own<'a> {
    /// Another program sent it.
    Foreign(Box<Command>),
    /// This program made it.
    Report,
    /// A node said all of something at a time.
    Whole { subject: Subject, node: &'a str, said: Said, time: i64 },
    /// A node said again what it had said last.
    Same { subject: Subject, node: &'a str, said: Said, time: i64, since: i64 },
}

impl Kept {
    /// Keeps a command that came just now, and what it makes of what is known.
    pub(super) fn arrived(&mut self, number: u64, own: Own<'_>, receipt: Receipt, record: Vec<u8>) {
        match &own {
            Own::Foreign(command) => match command.body {
                Body::Facts(_) => self.known.forget(Subject::Facts, &command.certname),
                Body::Catalog(_) => self.known.forget(Subject::Catalog, &command.certname),
                _ => (),
            },
            Own::Whole { subject, node, said, time }
            | Own::Same { subject, node, said, time, .. } => {
                self.known.waits(*subject, node, *said, *time, number);
            }
            Own::Report => (),
        }
        self.n_bytes_waiting += record.len();
        let most = match own {
            Own::Foreign(_) => MOST_KEPT,
            _ => MOST_WRITTEN,
        };
        if self.n_bytes + record.len() <= most {
            self.n_bytes += record.len();
            let waits = match own {
                Own::Foreign(command) => Waits::Read(command, receipt, record.len()),
                _ => Waits::Written(record),
            };
            self.commands.insert(number, waits);
        }
    }

    /// Returns whether a command can be kept, or won't be soon.
    pub(super) fn has_room(&self, n_bytes: usize) -> bool {
        self.is_stuck || self.n_bytes == 0 || self.n_bytes + n_bytes <= MOST_KEPT
    }

    pub(super) fn take(&mut self, number: u64) -> Option<Waits> {
        let found = self.commands.remove(&number)?;
        self.n_bytes -= found.n_bytes();
        Some(found)
    }
}
