//! An entry of a hierarchy, and what is kept of its locations.

use std::cell::{Cell, RefCell};
use std::rc::Rc;
use std::sync::Arc;

use ecow::EcoString;
use kukla_pcore::{Hash, Value};
use rustc_hash::FxHashMap;

use crate::context::FunctionCache;
use crate::data::{DataHash, Format};

/// How a function is asked.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum FunctionKind {
    DataHash,
    LookupKey,
    DataDig,
    Hiera3Backend,
    V3DataHash,
    V3LookupKey,
    V4DataHash,
}

impl FunctionKind {
    pub(super) const fn tag(self) -> &'static str {
        match self {
            Self::DataHash => "data_hash",
            Self::LookupKey => "lookup_key",
            Self::DataDig => "data_dig",
            Self::Hiera3Backend => "hiera3_backend",
            Self::V3DataHash => "v3_data_hash",
            Self::V3LookupKey => "v3_lookup_key",
            Self::V4DataHash => "v4_data_hash",
        }
    }
}

/// A file or URI that an entry names.
#[derive(Clone, Debug)]
pub(crate) struct Location {
    /// As written.
    pub(crate) original: EcoString,
    /// What it is now.
    pub(crate) path: EcoString,
    pub(crate) is_uri: bool,
    pub(crate) exists: bool,
}

/// An entry of a hierarchy, for the variables as they are now.
#[derive(Debug)]
pub(crate) struct Entry {
    pub(crate) name: EcoString,
    pub(super) kind: FunctionKind,
    pub(super) function: EcoString,
    pub(super) options: Value,
    /// `None` in the list stands for an entry without locations.
    pub(super) locations: Vec<Option<Location>>,
    pub(super) datadir: String,
    sources: RefCell<FxHashMap<Option<EcoString>, Rc<Source>>>,
    /// Whether the function says what it returns, known once it was found.
    pub(super) is_validated: Cell<Option<bool>>,
}

/// What is kept of a location.
#[derive(Debug, Default)]
pub(crate) struct Source {
    pub(super) hash: RefCell<Option<Arc<DataHash>>>,
    pub(super) answers: RefCell<FxHashMap<EcoString, Answer>>,
    cache: FunctionCache,
}

/// What a function said.
#[derive(Clone, Debug)]
pub(crate) struct Answer {
    pub(crate) value: Value,
    /// The line of the key, counted from 1; 0 if it is not known.
    pub(crate) line: u32,
    /// Whether something of it was encrypted.
    pub(crate) is_secret: bool,
}

impl Source {
    pub(crate) const fn cache(&self) -> &FunctionCache {
        &self.cache
    }
}

impl Entry {
    pub(crate) fn new(
        name: EcoString,
        kind: FunctionKind,
        function: EcoString,
        options: Value,
        locations: Option<Vec<Location>>,
    ) -> Self {
        let locations = match locations {
            Some(locations) => locations.into_iter().map(Some).collect(),
            None => vec![None],
        };
        Self {
            name,
            kind,
            function,
            options,
            locations,
            datadir: String::new(),
            sources: RefCell::default(),
            is_validated: Cell::new(None),
        }
    }

    /// The same with a directory that extra paths of version 3 start from.
    pub(crate) fn in_directory(mut self, datadir: String) -> Self {
        self.datadir = datadir;
        self
    }

    /// The function that gives its data.
    pub(crate) const fn function(&self) -> &EcoString {
        &self.function
    }

    /// The options of the function.
    pub(crate) const fn options(&self) -> &Value {
        &self.options
    }

    /// The directory that its files are in.
    pub(crate) fn directory(&self) -> &str {
        &self.datadir
    }

    /// The files that it names.
    pub(crate) fn files(&self) -> impl Iterator<Item = &Location> {
        self.locations.iter().flatten().filter(|location| !location.is_uri)
    }

    pub(super) fn shown_name(&self) -> String {
        match self.kind {
            FunctionKind::V4DataHash => format!("Deprecated API function \"{}\"", self.function),
            _ => format!("Hierarchy entry \"{}\"", self.name),
        }
    }

    /// The function in messages.
    fn full_name(&self) -> String {
        match self.kind {
            FunctionKind::V4DataHash => format!("deprecated API function '{}'", self.function),
            kind => format!("{} function '{}'", kind.tag(), self.function),
        }
    }

    pub(super) fn source(&self, location: Option<&Location>) -> Rc<Source> {
        let key = location.map(|location| location.path.clone());
        Rc::clone(self.sources.borrow_mut().entry(key).or_default())
    }

    /// The options of a call: with the path or URI.
    pub(super) fn call_options(&self, location: Option<&Location>) -> Value {
        let Some(location) = location else { return self.options.clone() };
        let mut options = match &self.options {
            Value::Hash(hash) => (**hash).clone(),
            _ => Hash::new(),
        };
        let key = if location.is_uri { "uri" } else { "path" };
        options.insert(Value::from(key), Value::String(location.path.clone()));
        Value::from(options)
    }

    pub(super) fn native_format(&self) -> Option<Format> {
        match self.function.as_str() {
            "yaml_data" => Some(Format::Yaml),
            "json_data" => Some(Format::Json),
            "hocon_data" => Some(Format::Hocon),
            _ => None,
        }
    }

    pub(super) fn subject(&self, start: &str, location: Option<&Location>) -> String {
        let message = format!("{start} {}", self.full_name());
        match location {
            Some(location) => format!("{message}, when using location '{}',", location.path),
            None => message,
        }
    }
}
