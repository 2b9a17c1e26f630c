//! `hiera.yaml`: loading and validation.

mod issues;
mod lines;
mod v3;
mod v4;
mod v5;

use ecow::EcoString;
use kukla_pcore::{Hash, Value};
use kukla_world::World;

use crate::backend::Entry;
use crate::data::{self, load_yaml};
use crate::merge::Merge;
use crate::provider::LayerKind;
use crate::run::Run;
use crate::{Fault, FaultKind, Layers, Search};

/// A configuration of a layer.
#[derive(Debug)]
pub(crate) struct Config {
    /// The file; `None` if there is none and this is the default.
    path: Option<String>,
    /// The directory that relative paths start from.
    root: String,
    version: i64,
    hash: Hash,
    text: String,
    merge: Merge,
}

impl Config {
    /// Reads the file of a layer, or uses the default if there is none.
    pub(crate) fn load(run: &mut Run<'_>, path: &str, layer: &LayerKind) -> Result<Self, Fault> {
        let layers = std::sync::Arc::clone(&run.session.layers);
        let root = crate::paths::parent(path).to_owned();
        let exists = run.session.files().exists(path);
        let (text, hash) = if exists {
            let text = data::text(&run.session.files(), path)?;
            let hash = read(run, path, &text)?;
            (text, hash)
        } else {
            (String::new(), v5::default_hash())
        };
        let path = exists.then(|| path.to_owned());
        let version = version(hash.get_str("version"))?;
        let mut config = Self { path, root, version, hash, text, merge: Merge::DEFAULT };
        config.validate(run, &layers, layer)?;
        Ok(config)
    }

    /// Returns the configuration of a function that provides all data of a layer (a legacy setting).
    pub(crate) fn of_function(run: &mut Run<'_>, root: &str, function: &str) -> Self {
        run.warn_once(
            "legacy_provider_function",
            &format!(
                "Using of legacy data provider function '{function}'. Please convert to a 'data_hash' function\n   (file & line not available)"
            ),
        );
        Self {
            path: None,
            root: root.to_owned(),
            version: 5,
            hash: v5::function_hash(function),
            text: String::new(),
            merge: Merge::DEFAULT,
        }
    }

    fn validate(
        &mut self,
        run: &mut Run<'_>,
        layers: &Layers,
        layer: &LayerKind,
    ) -> Result<(), Fault> {
        match self.version {
            5 => v5::validate(self, layers, layer),
            4 => v4::validate(self, run, layers),
            3 => v3::validate(self, run),
            version => Err(issues::unsupported_version(version, self.path())),
        }
    }

    pub(crate) fn path(&self) -> Option<&str> {
        self.path.as_deref()
    }

    pub(crate) const fn version(&self) -> i64 {
        self.version
    }

    /// Returns the merge of `hiera_hash` in version 3.
    pub(crate) const fn merge(&self) -> &Merge {
        &self.merge
    }

    pub(crate) fn has_default_hierarchy(&self) -> bool {
        self.version == 5 && self.hash.get_str("default_hierarchy").is_some()
    }

    /// Resolves the entries of the hierarchy for the current variables.
    pub(crate) fn entries(
        &self,
        run: &mut Run<'_>,
        layer: &LayerKind,
        use_default: bool,
    ) -> Search<Vec<Entry>> {
        match self.version {
            3 => v3::entries(self, run),
            4 => v4::entries(self, run),
            _ => v5::entries(self, run, layer, use_default),
        }
    }

    fn list(&self, key: &str) -> Vec<&Hash> {
        match self.hash.get_str(key) {
            Some(Value::Array(items)) => items.iter().filter_map(as_hash).collect(),
            _ => Vec::new(),
        }
    }
}

pub(crate) use issues::{
    function_not_found, undefined_variable, version_3_not_global, version_4_global,
};
pub(crate) use lines::find as find_line;

impl Config {
    /// Returns the line in which a variable is interpolated.
    pub(crate) fn line_of_variable(&self, name: &str) -> Option<u32> {
        find_line(&self.text, &format!("%\\{{['\"]?{name}['\"]?}}"), 1)
    }
}

/// Parses the file as a hash with string keys.
fn read(run: &mut Run<'_>, path: &str, text: &str) -> Result<Hash, Fault> {
    let loaded =
        load_yaml(path, text).map_err(|fault| Fault { kind: FaultKind::Puppet, ..fault })?;
    match data::value(path, loaded)? {
        Value::Hash(hash) => Ok((*hash).clone()),
        _ => {
            run.host.log(crate::LogLevel::Warning, &format!(
                "{path}: File exists but does not contain a valid YAML hash. Falling back to Hiera version 3 default config"
            ));
            Ok(v3::default_hash())
        }
    }
}

/// Returns the version, converted like Ruby's `to_i`.
fn version(value: Option<&Value>) -> Result<i64, Fault> {
    Ok(match value {
        None | Some(Value::Undef) => 3,
        Some(Value::Integer(number)) => *number,
        #[expect(clippy::cast_possible_truncation, reason = "as Ruby's to_i")]
        Some(Value::Float(number)) => *number as i64,
        Some(Value::String(text)) => {
            let digits = text.trim_start();
            let end = digits.find(|c: char| !c.is_ascii_digit()).unwrap_or(digits.len());
            digits[..end].parse().unwrap_or(0)
        }
        Some(other) => return Err(Fault::other(kukla_pcore::ruby::no_method("to_i", other))),
    })
}

fn as_hash(value: &Value) -> Option<&Hash> {
    match value {
        Value::Hash(hash) => Some(hash),
        _ => None,
    }
}

fn text<'a>(hash: &'a Hash, key: &str) -> Option<&'a EcoString> {
    match hash.get_str(key) {
        Some(Value::String(text)) => Some(text),
        _ => None,
    }
}

fn texts(hash: &Hash, key: &str) -> Vec<EcoString> {
    match hash.get_str(key) {
        Some(Value::String(text)) => vec![text.clone()],
        Some(Value::Array(items)) => {
            items.iter().filter_map(Value::as_str).map(EcoString::from).collect()
        }
        _ => Vec::new(),
    }
}

fn put(hash: &mut Hash, key: &str, value: impl Into<Value>) {
    hash.insert(Value::from(key), value.into());
}

/// Sets a key that is missing, nil or false.
fn put_default(hash: &mut Hash, key: &str, value: impl FnOnce() -> Value) {
    if !hash.get_str(key).is_some_and(Value::is_truthy) {
        hash.insert(Value::from(key), value());
    }
}
