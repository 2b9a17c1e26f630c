//! Digests of the last facts and catalogs that this process heard of each node: most nodes say the same again and again.
//!
//! It is a hint: a command that relies on it names the time of what was said last, and the store compares.

use std::collections::HashMap;

/// The number of nodes of one generation that are remembered.
const MOST: usize = 50_000;

/// Something that nodes say of themselves whole, and that replaces what they said before.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Subject {
    /// Their facts.
    Facts,
    /// Their catalogs.
    Catalog,
}

impl Subject {
    /// Returns name and version of the command which says that nothing has changed.
    pub(super) fn short_command(self) -> (&'static str, i64) {
        match self {
            Self::Facts => ("same facts", 1),
            Self::Catalog => ("same catalog", 1),
        }
    }
}

/// The digest of something that a node said.
pub type Said = [u8; 16];

/// The digests of all nodes.
#[derive(Debug, Default)]
pub(super) struct Known {
    facts: Memory,
    catalogs: Memory,
}

/// Entries by the names of nodes. The older half is dropped when the younger one is full.
#[derive(Debug, Default)]
struct Memory {
    young: HashMap<Box<str>, Entry>,
    old: HashMap<Box<str>, Entry>,
}

/// The last that a node said.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Entry {
    pub(super) said: Said,
    /// When it was said, in milliseconds since 1970.
    pub(super) time: i64,
    /// The number of the command that tells the store.
    pub(super) number: u64,
    /// Whether the store knows it.
    pub(super) is_stored: bool,
}

impl Known {
    /// Returns the last that a node said, if that is the same thing and was said before a time.
    pub(super) fn before(
        &mut self,
        subject: Subject,
        node: &str,
        said: &Said,
        time: i64,
    ) -> Option<Entry> {
        let entry = self.memory(subject).get(node);
        entry.copied().filter(|entry| entry.said == *said && entry.time < time)
    }

    /// Remembers the command that tells the store of a node. If something later was said already, nothing is known.
    pub(super) fn waits(
        &mut self,
        subject: Subject,
        node: &str,
        said: Said,
        time: i64,
        number: u64,
    ) {
        let memory = self.memory(subject);
        match memory.get(node) {
            Some(entry) if entry.time > time => self.forget(subject, node),
            _ => memory.insert(node, Entry { said, time, number, is_stored: false }),
        }
    }

    /// Remembers that the store has what a command said.
    pub(super) fn stored(&mut self, subject: Subject, node: &str, number: u64) {
        if let Some(entry) = self.memory(subject).get(node)
            && entry.number == number
        {
            entry.is_stored = true;
        }
    }

    /// Remembers that the store knows that a node said the same thing again, unless something came meanwhile.
    pub(super) fn said_again(&mut self, subject: Subject, node: &str, before: &Entry, time: i64) {
        if let Some(entry) = self.memory(subject).get(node)
            && entry == before
        {
            entry.time = time;
        }
    }

    /// Forgets a node.
    pub(super) fn forget(&mut self, subject: Subject, node: &str) {
        let Memory { young, old } = self.memory(subject);
        young.remove(node);
        old.remove(node);
    }

    fn memory(&mut self, subject: Subject) -> &mut Memory {
        match subject {
            Subject::Facts => &mut self.facts,
            Subject::Catalog => &mut self.catalogs,
        }
    }
}

impl Memory {
    fn get(&mut self, node: &str) -> Option<&mut Entry> {
        if let Some((name, entry)) = self.old.remove_entry(node) {
            self.add(name, entry);
        }
        self.young.get_mut(node)
    }

    fn insert(&mut self, node: &str, entry: Entry) {
        self.old.remove(node);
        self.add(node.into(), entry);
    }

    fn add(&mut self, node: Box<str>, entry: Entry) {
        if self.young.len() >= MOST {
            self.old = std::mem::take(&mut self.young);
        }
        self.young.insert(node, entry);
    }
}

/// Returns the digest of the parts of what a node says.
pub fn digest(parts: &[&[u8]]) -> Said {
    let mut hasher = blake3::Hasher::new();
    for part in parts {
        hasher.update(&(part.len() as u64).to_le_bytes());
        hasher.update(part);
    }
    let mut said = Said::default();
    hasher.finalize_xof().fill(&mut said);
    said
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nodes_that_say_nothing_are_forgotten_in_the_end() {
        let mut known = Known::default();
        let said = digest(&[b"a", b"b"]);
        assert_ne!(said, digest(&[b"ab", b""]));
        for number in 0..(2 * MOST as u64 + 10) {
            known.waits(Subject::Facts, &format!("node{number}"), said, 1, number);
            // One of them says something now and then.
            assert!(known.before(Subject::Facts, "node0", &said, 2).is_some());
        }
        assert_eq!(known.before(Subject::Facts, "node1", &said, 2), None);
        assert_eq!(known.before(Subject::Catalog, "node0", &said, 2), None);
        assert_eq!(known.before(Subject::Facts, "node0", &digest(&[]), 2), None);
        assert!(known.facts.young.len() <= MOST && known.facts.old.len() <= MOST);
    }

    #[test]
    fn what_was_said_earlier_is_not_the_last() {
        let mut known = Known::default();
        let said = digest(&[b"a"]);
        known.waits(Subject::Catalog, "a", said, 5, 0);
        assert_eq!(known.before(Subject::Catalog, "a", &said, 5), None);
        let is_stored = |known: &mut Known| {
            known.before(Subject::Catalog, "a", &said, 9).map(|entry| entry.is_stored)
        };
        known.stored(Subject::Catalog, "a", 1);
        assert_eq!(is_stored(&mut known), Some(false));
        known.stored(Subject::Catalog, "a", 0);
        assert_eq!(is_stored(&mut known), Some(true));
        // The store will ignore it, so it is not known which of them it has.
        known.waits(Subject::Catalog, "a", said, 4, 1);
        assert_eq!(is_stored(&mut known), None);
    }
}
