//! Data files: parsed once, and shared between sessions.

mod answers;
mod read;

use std::hash::BuildHasher;
use std::sync::{Arc, Mutex, PoisonError};

use ecow::EcoString;
use foldhash::fast::FixedState;
use indexmap::IndexMap;
use indexmap::map::raw_entry_v1::RawEntryApiV1;
use kukla_pcore::types::infer;
use kukla_pcore::{Hash, Type, Value};
use rustc_hash::FxHashMap;

use crate::Fault;
use crate::merge::built_in;
use crate::pdl::Pdl;
use kukla_world::{ContentCache, ContentKey, MAX_FILE, Recording, Stamp, World};
use read::parse;
pub(crate) use read::{json_line, load_yaml, parse_noting, text, text_and_stamp, value};

/// The top level of a data file, or the hash that a function returned.
#[derive(Debug, Default)]
pub(crate) struct DataHash {
    entries: IndexMap<EcoString, Entry, FixedState>,
    /// Keys that are not strings.
    odd_keys: Vec<Value>,
    /// The types of values that are not allowed in data; almost always empty.
    wrong_types: FxHashMap<EcoString, String>,
}

/// A key of a data file. Small, since lookups access entries at random.
#[derive(Debug)]
pub(crate) struct Entry {
    /// Its value, before interpolation.
    pub value: Value,
    /// The line of the key, counted from 1; 0 if unknown.
    pub line: u32,
    /// Whether the value contains `%{`.
    pub interpolates: bool,
    /// Whether the type of the value is not allowed in data.
    pub is_wrong: bool,
}

impl Entry {
    /// Whether its value needs no processing.
    pub(crate) const fn is_plain(&self) -> bool {
        !self.interpolates && !self.is_wrong
    }
}

impl DataHash {
    /// Returns the entry of a key.
    pub(crate) fn get(&self, key: &str) -> Option<&Entry> {
        self.entries.get(key)
    }

    /// Returns the hash of a key for [`Self::get_hashed`], which is valid for all files.
    pub(crate) fn hash_of(key: &str) -> u64 {
        FixedState::default().hash_one(key)
    }

    /// Returns the entry of a key whose hash is known.
    pub(crate) fn get_hashed(&self, hash: u64, key: &str) -> Option<&Entry> {
        let is_key = |other: &EcoString| other == key;
        self.entries.raw_entry_v1().from_hash(hash, is_key).map(|(_, entry)| entry)
    }

    /// Iterates over all entries in file order.
    pub(crate) fn iter(&self) -> impl Iterator<Item = (&EcoString, &Entry)> {
        self.entries.iter()
    }

    /// Returns the type of a value that is not allowed in data.
    pub(crate) fn wrong_type(&self, key: &str) -> Option<&String> {
        self.wrong_types.get(key)
    }

    pub(crate) fn odd_keys(&self) -> &[Value] {
        &self.odd_keys
    }

    /// Converts the result of a function; checks it unless the function declares its return type.
    pub(crate) fn from_hash(hash: &Hash, is_validated: bool) -> Self {
        let rich = (!is_validated).then(|| built_in("RichData"));
        let mut data = Self::default();
        for (key, value) in hash.iter() {
            match key {
                Value::String(key) => data.add(key.clone(), value.clone(), 0, rich.as_ref()),
                other => data.odd_keys.push(other.clone()),
            }
        }
        data
    }

    fn add(&mut self, key: EcoString, value: Value, line: u32, rich: Option<&Type>) {
        let wrong = rich.is_some_and(|rich| !is_plain(&value) && !rich.is_instance(&value));
        if wrong {
            self.wrong_types.insert(key.clone(), infer(&value).text());
        }
        let interpolates = interpolates(&value);
        self.entries.insert(key, Entry { value, line, interpolates, is_wrong: wrong });
    }
}

/// Whether a value is of a kind that needs no type check.
fn is_plain(value: &Value) -> bool {
    match value {
        Value::Boolean(_) | Value::Integer(_) | Value::Float(_) | Value::String(_) => true,
        Value::Array(items) => {
            stacker::maybe_grow(32 << 10, 1 << 20, || items.iter().all(is_plain))
        }
        Value::Hash(hash) => stacker::maybe_grow(32 << 10, 1 << 20, || {
            hash.iter().all(|(key, value)| key.as_str().is_some() && is_plain(value))
        }),
        _ => false,
    }
}

/// Whether a value contains anything to interpolate.
pub(crate) fn interpolates(value: &Value) -> bool {
    match value {
        Value::String(text) => text.contains("%{"),
        Value::Array(items) => {
            stacker::maybe_grow(32 << 10, 1 << 20, || items.iter().any(interpolates))
        }
        Value::Hash(hash) => stacker::maybe_grow(32 << 10, 1 << 20, || {
            hash.iter().any(|(key, value)| interpolates(key) || interpolates(value))
        }),
        _ => false,
    }
}

/// Format of a data file.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) enum Format {
    /// `yaml_data` and `eyaml_lookup_key`
    Yaml,
    /// `json_data`
    Json,
    /// `hocon_data`
    Hocon,
}

/// Content of a data file.
#[derive(Clone, Debug)]
pub(crate) enum Content {
    /// A hash.
    Hash(Arc<DataHash>),
    /// Any other value; an empty file is `false`.
    Other(Value),
}

/// Cache of parsed data files, valid while they do not change.
#[derive(Debug, Default)]
pub(crate) struct FileCache {
    files: Mutex<FxHashMap<(EcoString, Format), (Stamp, Content)>>,
}

impl FileCache {
    /// Returns the content of a file; `None` if the file that the path leads to is not permitted.
    ///
    /// The cache key is the stamp of the file that was opened, so that its content is never taken for another file's.
    /// Reading is not recorded, since a cached file is not read: callers record the keys that they use.
    pub(crate) fn load(
        &self,
        files: &Recording<'_>,
        path: &str,
        format: Format,
        is_permitted: &dyn Fn(Stamp) -> Result<bool, Fault>,
    ) -> Result<Option<Content>, Fault> {
        let Some(stamp) = files.stamp(path) else {
            let message = format!("No such file or directory @ rb_file_s_stat - {path}");
            return Err(Fault::other(message));
        };
        let key = (EcoString::from(path), format);
        let lock = || self.files.lock().unwrap_or_else(PoisonError::into_inner);
        let cached = lock().get(&key).filter(|(of, _)| *of == stamp).map(|(_, it)| it.clone());
        if let Some(content) = cached {
            return Ok(is_permitted(stamp)?.then_some(content));
        }
        let (text, stamp) = text_and_stamp(files.world(), path, MAX_FILE)?;
        if !is_permitted(stamp)? {
            return Ok(None);
        }
        let content = shared(path, &text, format)?;
        lock().insert(key, (stamp, content.clone()));
        Ok(Some(content))
    }
}

/// Returns what a text holds, which all files of that text share. The path is for messages only.
fn shared(path: &str, text: &str, format: Format) -> Result<Content, Fault> {
    /// A value takes more bytes than its text, and the text is kept beside it.
    const BYTES: usize = 8;
    let key = ContentKey::new("data").with(&[format as u8]).with(text.as_bytes());
    let shared = ContentCache::of_process().get_or(&key, || match parse(path, text, format) {
        // What is wrong with a value may name the path.
        Ok(Content::Hash(hash)) if !hash.wrong_types.is_empty() => Err(Ok(Content::Hash(hash))),
        Ok(content) => Ok((Arc::new(content), text.len() * BYTES)),
        Err(fault) => Err(Err(fault)),
    });
    match shared {
        Ok(content) => Ok(Content::clone(&content)),
        Err(own) => own,
    }
}

/// Cache of parsed PDL files, valid while they do not change.
#[derive(Debug, Default)]
pub(crate) struct PdlCache {
    files: Mutex<FxHashMap<EcoString, (Stamp, Arc<Pdl>)>>,
}

impl PdlCache {
    pub(crate) fn get(&self, path: &str, stamp: Stamp) -> Option<Arc<Pdl>> {
        let files = self.files.lock().unwrap_or_else(PoisonError::into_inner);
        files.get(path).filter(|(cached, _)| *cached == stamp).map(|(_, pdl)| Arc::clone(pdl))
    }

    pub(crate) fn keep(&self, path: &str, stamp: Stamp, pdl: Arc<Pdl>) {
        let mut files = self.files.lock().unwrap_or_else(PoisonError::into_inner);
        files.insert(path.into(), (stamp, pdl));
    }
}
