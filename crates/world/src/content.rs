//! Values that depend on nothing but content: parsed manifests, templates, functions and data files.
//!
//! A server has many environments with the same modules, and opens each anew after every deploy. What is made of a file is
//! therefore kept here by the digest of its content (and of all else that it depends on), for the whole process: each
//! content is parsed once, and a new snapshot is warm.
//!
//! A value is shared as long as any snapshot uses it. The values that were used last stay even if none does, so that a
//! snapshot finds what the one before it has left: a few megabytes, and as many bytes as all snapshots use. Caches of
//! the crates that we know have either bounds or weak references, not both.

use std::any::Any;
use std::collections::BTreeMap;
use std::hash::Hash;
use std::sync::{Arc, LazyLock, Mutex, MutexGuard, PoisonError, Weak};

use kukla_base::{Digest, DigestHasher};
use rustc_hash::FxHashMap;

/// The bytes of values that stay though no snapshot uses them, beside as many as snapshots use.
const LIMIT: usize = 8 << 20;

/// The number of new values after which the bytes that snapshots use are counted again.
const COUNT_EVERY: u64 = 256;

/// Entries whose values are gone are looked for when there are twice as many entries as after the last look.
const FIRST_SWEEP: usize = 1024;

/// The cache of the process.
static PROCESS: LazyLock<ContentCache> = LazyLock::new(|| ContentCache::new(LIMIT));

/// Values by the digest of what they are made of.
#[derive(Debug)]
pub struct ContentCache {
    limit: usize,
    state: Mutex<State>,
    files: Mutex<Files>,
}

type Shared = Arc<dyn Any + Send + Sync>;

#[derive(Debug, Default)]
struct State {
    entries: FxHashMap<Digest, Entry>,
    /// The entries that are kept, the one that was used last at the end.
    kept: BTreeMap<u64, Digest>,
    /// The bytes of all that are kept.
    bytes: usize,
    clock: u64,
    sweep_at: usize,
    n_made: u64,
    n_shared: u64,
    /// The bytes of what snapshots used when it was last counted.
    in_use: usize,
}

#[derive(Debug)]
struct Entry {
    value: Weak<dyn Any + Send + Sync>,
    kept: Option<(Shared, u64)>,
    size: usize,
}

#[derive(Debug, Default)]
struct Files {
    bytes: FxHashMap<Digest, Weak<[u8]>>,
    sweep_at: usize,
}

/// Counts of a cache.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Counts {
    /// Values that were made.
    pub made: u64,
    /// Values that were there already.
    pub shared: u64,
    /// The bytes of values that stay though no snapshot may use them.
    pub kept_bytes: usize,
}

/// The content that a value is made of, piece by piece.
#[derive(Debug)]
pub struct ContentKey(DigestHasher);

impl ContentKey {
    /// A key of a kind of values; values of different kinds have different keys.
    pub fn new(kind: &str) -> Self {
        Self(DigestHasher::new()).with(kind.as_bytes())
    }

    /// Adds a piece of content.
    #[must_use]
    pub fn with(mut self, piece: &[u8]) -> Self {
        // With its length, so that pieces can't run into each other.
        self.0.update(&piece.len().to_le_bytes());
        self.0.update(piece);
        self
    }

    fn digest(&self) -> Digest {
        self.0.finish()
    }
}

impl ContentCache {
    /// A cache that keeps so many bytes, and as many as are in use, of values that are not in use.
    pub fn new(limit: usize) -> Self {
        Self { limit, state: Mutex::default(), files: Mutex::default() }
    }

    /// Returns the cache of the process.
    pub fn of_process() -> &'static Self {
        &PROCESS
    }

    /// Returns the value of a key, made by `make` if there is none; the number is about how many bytes it takes.
    ///
    /// An error is not kept. Two threads may make the same value at the same time; the first one stays.
    pub fn get_or<T: Any + Send + Sync, E>(
        &self,
        key: &ContentKey,
        make: impl FnOnce() -> Result<(Arc<T>, usize), E>,
    ) -> Result<Arc<T>, E> {
        let digest = key.digest();
        if let Some(value) = self.get(digest) {
            return Ok(value);
        }
        let (value, size) = make()?;
        Ok(self.keep(digest, value, size))
    }

    /// Returns bytes that equal others, in the place where those lie.
    pub fn share_bytes(&self, bytes: Arc<[u8]>) -> Arc<[u8]> {
        let digest = Digest::of(&bytes);
        let mut files = self.files.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(known) = files.bytes.get(&digest).and_then(Weak::upgrade) {
            return known;
        }
        if files.bytes.len() >= files.sweep_at {
            retain(&mut files.bytes, |bytes| bytes.strong_count() > 0);
            files.sweep_at = next_sweep(files.bytes.len());
        }
        files.bytes.insert(digest, Arc::downgrade(&bytes));
        bytes
    }

    /// Returns the counts.
    pub fn counts(&self) -> Counts {
        let state = self.lock();
        Counts { made: state.n_made, shared: state.n_shared, kept_bytes: state.bytes }
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn get<T: Any + Send + Sync>(&self, digest: Digest) -> Option<Arc<T>> {
        let mut state = self.lock();
        let value = state.entries.get(&digest)?.value.upgrade()?;
        state.n_shared += 1;
        let dropped = state.touch(digest, &value, self.limit);
        drop(state);
        // Values are dropped outside of the lock: there may be many.
        drop(dropped);
        value.downcast().ok()
    }

    fn keep<T: Any + Send + Sync>(&self, digest: Digest, value: Arc<T>, size: usize) -> Arc<T> {
        let mut state = self.lock();
        let known = state.entries.get(&digest).and_then(|entry| entry.value.upgrade());
        if let Some(Ok(known)) = known.map(Arc::downcast::<T>) {
            return known;
        }
        state.n_made += 1;
        state.sweep();
        if state.n_made.is_multiple_of(COUNT_EVERY) {
            state.count();
        }
        let shared: Shared = Arc::<T>::clone(&value);
        // What was there is dead, and what is kept lives: no trace of it is left elsewhere.
        state.entries.insert(digest, Entry { value: Arc::downgrade(&shared), kept: None, size });
        let dropped = state.touch(digest, &shared, self.limit);
        drop(state);
        drop(dropped);
        value
    }
}

impl State {
    /// Makes an entry the one that was used last; returns values that have to go for it.
    fn touch(&mut self, digest: Digest, value: &Shared, limit: usize) -> Vec<Shared> {
        self.clock += 1;
        let clock = self.clock;
        let Some(entry) = self.entries.get_mut(&digest) else { return Vec::new() };
        match &mut entry.kept {
            Some((_, used)) => {
                self.kept.remove(used);
                *used = clock;
            }
            None => {
                self.bytes += entry.size;
                entry.kept = Some((Arc::clone(value), clock));
            }
        }
        self.kept.insert(clock, digest);
        self.evict(limit)
    }

    fn evict(&mut self, limit: usize) -> Vec<Shared> {
        let mut dropped = Vec::new();
        while self.bytes > limit + 2 * self.in_use
            && let Some((_, digest)) = self.kept.pop_first()
        {
            let Some(entry) = self.entries.get_mut(&digest) else { continue };
            self.bytes -= entry.size;
            dropped.extend(entry.kept.take().map(|(value, _)| value));
        }
        dropped
    }

    /// Counts the bytes of what is in use elsewhere.
    fn count(&mut self) {
        let is_used =
            |entry: &&Entry| entry.value.strong_count() > usize::from(entry.kept.is_some());
        self.in_use = self.entries.values().filter(is_used).map(|entry| entry.size).sum();
    }

    /// Forgets entries whose values are gone.
    fn sweep(&mut self) {
        if self.entries.len() >= self.sweep_at {
            retain(&mut self.entries, |entry| entry.value.strong_count() > 0);
            self.sweep_at = next_sweep(self.entries.len());
        }
    }
}

fn next_sweep(n_entries: usize) -> usize {
    (2 * n_entries).max(FIRST_SWEEP)
}

fn retain<K: Hash + Eq, V>(map: &mut FxHashMap<K, V>, is_kept: impl Fn(&V) -> bool) {
    map.retain(|_, value| is_kept(value));
    map.shrink_to_fit();
}

#[cfg(test)]
mod tests {
    use super::{ContentCache, ContentKey};
    use std::convert::Infallible;
    use std::sync::Arc;

    fn value(cache: &ContentCache, text: &str, size: usize) -> Arc<Box<str>> {
        let made = cache.get_or(&ContentKey::new("text").with(text.as_bytes()), || {
            Ok::<_, Infallible>((Arc::new(text.into()), size))
        });
        made.unwrap_or_else(|never| match never {})
    }

    #[test]
    fn equal_content_is_one_value() {
        let cache = ContentCache::new(100);
        let first = value(&cache, "a", 10);
        assert!(Arc::ptr_eq(&first, &value(&cache, "a", 10)));
        assert!(!Arc::ptr_eq(&first, &value(&cache, "b", 10)));
        assert_eq!(cache.counts().made, 2);
    }

    #[test]
    fn what_is_in_use_is_shared_though_it_was_evicted() {
        let cache = ContentCache::new(100);
        let used = value(&cache, "used", 60);
        drop(value(&cache, "b", 60));
        assert_eq!(cache.counts().kept_bytes, 60);
        assert!(Arc::ptr_eq(&used, &value(&cache, "used", 60)));
    }

    #[test]
    fn what_was_used_last_stays() {
        let cache = ContentCache::new(100);
        ["a", "b", "a", "c"].iter().for_each(|text| drop(value(&cache, text, 40)));
        assert_eq!(cache.counts().made, 3);
        drop(value(&cache, "a", 40));
        assert_eq!(cache.counts().made, 3);
        drop(value(&cache, "b", 40));
        assert_eq!(cache.counts().made, 4);
    }

    #[test]
    fn entries_of_values_that_are_gone_are_forgotten() {
        let cache = ContentCache::new(100);
        (0..10_000).for_each(|n| drop(value(&cache, &n.to_string(), 50)));
        assert!(cache.lock().entries.len() <= super::FIRST_SWEEP + 1);
        let first = cache.share_bytes(Arc::from(*b"a"));
        assert!(Arc::ptr_eq(&first, &cache.share_bytes(Arc::from(*b"a"))));
    }
}
