//! Catalogs in memory, which nodes get again while nothing has changed that was read for them.
//!
//! How a catalog is kept and given again is in [`again`](super::again). This cache is bounded in bytes. When it is full, it
//! keeps the catalogs that it has: a fleet that asks in turns would otherwise push out each catalog before it is asked for
//! again.

use std::collections::HashMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use kukla_base::Digest;
use kukla_compiler::log::Entry;
use kukla_site::Repeat;
use kukla_store::Said;

use super::packed::Packed;

/// The time after which a catalog that was not asked for makes room for others: four runs of most agents.
const LONGEST_UNUSED: Duration = Duration::from_secs(2 * 3600);
/// The time between two searches for catalogs that can make room.
const SEARCH_EVERY: Duration = Duration::from_secs(10);
/// The number of nodes that are remembered; names come from the outside.
const MOST_NODES: usize = 100_000;
/// Nodes whose catalogs changed so many times in a row are compiled without a record for some runs: a record takes time.
const MOST_MISSES: u32 = 2;
/// The part of the cache from which on a catalog that does not fit says nothing about others.
const MOST_SHARE: usize = 8;
/// The logarithm of the largest number of these runs.
const LONGEST_REST: u32 = 6;

/// A catalog, and what has to be as it was for a node to get it again.
#[derive(Debug)]
pub(super) struct KeptCatalog {
    pub(super) repeat: Repeat,
    pub(super) packed: Packed,
    /// Warnings and errors of the log.
    pub(super) log: Vec<Entry>,
    /// The digest by which the store knows it.
    pub(super) said: Option<Said>,
    /// The digest of what the node exports.
    pub(super) exports: Option<Digest>,
    /// Whether no resource of it is exported.
    pub(super) exports_nothing: bool,
}

/// The cache.
#[derive(Debug)]
pub(super) struct Reuse {
    most_bytes: usize,
    state: Mutex<State>,
    n_reused: AtomicU64,
}

#[derive(Debug, Default)]
struct State {
    by_node: HashMap<Box<str>, KnownNode>,
    n_bytes: usize,
    /// Whether there was no room for a catalog.
    is_full: bool,
    searched: Option<Instant>,
}

#[derive(Debug)]
struct KnownNode {
    kept: Option<Arc<KeptCatalog>>,
    used: Instant,
    /// How often in a row the catalog could not be given again.
    n_misses: u32,
    /// The number of compilations without a record that are left.
    n_resting: u32,
}

impl Default for KnownNode {
    fn default() -> Self {
        Self { kept: None, used: Instant::now(), n_misses: 0, n_resting: 0 }
    }
}

impl Reuse {
    /// Makes a cache for so many bytes.
    pub(super) fn new(most_bytes: usize) -> Self {
        Self { most_bytes, state: Mutex::default(), n_reused: AtomicU64::new(0) }
    }

    /// Returns the catalog of a node.
    pub(super) fn get(&self, node: &str) -> Option<Arc<KeptCatalog>> {
        let mut state = self.lock();
        let known = state.by_node.get_mut(node)?;
        known.used = Instant::now();
        known.kept.clone()
    }

    /// Counts a catalog that a node got again.
    pub(super) fn reused(&self, node: &str) {
        self.n_reused.fetch_add(1, Ordering::Relaxed);
        if let Some(known) = self.lock().by_node.get_mut(node) {
            known.n_misses = 0;
        }
    }

    /// Forgets the catalog of a node, which has changed although the environment has not, or can't be given again at all.
    pub(super) fn missed(&self, node: &str) {
        let mut state = self.lock();
        let known = state.node(node);
        known.n_misses = known.n_misses.saturating_add(1);
        if known.n_misses >= MOST_MISSES {
            known.n_resting = 1 << known.n_misses.min(LONGEST_REST);
        }
        state.take(node);
    }

    /// Returns whether the next compilation of a node is to be recorded, so that its catalog can be kept.
    pub(super) fn is_due(&self, node: &str) -> bool {
        let mut state = self.lock();
        if state.is_full {
            state.search();
        }
        let has_room = !state.is_full;
        let Some(known) = state.by_node.get_mut(node) else { return has_room };
        let is_due = known.n_resting == 0 && (has_room || known.kept.is_some());
        known.n_resting = known.n_resting.saturating_sub(1);
        is_due
    }

    /// Keeps the catalog of a node if there is room.
    pub(super) fn keep(&self, node: &str, kept: KeptCatalog) {
        let n_bytes = kept.n_bytes(node);
        let mut state = self.lock();
        state.take(node);
        if state.n_bytes + n_bytes > self.most_bytes {
            state.search();
        }
        if state.n_bytes + n_bytes <= self.most_bytes {
            state.n_bytes += n_bytes;
            let known = state.node(node);
            (known.kept, known.used) = (Some(Arc::new(kept)), Instant::now());
        } else if n_bytes <= self.most_bytes / MOST_SHARE {
            state.is_full = true;
        } else {
            // There may be room for smaller ones.
            state.node(node).n_resting = 1 << LONGEST_REST;
        }
    }

    /// Returns the counters in Prometheus' text format.
    pub(super) fn metrics(&self) -> String {
        let (n_kept, n_bytes) = {
            let state = self.lock();
            (state.by_node.values().filter(|known| known.kept.is_some()).count(), state.n_bytes)
        };
        let n_reused = self.n_reused.load(Ordering::Relaxed);
        format!(
            "# TYPE kukla_catalogs_reused_total counter\nkukla_catalogs_reused_total {n_reused}\n\
             # TYPE kukla_catalogs_kept gauge\nkukla_catalogs_kept {n_kept}\n\
             # TYPE kukla_catalogs_kept_bytes gauge\nkukla_catalogs_kept_bytes {n_bytes}\n"
        )
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl State {
    fn node(&mut self, name: &str) -> &mut KnownNode {
        if self.by_node.len() >= MOST_NODES && !self.by_node.contains_key(name) {
            self.by_node.retain(|_, known| known.kept.is_some());
        }
        self.by_node.entry(name.into()).or_default()
    }

    /// Takes the catalog of a node out.
    fn take(&mut self, node: &str) {
        if let Some(kept) = self.by_node.get_mut(node).and_then(|known| known.kept.take()) {
            self.n_bytes -= kept.n_bytes(node);
            self.is_full = false;
        }
    }

    /// Makes room: takes out the catalogs of environments that are no more, and those that were not asked for.
    fn search(&mut self) {
        if self.searched.is_some_and(|searched| searched.elapsed() < SEARCH_EVERY) {
            return;
        }
        self.searched = Some(Instant::now());
        self.by_node.retain(|_, known| known.used.elapsed() < LONGEST_UNUSED);
        let left = self.by_node.iter_mut().map(|(node, known)| {
            known.kept = known.kept.take().filter(|kept| !kept.repeat.is_outdated());
            known.kept.as_ref().map_or(0, |kept| kept.n_bytes(node))
        });
        let n_bytes = left.sum();
        self.is_full &= n_bytes == self.n_bytes;
        self.n_bytes = n_bytes;
    }
}

impl KeptCatalog {
    /// Returns the number of bytes that it takes below the name of a node.
    fn n_bytes(&self, node: &str) -> usize {
        let texts = self.log.iter().map(|entry| size_of::<Entry>() + entry.message.len());
        let own = size_of::<Self>() + size_of::<KnownNode>() + node.len();
        own + self.repeat.n_bytes() + self.packed.n_bytes() + texts.sum::<usize>()
    }
}
