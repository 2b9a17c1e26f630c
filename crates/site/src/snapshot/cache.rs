//! Cache of values that are computed on first use, with the recorded questions behind them.

use std::borrow::Borrow;
use std::hash::Hash;
use std::sync::{Arc, PoisonError, RwLock};

use kukla_world::{Reads, Record};
use rustc_hash::FxHashMap;

/// Values keyed by name. The first value of a name is kept; each user of a value replays its questions into its own
/// record.
#[derive(Debug)]
pub(crate) struct Cache<K, V>(RwLock<FxHashMap<K, (V, Arc<Reads>)>>);

impl<K, V> Default for Cache<K, V> {
    fn default() -> Self {
        Self(RwLock::default())
    }
}

impl<K: Hash + Eq, V: Clone> Cache<K, V> {
    /// Returns the value of a name, computing it if it is missing.
    pub(crate) fn get_or<Q>(&self, key: &Q, record: &Record, make: impl FnOnce(&Record) -> V) -> V
    where
        K: Borrow<Q>,
        Q: Hash + Eq + ToOwned<Owned = K> + ?Sized,
    {
        if let Some(value) = self.get(key, record) {
            return value;
        }
        let (value, reads) = record.gather(make);
        self.keep(key.to_owned(), value, reads)
    }

    /// Returns the value of a name, if there is one.
    pub(crate) fn get<Q: Hash + Eq + ?Sized>(&self, key: &Q, record: &Record) -> Option<V>
    where
        K: Borrow<Q>,
    {
        let values = self.0.read().unwrap_or_else(PoisonError::into_inner);
        let (value, reads) = values.get(key)?;
        record.replay(reads);
        Some(value.clone())
    }

    /// Inserts a value, unless another thread was faster; returns the one that is kept.
    pub(crate) fn keep(&self, key: K, value: V, reads: Arc<Reads>) -> V {
        let mut values = self.0.write().unwrap_or_else(PoisonError::into_inner);
        values.entry(key).or_insert((value, reads)).0.clone()
    }
}
