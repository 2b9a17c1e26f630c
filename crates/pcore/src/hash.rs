//! Hashes with insertion order.

use std::hash::{BuildHasher, Hash as StdHash, Hasher};

use hashbrown::HashTable;

use crate::Value;

/// The number of entries up to which a linear search is faster than a table.
const SMALL: usize = 8;

/// `{ a => b }`: keys and values in the order of insertion.
///
/// Most hashes have a handful of entries, and those have no table beside their list.
#[derive(Clone, Debug, Default)]
pub struct Hash {
    entries: Vec<(Value, Value)>,
    table: Option<Box<Table>>,
}

/// The positions of the keys in the list.
#[derive(Clone, Debug, Default)]
struct Table {
    places: HashTable<Slot>,
    state: foldhash::fast::RandomState,
}

/// The position of a key, with its digest, so that a growing table need not hash the keys again.
#[derive(Clone, Copy, Debug)]
struct Slot {
    place: u32,
    digest: u32,
}

/// Spreads a digest over 64 bits: the table uses the highest and the lowest bits.
fn spread(digest: u32) -> u64 {
    u64::from(digest).wrapping_mul(0x9e37_79b9_7f4a_7c15)
}

impl Hash {
    /// Creates an empty hash.
    pub fn new() -> Self {
        Self::default()
    }

    /// Creates an empty hash with room for `n` entries.
    pub fn with_capacity(n: usize) -> Self {
        Self { entries: Vec::with_capacity(n), table: None }
    }

    /// Creates a hash of distinct keys with `undef` values, and room for some more.
    pub fn with_keys<'k>(keys: impl ExactSizeIterator<Item = &'k Value>, room: usize) -> Self {
        let mut hash = Self::with_capacity(keys.len() + room);
        // All at once, since a move right after a write waits for the store.
        hash.entries.resize_with(keys.len(), Default::default);
        for ((place, _), key) in hash.entries.iter_mut().zip(keys) {
            key.copy_to(place);
        }
        hash.index();
        hash
    }

    /// Returns the value at an index, for changing it.
    pub fn value_mut(&mut self, place: usize) -> Option<&mut Value> {
        self.entries.get_mut(place).map(|(_, value)| value)
    }

    /// Returns the value of a key.
    pub fn get(&self, key: &Value) -> Option<&Value> {
        self.place(key).map(|place| &self.entries[place].1)
    }

    /// Returns the value of a key that is a string.
    pub fn get_str(&self, key: &str) -> Option<&Value> {
        let is_key =
            |entry: &(Value, Value)| matches!(&entry.0, Value::String(text) if text == key);
        let place = match &self.table {
            None => self.entries.iter().position(is_key),
            Some(table) => table.find(&self.entries, table.digest(key), is_key),
        };
        place.map(|place| &self.entries[place].1)
    }

    /// Like [`get_str`](Self::get_str), but tries the index `place` first.
    #[inline]
    pub fn get_near(&self, place: usize, key: &str) -> Option<&Value> {
        match self.entries.get(place) {
            Some((Value::String(text), value)) if text == key => Some(value),
            _ => self.get_str(key),
        }
    }

    /// Returns the value of a key, for changing it.
    pub fn get_mut(&mut self, key: &Value) -> Option<&mut Value> {
        self.place(key).map(|place| &mut self.entries[place].1)
    }

    /// Returns true if the key exists.
    pub fn contains_key(&self, key: &Value) -> bool {
        self.place(key).is_some()
    }

    /// Sets the value of a key; an existing key keeps its position. Returns the old value.
    pub fn insert(&mut self, key: Value, value: Value) -> Option<Value> {
        match self.place_or_digest(&key) {
            Ok(place) => Some(std::mem::replace(&mut self.entries[place].1, value)),
            Err(digest) => {
                self.entries.push((key, value));
                self.added(digest);
                None
            }
        }
    }

    /// Returns the slot of a key's value, set to `undef`; an existing key keeps its position.
    pub fn empty_place(&mut self, key: Value) -> &mut Value {
        match self.place_or_digest(&key) {
            Ok(place) => self.emptied(place),
            Err(digest) => {
                self.entries.push((key, Value::Undef));
                self.added(digest)
            }
        }
    }

    /// Like [`empty_place`](Self::empty_place), but clones the key only if it is new.
    pub fn empty_place_of(&mut self, key: &Value) -> &mut Value {
        match self.place_or_digest(key) {
            Ok(place) => self.emptied(place),
            Err(digest) => self.new_entry(key, digest),
        }
    }

    #[inline]
    fn emptied(&mut self, place: usize) -> &mut Value {
        let value = &mut self.entries[place].1;
        *value = Value::Undef;
        value
    }

    #[inline]
    fn new_entry(&mut self, key: &Value, digest: u32) -> &mut Value {
        // Created in place, as in `with_keys`.
        self.entries.resize_with(self.entries.len() + 1, Default::default);
        if let Some((place, _)) = self.entries.last_mut() {
            key.copy_to(place);
        }
        self.added(digest)
    }

    /// Removes a key; the rest keeps its order.
    pub fn remove(&mut self, key: &Value) -> Option<Value> {
        let place = self.place(key)?;
        let (_, value) = self.entries.remove(place);
        if self.table.take().is_some() {
            self.index();
        }
        Some(value)
    }

    /// Returns the number of entries.
    pub fn len(&self) -> usize {
        self.entries.len()
    }

    /// Returns true if there are no entries.
    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    /// Returns the entry at an index.
    pub fn entry(&self, index: usize) -> Option<(&Value, &Value)> {
        self.entries.get(index).map(|(key, value)| (key, value))
    }

    /// Returns all entries.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = (&Value, &Value)> + DoubleEndedIterator {
        self.entries.iter().map(|(key, value)| (key, value))
    }

    /// Returns all keys.
    pub fn keys(&self) -> impl ExactSizeIterator<Item = &Value> + DoubleEndedIterator {
        self.entries.iter().map(|(key, _)| key)
    }

    /// Returns all values.
    pub fn values(&self) -> impl ExactSizeIterator<Item = &Value> + DoubleEndedIterator {
        self.entries.iter().map(|(_, value)| value)
    }

    /// Creates a hash with the same keys and new values, which `change` writes into empty slots.
    #[must_use]
    pub fn map_values(&self, mut change: impl FnMut(&Value, &mut Value)) -> Self {
        let mut entries = Vec::with_capacity(self.len());
        for (key, value) in &self.entries {
            entries.push((Value::Undef, Value::Undef));
            if let Some((key_place, place)) = entries.last_mut() {
                key.copy_to(key_place);
                change(value, place);
            }
        }
        Self { entries, table: self.table.clone() }
    }

    fn place(&self, key: &Value) -> Option<usize> {
        self.place_or_digest(key).ok()
    }

    /// Returns the index of a key, or its digest, which only tables use.
    fn place_or_digest(&self, key: &Value) -> Result<usize, u32> {
        match &self.table {
            None => self.entries.iter().position(|(other, _)| other == key).ok_or(0),
            Some(table) => {
                let digest = table.digest(key);
                table.find(&self.entries, digest, |(other, _)| other == key).ok_or(digest)
            }
        }
    }

    /// Registers the last entry, whose key is new, and returns its value.
    #[inline]
    fn added(&mut self, digest: u32) -> &mut Value {
        let last = self.entries.len() - 1;
        match &mut self.table {
            Some(table) => table.add(last, digest),
            None if last >= SMALL => self.index(),
            None => (),
        }
        &mut self.entries[last].1
    }

    /// Builds the table, if there are enough entries.
    fn index(&mut self) {
        if self.entries.len() > SMALL {
            let mut table = Box::<Table>::default();
            for (place, (key, _)) in self.entries.iter().enumerate() {
                table.add(place, table.digest(key));
            }
            self.table = Some(table);
        }
    }
}

impl Table {
    fn digest(&self, key: &(impl StdHash + ?Sized)) -> u32 {
        self.state.hash_one(key) as u32
    }

    fn find(
        &self,
        entries: &[(Value, Value)],
        digest: u32,
        is_key: impl Fn(&(Value, Value)) -> bool,
    ) -> Option<usize> {
        let is_slot = |slot: &Slot| slot.digest == digest && is_key(&entries[slot.place as usize]);
        self.places.find(spread(digest), is_slot).map(|slot| slot.place as usize)
    }

    fn add(&mut self, place: usize, digest: u32) {
        let place = u32::try_from(place).expect("memory ends before numbers do");
        let slot = Slot { place, digest };
        self.places.insert_unique(spread(digest), slot, |slot| spread(slot.digest));
    }
}

impl FromIterator<(Value, Value)> for Hash {
    fn from_iter<I: IntoIterator<Item = (Value, Value)>>(entries: I) -> Self {
        let mut hash = Self::new();
        hash.extend(entries);
        hash
    }
}

impl Extend<(Value, Value)> for Hash {
    fn extend<I: IntoIterator<Item = (Value, Value)>>(&mut self, entries: I) {
        let entries = entries.into_iter();
        let n = entries.size_hint().0;
        // A vector has room for four entries at least, unless it is told how many there are; most hashes have fewer.
        match self.entries.capacity() {
            0 => self.entries.reserve_exact(n),
            _ => self.entries.reserve(n),
        }
        for (key, value) in entries {
            self.insert(key, value);
        }
    }
}

impl IntoIterator for Hash {
    type Item = (Value, Value);
    type IntoIter = std::vec::IntoIter<(Value, Value)>;

    fn into_iter(self) -> Self::IntoIter {
        self.entries.into_iter()
    }
}

/// As in Ruby, equality ignores the order.
impl PartialEq for Hash {
    fn eq(&self, other: &Self) -> bool {
        self.len() == other.len()
            && self
                .iter()
                .all(|(key, value)| other.get(key).is_some_and(|other_value| other_value == value))
    }
}

impl Eq for Hash {}

impl StdHash for Hash {
    fn hash<H: Hasher>(&self, state: &mut H) {
        // Equality ignores the order, so the entries can't go into one stream.
        self.len().hash(state);
    }
}
