//! Version 5.

use ecow::EcoString;
use kukla_pcore::{Hash, Value};

use super::lines::first_and_second;
use super::{Config, as_hash, find_line, put, put_default, text, texts};
use crate::backend::{Entry, FunctionKind, Location};
use crate::merge::built_in;
use crate::provider::LayerKind;
use crate::run::Run;
use crate::{Fault, Layers, Search, paths};

const FUNCTION_KEYS: &[(&str, FunctionKind)] = &[
    ("data_hash", FunctionKind::DataHash),
    ("lookup_key", FunctionKind::LookupKey),
    ("data_dig", FunctionKind::DataDig),
    ("hiera3_backend", FunctionKind::Hiera3Backend),
];
const ALL_FUNCTION_KEYS: &[(&str, FunctionKind)] = &[
    ("data_hash", FunctionKind::DataHash),
    ("lookup_key", FunctionKind::LookupKey),
    ("data_dig", FunctionKind::DataDig),
    ("hiera3_backend", FunctionKind::Hiera3Backend),
    ("v4_data_hash", FunctionKind::V4DataHash),
];
const LOCATION_KEYS: &[&str] = &["path", "paths", "glob", "globs", "uri", "uris", "mapped_paths"];
const RESERVED_OPTIONS: &[&str] = &["path", "uri"];

const HIERARCHY: &str = "Array[Struct[{
    'name' => String[1], Optional['options'] => Hash[OPTION, Data],
    Optional['data_hash'] => String[1], Optional['lookup_key'] => String[1],
    Optional['hiera3_backend'] => String[1], Optional['v4_data_hash'] => String[1],
    Optional['data_dig'] => String[1], Optional['path'] => String[1],
    Optional['paths'] => Array[String[1], 1], Optional['glob'] => String[1],
    Optional['globs'] => Array[String[1], 1], Optional['uri'] => String[1],
    Optional['uris'] => Array[String[1], 1], Optional['mapped_paths'] => Array[String[1], 3, 3],
    Optional['datadir'] => String[1]}]]";
const TYPE: &str = "Struct[{
    'version' => Integer[5, 5],
    Optional['defaults'] => Struct[{
        Optional['data_hash'] => String[1], Optional['lookup_key'] => String[1],
        Optional['data_dig'] => String[1], Optional['datadir'] => String[1],
        Optional['options'] => Hash[OPTION, Data]}],
    Optional['hierarchy'] => HIERARCHY, Optional['plan_hierarchy'] => HIERARCHY,
    Optional['default_hierarchy'] => HIERARCHY}]";
/// The name of an option.
const OPTION: &str = r"Pattern[/\A[A-Za-z](:?[0-9A-Za-z_-]*[0-9A-Za-z])?\z/]";

/// Returns the default if there is no file.
pub(super) fn default_hash() -> Hash {
    let mut hash = Hash::new();
    put(&mut hash, "version", 5);
    put(&mut hash, "defaults", defaults());
    put(&mut hash, "hierarchy", hierarchy("Common", "path", "common.yaml"));
    hash
}

pub(super) fn function_hash(function: &str) -> Hash {
    let mut hash = Hash::new();
    put(&mut hash, "version", 5);
    let name = format!("Legacy function '{function}'");
    put(&mut hash, "hierarchy", hierarchy(&name, "v4_data_hash", function));
    hash
}

fn defaults() -> Value {
    let mut defaults = Hash::new();
    put(&mut defaults, "datadir", "data");
    put(&mut defaults, "data_hash", "yaml_data");
    Value::from(defaults)
}

fn hierarchy(name: &str, key: &str, value: &str) -> Value {
    let mut entry = Hash::new();
    put(&mut entry, "name", name);
    put(&mut entry, key, value);
    Value::array([Value::from(entry)])
}

pub(super) fn validate(
    config: &mut Config,
    layers: &Layers,
    layer: &LayerKind,
) -> Result<(), Fault> {
    put_default(&mut config.hash, "defaults", defaults);
    put_default(&mut config.hash, "hierarchy", || hierarchy("Common", "path", "common.yaml"));
    let type_ = layers
        .types
        .v5
        .get_or_init(|| built_in(&TYPE.replace("HIERARCHY", HIERARCHY).replace("OPTION", OPTION)));
    super::v4::assert(config, type_)?;
    let defaults = config.hash.get_str("defaults").and_then(as_hash);
    if let Some(defaults) = defaults {
        validate_defaults(config, defaults)?;
    }
    for key in ["hierarchy", "plan_hierarchy"] {
        for entry in config.list(key) {
            validate_entry(config, entry, defaults, layer)?;
        }
    }
    if config.hash.get_str("default_hierarchy").is_some() {
        if !matches!(layer, LayerKind::Module(_)) {
            let line = find_line(&config.text, r"(?:^|\s+)default_hierarchy:", 1);
            return Err(config.default_hierarchy_not_in_module().at(line));
        }
        for entry in config.list("default_hierarchy") {
            validate_entry(config, entry, defaults, layer)?;
        }
    }
    Ok(())
}

fn validate_defaults(config: &Config, defaults: &Hash) -> Result<(), Fault> {
    if count(defaults, FUNCTION_KEYS) > 1 {
        return Err(config.many_default_functions());
    }
    match reserved(defaults) {
        Some(key) => Err(config.reserved_default_option(key)),
        None => Ok(()),
    }
}

fn validate_entry(
    config: &Config,
    entry: &Hash,
    defaults: Option<&Hash>,
    layer: &LayerKind,
) -> Result<(), Fault> {
    let name = text(entry, "name").map_or("", EcoString::as_str);
    match count(entry, ALL_FUNCTION_KEYS) {
        0 if defaults.is_none_or(|defaults| count(defaults, FUNCTION_KEYS) == 0) => {
            return Err(config.missing_function(name));
        }
        0 | 1 => (),
        _ => return Err(config.many_functions(name)),
    }
    if let Some(backend) = text(entry, "hiera3_backend") {
        if !matches!(layer, LayerKind::Global) {
            let line = find_line(&config.text, r"\s+hiera3_backend:", 1);
            return Err(config.backend_not_global().at(line));
        }
        if matches!(backend.as_str(), "json" | "yaml" | "hocon") {
            let pattern = format!(r#"\s+hiera3_backend:\s*['"]?{backend}(?:[^\w]|$)"#);
            let line = find_line(&config.text, &pattern, 1);
            return Err(config.backend_replaced(backend).at(line));
        }
    }
    if LOCATION_KEYS.iter().filter(|key| entry.get_str(key).is_some()).count() > 1 {
        return Err(config.many_locations(name));
    }
    match reserved(entry) {
        Some(key) => Err(config.reserved_option(key, name)),
        None => Ok(()),
    }
}

fn count(hash: &Hash, keys: &[(&str, FunctionKind)]) -> usize {
    keys.iter().filter(|(key, _)| hash.get_str(key).is_some()).count()
}

fn reserved(hash: &Hash) -> Option<&'static str> {
    let options = hash.get_str("options").and_then(as_hash)?;
    RESERVED_OPTIONS.iter().copied().find(|key| options.get_str(key).is_some())
}

pub(super) fn entries(
    config: &Config,
    run: &mut Run<'_>,
    layer: &LayerKind,
    use_default: bool,
) -> Search<Vec<Entry>> {
    let empty = Hash::new();
    let defaults = config.hash.get_str("defaults").and_then(as_hash).unwrap_or(&empty);
    let key = match (config.has_default_hierarchy(), use_default) {
        (true, _) if !matches!(layer, LayerKind::Module(_)) => {
            let line = find_line(&config.text, r"\s+default_hierarchy:", 1);
            return Err(config.default_hierarchy_not_in_module().at(line).into());
        }
        (false, true) => return Ok(Vec::new()),
        (_, true) => "default_hierarchy",
        (_, false) => "hierarchy",
    };
    let mut entries: Vec<Entry> = Vec::new();
    for hash in config.list(key) {
        let name = text(hash, "name").cloned().unwrap_or_default();
        if entries.iter().any(|entry| entry.name == name) {
            let pattern = format!(r#"\s+name:\s+['"]?{name}(?:[^\w]|$)"#);
            let (first, line) = first_and_second(&config.text, &pattern);
            return Err(config.name_twice(&name, first).at(line).into());
        }
        entries.extend(entry(config, run, hash, defaults, name)?);
    }
    Ok(entries)
}

fn entry(
    config: &Config,
    run: &mut Run<'_>,
    hash: &Hash,
    defaults: &Hash,
    name: EcoString,
) -> Search<Option<Entry>> {
    let own = ALL_FUNCTION_KEYS.iter().find(|(key, _)| hash.get_str(key).is_some());
    let (kind, function) = match own {
        Some((key, kind)) => (*kind, text(hash, key)),
        None => match FUNCTION_KEYS.iter().find(|(key, _)| defaults.get_str(key).is_some()) {
            Some((key, kind)) => (*kind, text(defaults, key)),
            None => return Err(config.missing_function(&name).into()),
        },
    };
    let datadir = text(hash, "datadir").or_else(|| text(defaults, "datadir"));
    let datadir = paths::join(&config.root, datadir.map_or("data", EcoString::as_str));
    let datadir = run.interpolate_text(&datadir)?;
    let locations = locations(config, run, hash, &datadir)?;
    if config.path.is_none() && locations.as_ref().is_some_and(Vec::is_empty) {
        return Ok(None);
    }
    let options = hash.get_str("options").or_else(|| defaults.get_str("options"));
    let options = match options {
        Some(options) => run.interpolate(options, false)?,
        None => Value::from(Hash::new()),
    };
    let function = function.cloned().unwrap_or_default();
    Ok(Some(Entry::new(name, kind, function, options, locations).in_directory(datadir)))
}

fn locations(
    config: &Config,
    run: &mut Run<'_>,
    hash: &Hash,
    datadir: &str,
) -> Search<Option<Vec<Location>>> {
    let Some(key) = LOCATION_KEYS.iter().find(|key| hash.get_str(key).is_some()) else {
        return Ok(None);
    };
    let declared = texts(hash, key);
    let is_default = config.path.is_none();
    let locations = run.in_paths(|run| match *key {
        "path" | "paths" => run.resolve_paths(datadir, &declared, is_default, None),
        "glob" | "globs" => run.expand_globs(datadir, &declared),
        "uri" | "uris" => run.expand_uris(&declared),
        _ => run.expand_mapped_paths(datadir, &declared),
    });
    locations.map(Some)
}
