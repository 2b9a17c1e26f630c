//! `lookup_options` of all files.

use kukla_pcore::regex::Regex;
use kukla_pcore::{Hash, Value};

/// The options of all files together.
#[derive(Debug, Default)]
pub(super) struct Options {
    keys: std::collections::BTreeMap<String, KeyOptions>,
    patterns: Vec<(Regex, KeyOptions)>,
}

/// Options of a key.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct KeyOptions {
    /// Values of several levels are merged, so a single one need not have the right type.
    pub(super) is_merged: bool,
    /// The value is converted before it is used.
    pub(super) is_converted: bool,
    /// The value is a secret.
    pub(super) is_secret: bool,
}

impl Options {
    /// Adds the options that a file has.
    pub(super) fn add(&mut self, options: &Hash) {
        for (key, value) in options.iter() {
            let (Some(key), Value::Hash(value)) = (key.as_str(), value) else { continue };
            let own = KeyOptions::new(value);
            match key.starts_with('^') {
                true => self.patterns.extend(Regex::new(key).ok().map(|regex| (regex, own))),
                false => self.keys.entry(key.to_owned()).or_default().merge(own),
            }
        }
    }

    /// Returns the options of a key.
    pub(super) fn get(&self, key: &str) -> KeyOptions {
        let mut all = self.keys.get(key).copied().unwrap_or_default();
        for (regex, own) in &self.patterns {
            if regex.is_match(key).unwrap_or(false) {
                all.merge(*own);
            }
        }
        all
    }
}

impl KeyOptions {
    fn new(options: &Hash) -> Self {
        let merge = options.get_str("merge");
        let convert = options.get_str("convert_to");
        let first = match convert {
            Some(Value::Array(parts)) => parts.first(),
            other => other,
        };
        Self {
            is_merged: merge.is_some_and(|merge| merge.as_str() != Some("first")),
            is_converted: convert.is_some(),
            is_secret: first
                .and_then(Value::as_str)
                .is_some_and(|type_| type_.starts_with("Sensitive")),
        }
    }

    fn merge(&mut self, other: Self) {
        self.is_merged |= other.is_merged;
        self.is_converted |= other.is_converted;
        self.is_secret |= other.is_secret;
    }
}
