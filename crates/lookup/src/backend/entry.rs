//! An entry of a hierarchy, and the caches of its locations.

use std::cell::{Cell, Ref, RefCell};
use std::rc::Rc;
use std::sync::Arc;

use ecow::EcoString;
use kukla_pcore::{Hash, Value};
use rustc_hash::FxHashMap;

use crate::context::FunctionCache;
use crate::data::{DataHash, Format};
use crate::fast_path::{PlainFile, PlainFiles};
use crate::trace::HierarchyLevel;

/// Calling convention of a function.
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
    /// After interpolation.
    pub(crate) path: EcoString,
    pub(crate) is_uri: bool,
    pub(crate) exists: bool,
}

/// An entry of a hierarchy, resolved for the current variables.
#[derive(Debug)]
pub(crate) struct Entry {
    pub(crate) name: EcoString,
    /// Its level, once it is part of a hierarchy.
    pub(crate) level: Option<Arc<HierarchyLevel>>,
    pub(super) kind: FunctionKind,
    pub(super) function: EcoString,
    pub(super) options: Value,
    /// Locations; a `None` stands for an entry without locations.
    pub(super) places: Vec<CachedLocation>,
    pub(super) datadir: String,
    /// Caches for paths that only some searches have.
    extra: RefCell<FxHashMap<EcoString, Rc<Source>>>,
    /// Whether the function declares its return type; unset until the function was found.
    pub(super) is_validated: Cell<Option<bool>>,
}

/// A location, if there is one, and its cache.
pub(super) type CachedLocation = (Option<Location>, Rc<Source>);

/// Cached data of a location.
#[derive(Debug, Default)]
pub(crate) struct Source {
    pub(super) hash: RefCell<Option<Arc<DataHash>>>,
    pub(super) answers: RefCell<FxHashMap<EcoString, Answer>>,
    cache: FunctionCache,
}

/// Answer of a function.
#[derive(Clone, Debug)]
pub(crate) struct Answer {
    pub(crate) value: Value,
    /// The line of the key, counted from 1; 0 if unknown.
    pub(crate) line: u32,
    /// Whether a part of it was encrypted.
    pub(crate) is_secret: bool,
}

impl Source {
    /// Returns the data, once it was read.
    pub(crate) fn data(&self) -> Ref<'_, Option<Arc<DataHash>>> {
        self.hash.borrow()
    }

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
        let mut places: Vec<CachedLocation> = Vec::new();
        match locations {
            Some(locations) => {
                for location in locations {
                    let source = cached_source(&places, &location).unwrap_or_default();
                    places.push((Some(location), source));
                }
            }
            None => places.push((None, Rc::default())),
        }
        Self {
            name,
            level: None,
            kind,
            function,
            options,
            places,
            datadir: String::new(),
            extra: RefCell::default(),
            is_validated: Cell::new(None),
        }
    }

    /// Sets the directory for extra paths of version 3.
    pub(crate) fn in_directory(mut self, datadir: String) -> Self {
        self.datadir = datadir;
        self
    }

    /// Returns the function that provides its data.
    pub(crate) const fn function(&self) -> &EcoString {
        &self.function
    }

    /// Returns the options of the function.
    pub(crate) const fn options(&self) -> &Value {
        &self.options
    }

    /// Returns the directory of its files.
    pub(crate) fn directory(&self) -> &str {
        &self.datadir
    }

    /// Iterates over its files.
    pub(crate) fn files(&self) -> impl Iterator<Item = &Location> {
        let locations = self.places.iter().filter_map(|(location, _)| location.as_ref());
        locations.filter(|location| !location.is_uri)
    }

    /// Returns the existing files, if the entry reads only plain files.
    pub(crate) fn plain_files(&self) -> Option<PlainFiles> {
        if !matches!(self.kind, FunctionKind::DataHash | FunctionKind::V4DataHash) {
            return None;
        }
        let mut files = PlainFiles::new();
        for (location, source) in &self.places {
            let location = location.as_ref()?;
            if location.exists {
                files.push(PlainFile {
                    path: location.path.clone(),
                    format: self.native_format(),
                    level: self.level.clone(),
                    source: Rc::clone(source),
                });
            }
        }
        Some(files)
    }

    pub(super) fn shown_name(&self) -> String {
        match self.kind {
            FunctionKind::V4DataHash => format!("Deprecated API function \"{}\"", self.function),
            _ => format!("Hierarchy entry \"{}\"", self.name),
        }
    }

    /// Returns the function's name for messages.
    fn full_name(&self) -> String {
        match self.kind {
            FunctionKind::V4DataHash => format!("deprecated API function '{}'", self.function),
            kind => format!("{} function '{}'", kind.tag(), self.function),
        }
    }

    /// Returns a location that only some searches have.
    pub(super) fn extra(&self, location: Location) -> CachedLocation {
        let source = cached_source(&self.places, &location).unwrap_or_else(|| {
            Rc::clone(self.extra.borrow_mut().entry(location.path.clone()).or_default())
        });
        (Some(location), source)
    }

    /// Returns the options of a call, with the path or URI.
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

/// Returns the cache of a location if it is among these.
fn cached_source(places: &[CachedLocation], wanted: &Location) -> Option<Rc<Source>> {
    let has_path = |location: &Location| location.path == wanted.path;
    let mut places = places.iter();
    let found = places.find(|(location, _)| location.as_ref().is_some_and(has_path));
    found.map(|(_, source)| Rc::clone(source))
}
