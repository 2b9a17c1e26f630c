//! Parsed YAML, kept by content: data backends in Ruby parse the same large files for each compilation.

use std::collections::HashMap;
use std::sync::{Arc, LazyLock, Mutex, PoisonError};

use kukla_rubytext::{Data, RubyError, yaml};

/// The sizes of texts that are kept; less is parsed quickly, more takes too much memory.
const KEPT: std::ops::RangeInclusive<usize> = 1024..=4 << 20;

/// The most bytes of text that are kept.
const MAX_BYTES: usize = 32 << 20;

/// A text, whether aliases are allowed, and the classes that are.
type Key = (Box<str>, bool, Vec<String>);

#[derive(Default)]
struct Documents {
    all: HashMap<Key, Arc<Data>>,
    bytes: usize,
}

static DOCUMENTS: LazyLock<Mutex<Documents>> = LazyLock::new(Mutex::default);

/// Parses the first document of a text.
pub(super) fn yaml(text: &str, options: yaml::LoadOptions<'_>) -> Result<Arc<Data>, RubyError> {
    if !KEPT.contains(&text.len()) || options.filename.is_some() {
        return yaml::load(text, options).map(Arc::new);
    }
    let classes = options.permitted_classes.iter().map(|class| (*class).to_owned()).collect();
    let key = (text.into(), options.aliases, classes);
    let lock = || DOCUMENTS.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(data) = lock().all.get(&key) {
        return Ok(Arc::clone(data));
    }
    let data = Arc::new(yaml::load(text, options)?);
    let mut documents = lock();
    if documents.bytes + text.len() > MAX_BYTES {
        *documents = Documents::default();
    }
    documents.bytes += text.len();
    documents.all.insert(key, Arc::clone(&data));
    Ok(data)
}
