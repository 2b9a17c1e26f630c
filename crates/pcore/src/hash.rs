//! A hash: keys and values in the order of insertion.

use std::hash::{BuildHasher, Hash as StdHash, Hasher};

use hashbrown::HashTable;

use crate::Value;

/// Up to so many entries a look at all of them is quicker than a table.
const SMALL: usize = 8;

/// `{ a => b }`: keys and values in the order of insertion.
///
/// Most hashes have a handful of entries, and those have no table beside their list.
#[derive(Clone, Debug, Default)]
pub struct Hash {
    entries: Vec<(Value, Value)>,
    table: Option<Box<Table>>,
}

/// The places of the keys in the list.
#[derive(Clone, Debug, Default)]
struct Table {
    places: HashTable<Slot>,
    state: foldhash::fast::RandomState,
}

/// Where a key is. Its digest is kept beside it, so that a table that grows need not look at the keys again.
#[derive(Clone, Copy, Debug)]
struct Slot {
    place: u32,
    digest: u32,
}

/// The number under which the table keeps a digest: it uses the highest and the lowest bits.
fn spread(digest: u32) -> u64 {
    u64::from(digest).wrapping_mul(0x9e37_79b9_7f4a_7c15)
}

impl Hash {
    /// An empty hash.
    pub fn new() -> Self {
        Self::default()
    }

    /// An empty hash with room for `n` entries.
    pub fn with_capacity(n: usize) -> Self {
        Self { entries: Vec::with_capacity(n), table: None }
    }

    /// A hash of keys that differ, with empty places for their values, and room for some more.
    pub fn with_keys<'k>(keys: impl ExactSizeIterator<Item = &'k Value>, room: usize) -> Self {
        let mut hash = Self::with_capacity(keys.len() + room);
        // All at once: what is moved after it was just written has to wait.
        hash.entries.resize_with(keys.len(), Default::default);
        for ((place, _), key) in hash.entries.iter_mut().zip(keys) {
            key.copy_to(place);
        }
        hash.index();
        hash
    }

    /// The value at a place.
    pub fn value_mut(&mut self, place: usize) -> Option<&mut Value> {
        self.entries.get_mut(place).map(|(_, value)| value)
    }

    /// The value of a key.
    pub fn get(&self, key: &Value) -> Option<&Value> {
        self.place(key).map(|place| &self.entries[place].1)
    }

    /// The value of a key that is a string.
    pub fn get_str(&self, key: &str) -> Option<&Value> {
        let is_key =
            |entry: &(Value, Value)| matches!(&entry.0, Value::String(text) if text == key);
        let place = match &self.table {
            None => self.entries.iter().position(is_key),
            Some(table) => table.find(&self.entries, table.digest(key), is_key),
        };
        place.map(|place| &self.entries[place].1)
    }

    /// The same of a key that is likely to be at a place.
    #[inline]
    pub fn get_near(&self, place: usize, key: &str) -> Option<&Value> {
        match self.entries.get(place) {
            Some((Value::String(text), value)) if text == key => Some(value),
            _ => self.get_str(key),
        }
    }

    /// The value of a key, to be changed.
    pub fn get_mut(&mut self, key: &Value) -> Option<&mut Value> {
        self.place(key).map(|place| &mut self.entries[place].1)
    }

    /// Whether there is such a key.
    pub fn contains_key(&self, key: &Value) -> bool {
        self.place(key).is_some()
    }

    /// Sets the value of a key; a key that is there keeps its place. Returns the old value.
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

    /// The place of a key's value, which is `undef` now; a key that is there keeps its place.
    pub fn empty_place(&mut self, key: Value) -> &mut Value {
        match self.place_or_digest(&key) {
            Ok(place) => self.emptied(place),
            Err(digest) => {
                self.entries.push((key, Value::Undef));
                self.added(digest)
            }
        }
    }

    /// The same of a key that is copied if it is not there.
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
        // Made in its place, as above.
        self.entries.resize_with(self.entries.len() + 1, Default::default);
        if let Some((place, _)) = self.entries.last_mut() {
            key.copy_to(place);
        }
        self.added(digest)
    }

    /// Removes a key; the others keep their order.
    pub fn remove(&mut self, key: &Value) -> Option<Value> {
        let place = self.place(key)?;
        let (_, value) = self.entries.remove(place);
        if self.table.take().is_some() {
            self.index();
        }
        Some(value)
    }

    /// The number of entries.
    pub fn len(&self) -> usize {
        self.entries.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    /// The entry at a place.
    pub fn entry(&self, index: usize) -> Option<(&Value, &Value)> {
        self.entries.get(index).map(|(key, value)| (key, value))
    }

    /// All entries.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = (&Value, &Value)> + DoubleEndedIterator {
        self.entries.iter().map(|(key, value)| (key, value))
    }

    /// All keys.
    pub fn keys(&self) -> impl ExactSizeIterator<Item = &Value> + DoubleEndedIterator {
        self.entries.iter().map(|(key, _)| key)
    }

    /// All values.
    pub fn values(&self) -> impl ExactSizeIterator<Item = &Value> + DoubleEndedIterator {
        self.entries.iter().map(|(_, value)| value)
    }

    /// The same keys with other values, which are put into empty places.
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

    /// The place of a key, or its digest, of which only tables ask.
    fn place_or_digest(&self, key: &Value) -> Result<usize, u32> {
        match &self.table {
            None => self.entries.iter().position(|(known, _)| known == key).ok_or(0),
            Some(table) => {
                let digest = table.digest(key);
                table.find(&self.entries, digest, |(known, _)| known == key).ok_or(digest)
            }
        }
    }

    /// Makes the last entry known, whose key was not there before; its value.
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

    /// Makes the table, if there are entries enough.
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
        self.entries.reserve(entries.size_hint().0);
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

/// As in Ruby, the order does not matter.
impl PartialEq for Hash {
    fn eq(&self, other: &Self) -> bool {
        self.len() == other.len()
            && self.iter().all(|(key, value)| other.get(key).is_some_and(|known| known == value))
    }
}

impl Eq for Hash {}

impl StdHash for Hash {
    fn hash<H: Hasher>(&self, state: &mut H) {
        // The order does not matter, so the entries can't go into one stream.
        self.len().hash(state);
    }
}
