//! Entries of a hierarchy, and the functions that give their data.

use std::cell::RefCell;
use std::rc::Rc;
use std::sync::Arc;

use ecow::EcoString;
use kukla_pcore::types::{infer, mismatch};
use kukla_pcore::{Hash, Value, ruby};
use kukla_syntax::Strict;
use rustc_hash::FxHashMap;

use crate::config;
use crate::context::{Context, FunctionCache};
use crate::data::{Content, DataHash, Format};
use crate::eyaml;
use crate::merge::{Merge, built_in};
use crate::provider::Provider;
use crate::run::Run;
use crate::trace::{Event, Origin, StepKind};
use crate::{Fault, Key, Level, Miss, Search};

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
    const fn tag(self) -> &'static str {
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
    kind: FunctionKind,
    function: EcoString,
    options: Value,
    /// `None` in the list stands for an entry without locations.
    locations: Vec<Option<Location>>,
    datadir: String,
    sources: RefCell<FxHashMap<Option<EcoString>, Rc<Source>>>,
    /// Whether the function says what it returns, known once it was found.
    is_validated: RefCell<Option<bool>>,
}

/// What is kept of a location.
#[derive(Debug, Default)]
pub(crate) struct Source {
    hash: RefCell<Option<Arc<DataHash>>>,
    values: RefCell<FxHashMap<EcoString, Value>>,
    cache: FunctionCache,
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
            is_validated: RefCell::new(None),
        }
    }

    /// The same with a directory that extra paths of version 3 start from.
    pub(crate) fn in_directory(mut self, datadir: String) -> Self {
        self.datadir = datadir;
        self
    }

    fn shown_name(&self) -> String {
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

    fn source(&self, location: Option<&Location>) -> Rc<Source> {
        let key = location.map(|location| location.path.clone());
        Rc::clone(self.sources.borrow_mut().entry(key).or_default())
    }

    /// The options of a call: with the path or URI.
    fn call_options(&self, location: Option<&Location>) -> Value {
        let Some(location) = location else { return self.options.clone() };
        let mut options = match &self.options {
            Value::Hash(hash) => (**hash).clone(),
            _ => Hash::new(),
        };
        let key = if location.is_uri { "uri" } else { "path" };
        options.insert(Value::from(key), Value::String(location.path.clone()));
        Value::from(options)
    }

    fn native_format(&self) -> Option<Format> {
        match self.function.as_str() {
            "yaml_data" => Some(Format::Yaml),
            "json_data" => Some(Format::Json),
            "hocon_data" => Some(Format::Hocon),
            _ => None,
        }
    }

    fn subject(&self, start: &str, location: Option<&Location>) -> String {
        let message = format!("{start} {}", self.full_name());
        match location {
            Some(location) => format!("{message}, when using location '{}',", location.path),
            None => message,
        }
    }
}

impl Run<'_> {
    /// Looks a key up in all locations of an entry.
    pub(crate) fn entry_lookup(
        &mut self,
        provider: &Rc<Provider>,
        entry: &Entry,
        key: &Key,
        merge: &Merge,
    ) -> Search<Value> {
        let is_v3 = matches!(entry.kind, FunctionKind::V3DataHash | FunctionKind::V3LookupKey);
        let extra = Rc::clone(&self.invocation.extra_paths);
        let all;
        let locations = if is_v3 && !extra.is_empty() {
            let extension = format!(".{}", entry.name);
            let found = self.resolve_paths(&entry.datadir, &extra, false, Some(&extension))?;
            all = found.into_iter().map(Some).chain(entry.locations.iter().cloned()).collect();
            &all
        } else {
            &entry.locations
        };
        let kind = || StepKind::Provider { name: entry.shown_name(), config: None, module: None };
        self.with(kind, |run| {
            run.merged(merge, locations, |run, location| {
                run.at_location(location.as_ref(), |run| {
                    run.source_lookup(provider, entry, location.as_ref(), key)
                })
            })
        })
    }

    fn at_location(
        &mut self,
        location: Option<&Location>,
        work: impl FnOnce(&mut Self) -> Search<Value>,
    ) -> Search<Value> {
        let Some(location) = location else { return work(self) };
        let kind = || StepKind::Location {
            original: location.original.clone(),
            location: location.path.clone(),
            is_uri: location.is_uri,
        };
        self.with(kind, |run| {
            if !location.exists {
                run.tell(|trace| trace.event(Event::LocationNotFound));
                return Err(Miss::NotFound);
            }
            work(run)
        })
    }

    fn source_lookup(
        &mut self,
        provider: &Rc<Provider>,
        entry: &Entry,
        location: Option<&Location>,
        key: &Key,
    ) -> Search<Value> {
        let source = entry.source(location);
        match entry.kind {
            FunctionKind::DataHash | FunctionKind::V3DataHash | FunctionKind::V4DataHash => {
                self.data_hash_value(provider, entry, location, key, &source)
            }
            FunctionKind::LookupKey | FunctionKind::V3LookupKey => {
                self.lookup_key_value(provider, entry, location, key, &source)
            }
            FunctionKind::DataDig => self.data_dig_value(provider, entry, location, key, &source),
            FunctionKind::Hiera3Backend => {
                let name = &entry.function;
                self.tell(|trace| {
                    trace.text(format!("Unable to load backend '{name}': backends of version 3 are written in Ruby and not supported"));
                });
                Err(Miss::NotFound)
            }
        }
    }

    fn data_hash_value(
        &mut self,
        provider: &Rc<Provider>,
        entry: &Entry,
        location: Option<&Location>,
        key: &Key,
        source: &Rc<Source>,
    ) -> Search<Value> {
        let known = source.hash.borrow().clone();
        let hash = match known {
            Some(hash) => hash,
            None => {
                let hash = self.load_data_hash(provider, entry, location, source)?;
                *source.hash.borrow_mut() = Some(Arc::clone(&hash));
                hash
            }
        };
        let Some(data) = hash.get(key.root()) else {
            self.not_found(key.root());
            return Err(Miss::NotFound);
        };
        if let Some(type_) = &data.wrong_type {
            let start = format!("Value for key '{}', in hash returned from", key.root());
            return Err(wrong_type(&entry.subject(&start, location), type_).into());
        }
        let value = match data.interpolates {
            true => self.interpolate(&data.value, true)?,
            false => data.value.clone(),
        };
        self.found_at(key.root(), &value, location, data.line);
        Ok(value)
    }

    fn found_at(&self, key: &str, value: &Value, location: Option<&Location>, line: u32) {
        self.found(key, value);
        if let Some(location) = location {
            let origin = Origin { file: location.path.clone(), line };
            self.tell(|trace| trace.origin(origin.clone()));
            self.invocation.origins.borrow_mut().push(origin);
        }
    }

    fn load_data_hash(
        &mut self,
        provider: &Rc<Provider>,
        entry: &Entry,
        location: Option<&Location>,
        source: &Rc<Source>,
    ) -> Search<Arc<DataHash>> {
        let hash = match (entry.native_format(), location) {
            (Some(format), location) => self.native_hash(entry, format, location)?,
            (None, _) => {
                let is_validated = self.find_function(provider, entry)?;
                let arguments = match entry.kind {
                    FunctionKind::V4DataHash => Vec::new(),
                    _ => vec![entry.call_options(location)],
                };
                let value = self.call_function(provider, entry, source, arguments)?;
                let subject = entry.subject("Value returned from", location);
                let Value::Hash(hash) = &value else {
                    return Err(Fault::puppet(mismatch::assertion(
                        &subject,
                        &built_in("Hash"),
                        &value,
                    ))
                    .into());
                };
                Arc::new(DataHash::from_hash(hash, is_validated))
            }
        };
        if let Some(module) = provider.module() {
            self.check_module_keys(&hash, module, &entry.subject("Value returned from", location))?;
        }
        Ok(hash)
    }

    /// Keys of a module start with its name; others are warned of.
    fn check_module_keys(
        &mut self,
        hash: &DataHash,
        module: &str,
        subject: &str,
    ) -> Result<(), Fault> {
        if let Some(odd) = hash.odd_keys().first() {
            return Err(Fault::other(ruby::no_method("start_with?", odd)));
        }
        let prefix = format!("{module}::");
        for (key, _) in hash.iter() {
            if key != crate::LOOKUP_OPTIONS && !key.starts_with(&prefix) {
                self.host.log(Level::Warning, &format!(
                    "Module '{module}': {subject} must use keys qualified with the name of the module"
                ));
            }
        }
        Ok(())
    }

    fn native_hash(
        &mut self,
        entry: &Entry,
        format: Format,
        location: Option<&Location>,
    ) -> Search<Arc<DataHash>> {
        let has_options = matches!(&entry.options, Value::Hash(hash) if !hash.is_empty());
        let Some(location) = location.filter(|location| !location.is_uri && !has_options) else {
            return Err(Fault::other(format!(
                "'{}' one of 'path', 'paths' 'glob', 'globs' or 'mapped_paths' must be declared in hiera.yaml when using this data_hash function",
                entry.function
            ))
            .into());
        };
        let content = self.load_file(&location.path, format)?;
        match content {
            Content::Hash(hash) => Ok(hash),
            Content::Other(value) if format == Format::Yaml => {
                self.no_yaml_hash(&location.path, &value)
            }
            Content::Other(value) => {
                let value = match value {
                    Value::Boolean(false) => Value::Undef,
                    other => other,
                };
                let subject = entry.subject("Value returned from", Some(location));
                let message = mismatch::assertion(&subject, &built_in("Hash"), &value);
                Err(Fault::puppet(message).into())
            }
        }
    }

    pub(crate) fn load_file(&mut self, path: &str, format: Format) -> Result<Content, Fault> {
        let layers = Arc::clone(&self.session.layers);
        layers.cache.load(&*layers.files, path, format)
    }

    /// A file without a hash in it is an error, one without anything is empty.
    pub(crate) fn no_yaml_hash(&mut self, path: &str, value: &Value) -> Search<Arc<DataHash>> {
        let message = format!("{path}: file does not contain a valid yaml hash");
        let is_strict = self.session.layers.places.strict == Strict::Error;
        if is_strict && *value != Value::Boolean(false) {
            return Err(Fault::lookup(message).into());
        }
        // The file is read once, and so it is said once.
        if self.session.is_first_warning(&message) {
            self.host.log(Level::Warning, &message);
        }
        Ok(Arc::default())
    }

    fn lookup_key_value(
        &mut self,
        provider: &Rc<Provider>,
        entry: &Entry,
        location: Option<&Location>,
        key: &Key,
        source: &Rc<Source>,
    ) -> Search<Value> {
        let root = EcoString::from(key.root());
        let known = source.values.borrow().get(&root).cloned();
        let (value, line) = match known {
            Some(value) => (value, 0),
            None => {
                let called = match entry.function.as_str() {
                    "eyaml_lookup_key" => {
                        let options = entry.call_options(location);
                        let path = location.filter(|l| !l.is_uri).map(|l| l.path.as_str());
                        eyaml::lookup_key(self, &root, &options, path)
                    }
                    _ => self.called_value(
                        provider,
                        entry,
                        location,
                        source,
                        Value::String(root.clone()),
                    ),
                };
                let (value, line) = self.or_not_found(called, &root)?;
                let start = format!("Value for key '{root}', returned from");
                self.validate(entry, &value, &start, location)?;
                source.values.borrow_mut().insert(root.clone(), value.clone());
                (value, line)
            }
        };
        self.found_at(&root, &value, location, line);
        Ok(value)
    }

    fn data_dig_value(
        &mut self,
        provider: &Rc<Provider>,
        entry: &Entry,
        location: Option<&Location>,
        key: &Key,
        source: &Rc<Source>,
    ) -> Search<Value> {
        let known = source.values.borrow().get(key.text()).cloned();
        let value = match known {
            Some(value) => value,
            None => {
                let segments = key.all_segments();
                let called = self.called_value(provider, entry, location, source, segments);
                let (value, _) = self.or_not_found(called, key.text())?;
                source.values.borrow_mut().insert(key.text().clone(), value.clone());
                value
            }
        };
        let start = format!("Value for key '{key}', returned from");
        self.validate(entry, &value, &start, location)?;
        self.found_at(key.text(), &value, location, 0);
        Ok(key.undig(value))
    }

    fn or_not_found(&self, called: Search<(Value, u32)>, key: &str) -> Search<(Value, u32)> {
        if let Err(Miss::NotFound) = called {
            self.not_found(key);
        }
        called
    }

    fn called_value(
        &mut self,
        provider: &Rc<Provider>,
        entry: &Entry,
        location: Option<&Location>,
        source: &Rc<Source>,
        key: Value,
    ) -> Search<(Value, u32)> {
        self.find_function(provider, entry)?;
        let arguments = vec![key, entry.call_options(location)];
        Ok((self.call_function(provider, entry, source, arguments)?, 0))
    }

    fn validate(
        &self,
        entry: &Entry,
        value: &Value,
        start: &str,
        location: Option<&Location>,
    ) -> Result<(), Fault> {
        let is_validated = entry.is_validated.borrow().unwrap_or(false);
        if is_validated || built_in("RichData").is_instance(value) {
            return Ok(());
        }
        Err(wrong_type(&entry.subject(start, location), &infer(value).text()))
    }

    /// Finds a function; whether what it returns need not be checked.
    fn find_function(&mut self, provider: &Rc<Provider>, entry: &Entry) -> Search<bool> {
        if let Some(known) = *entry.is_validated.borrow() {
            return Ok(known);
        }
        let Some(function) = self.host.function(&entry.function) else {
            let Some(config) = provider.config(self)? else { return Err(Miss::NotFound) };
            let tag = entry.kind.tag();
            return Err(config::function_not_found(&config, tag, &entry.function).into());
        };
        let expected = built_in(match entry.kind {
            FunctionKind::DataHash | FunctionKind::V3DataHash | FunctionKind::V4DataHash => {
                "Hash[RichDataKey, RichData]"
            }
            _ => "RichData",
        });
        let mut is_validated = true;
        for returned in &function.returns {
            match returned {
                None => {
                    is_validated = false;
                    break;
                }
                Some(type_) if expected.is_assignable(type_) => (),
                Some(type_) => {
                    let subject = format!(
                        "Return type of '{}' function named '{}' is incorrect,",
                        entry.kind.tag(),
                        entry.function
                    );
                    let message = mismatch::describe_mismatch(&subject, &expected, type_);
                    return Err(Fault::puppet(message).into());
                }
            }
        }
        *entry.is_validated.borrow_mut() = Some(is_validated);
        Ok(is_validated)
    }

    fn call_function(
        &mut self,
        provider: &Rc<Provider>,
        entry: &Entry,
        source: &Rc<Source>,
        arguments: Vec<Value>,
    ) -> Search<Value> {
        let context = Context {
            session: Rc::clone(&self.session),
            invocation: Rc::clone(&self.invocation),
            module: provider.module().cloned(),
            source: Rc::clone(source),
        };
        self.host.call(&entry.function, arguments, &context)
    }
}

impl Source {
    pub(crate) const fn cache(&self) -> &FunctionCache {
        &self.cache
    }
}

fn wrong_type(subject: &str, type_: &str) -> Fault {
    Fault::puppet(format!("{subject} has wrong type, expects Puppet::LookupValue, got {type_}"))
}
