//! A hash: keys and values in the order of insertion.

use std::hash::{Hash as StdHash, Hasher};

use indexmap::{Equivalent, IndexMap};

use crate::Value;

/// `{ a => b }`: keys and values in the order of insertion.
#[derive(Clone, Debug, Default)]
pub struct Hash(IndexMap<Value, Value, foldhash::fast::RandomState>);

impl Hash {
    /// An empty hash.
    pub fn new() -> Self {
        Self::default()
    }

    /// An empty hash with room for `n` entries.
    pub fn with_capacity(n: usize) -> Self {
        Self(IndexMap::with_capacity_and_hasher(n, foldhash::fast::RandomState::default()))
    }

    /// The value of a key.
    pub fn get(&self, key: &Value) -> Option<&Value> {
        self.0.get(key)
    }

    /// The value of a key that is a string.
    pub fn get_str(&self, key: &str) -> Option<&Value> {
        self.0.get(&Text(key))
    }

    /// The value of a key, to be changed.
    pub fn get_mut(&mut self, key: &Value) -> Option<&mut Value> {
        self.0.get_mut(key)
    }

    /// Whether there is such a key.
    pub fn contains_key(&self, key: &Value) -> bool {
        self.0.contains_key(key)
    }

    /// Sets the value of a key; a key that is there keeps its place. Returns the old value.
    pub fn insert(&mut self, key: Value, value: Value) -> Option<Value> {
        self.0.insert(key, value)
    }

    /// Removes a key; the others keep their order.
    pub fn remove(&mut self, key: &Value) -> Option<Value> {
        self.0.shift_remove(key)
    }

    /// The number of entries.
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The entry at a place.
    pub fn entry(&self, index: usize) -> Option<(&Value, &Value)> {
        self.0.get_index(index)
    }

    /// All entries.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = (&Value, &Value)> + DoubleEndedIterator {
        self.0.iter()
    }

    /// All keys.
    pub fn keys(&self) -> impl ExactSizeIterator<Item = &Value> + DoubleEndedIterator {
        self.0.keys()
    }

    /// All values.
    pub fn values(&self) -> impl ExactSizeIterator<Item = &Value> + DoubleEndedIterator {
        self.0.values()
    }
}

/// The text of a key.
struct Text<'a>(&'a str);

impl StdHash for Text<'_> {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.0.hash(state);
    }
}

impl Equivalent<Value> for Text<'_> {
    fn equivalent(&self, key: &Value) -> bool {
        matches!(key, Value::String(text) if text == self.0)
    }
}

impl FromIterator<(Value, Value)> for Hash {
    fn from_iter<I: IntoIterator<Item = (Value, Value)>>(entries: I) -> Self {
        Self(entries.into_iter().collect())
    }
}

impl Extend<(Value, Value)> for Hash {
    fn extend<I: IntoIterator<Item = (Value, Value)>>(&mut self, entries: I) {
        self.0.extend(entries);
    }
}

impl IntoIterator for Hash {
    type Item = (Value, Value);
    type IntoIter = indexmap::map::IntoIter<Value, Value>;

    fn into_iter(self) -> Self::IntoIter {
        self.0.into_iter()
    }
}

/// As in Ruby, the order does not matter.
impl PartialEq for Hash {
    fn eq(&self, other: &Self) -> bool {
        self.0 == other.0
    }
}

impl Eq for Hash {}

impl StdHash for Hash {
    fn hash<H: Hasher>(&self, state: &mut H) {
        // The order does not matter, so the entries can't go into one stream.
        self.len().hash(state);
    }
}
