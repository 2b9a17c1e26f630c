//! Things that are made when they are first asked for, and kept.

use std::borrow::Borrow;
use std::hash::Hash;
use std::sync::{PoisonError, RwLock};

use rustc_hash::FxHashMap;

/// Things by name. The first that is made for a name stays.
#[derive(Debug)]
pub(crate) struct Cache<K, V>(RwLock<FxHashMap<K, V>>);

impl<K, V> Default for Cache<K, V> {
    fn default() -> Self {
        Self(RwLock::default())
    }
}

impl<K: Hash + Eq, V: Clone> Cache<K, V> {
    /// What is kept under a name.
    pub(crate) fn get<Q: Hash + Eq + ?Sized>(&self, key: &Q) -> Option<V>
    where
        K: Borrow<Q>,
    {
        self.0.read().unwrap_or_else(PoisonError::into_inner).get(key).cloned()
    }

    /// Keeps something, unless another thread was faster; what is kept.
    pub(crate) fn keep(&self, key: K, value: V) -> V {
        self.0.write().unwrap_or_else(PoisonError::into_inner).entry(key).or_insert(value).clone()
    }
}
