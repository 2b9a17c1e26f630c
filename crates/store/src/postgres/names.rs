//! Identifiers of names that are stored: of facts, environments and producers, which are never removed.

use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

/// The most names that are kept: nodes choose those of their facts.
const MOST: usize = 100_000;

/// Names with their identifiers.
#[derive(Debug, Default)]
pub(super) struct Names(Mutex<HashMap<&'static str, HashMap<String, i64>>>);

impl Names {
    /// Returns the identifier of a name of a table.
    pub(super) fn get(&self, table: &'static str, name: &str) -> Option<i64> {
        self.lock().get(table)?.get(name).copied()
    }

    /// Keeps names that are stored for good.
    pub(super) fn keep(&self, names: Vec<(&'static str, String, i64)>) {
        if names.is_empty() {
            return;
        }
        let mut all = self.lock();
        for (table, name, id) in names {
            let of_table = all.entry(table).or_default();
            if of_table.len() >= MOST {
                of_table.clear();
            }
            of_table.insert(name, id);
        }
    }

    /// Forgets all names.
    pub(super) fn clear(&self) {
        self.lock().clear();
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<&'static str, HashMap<String, i64>>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
