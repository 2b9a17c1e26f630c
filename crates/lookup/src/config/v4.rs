//! Version 4, of environments and modules.

use ecow::EcoString;
use kukla_pcore::types::mismatch;
use kukla_pcore::{Hash, Type, Value};

use super::lines::first_and_second;
use super::{Config, find_line, put, put_default, text, texts};
use crate::backend::{Entry, FunctionKind};
use crate::merge::built_in;
use crate::run::Run;
use crate::{Fault, Layers, Search, paths};

const TYPE: &str = "Struct[{
    'version' => Integer[4, 4], Optional['datadir'] => String[1],
    Optional['hierarchy'] => Array[Struct[{
        'backend' => String[1], 'name' => String[1], Optional['datadir'] => String[1],
        Optional['path'] => String[1], Optional['paths'] => Array[String[1]]}]]}]";

pub(super) fn validate(
    config: &mut Config,
    run: &mut Run<'_>,
    layers: &Layers,
) -> Result<(), Fault> {
    deprecated(config, run, 4);
    put_default(&mut config.hash, "datadir", || Value::from("data"));
    put_default(&mut config.hash, "hierarchy", || {
        let mut entry = Hash::new();
        put(&mut entry, "name", "common");
        put(&mut entry, "backend", "yaml");
        Value::array([Value::from(entry)])
    });
    assert(config, layers.types.v4.get_or_init(|| built_in(TYPE)))
}

/// Logs once that a version is deprecated.
pub(super) fn deprecated(config: &Config, run: &mut Run<'_>, version: i64) {
    let path = config.path().unwrap_or_default();
    run.warn_once("hiera.yaml", &format!(
        "{path}: Use of 'hiera.yaml' version {version} is deprecated. It should be converted to version 5\n   (file: {path})"
    ));
}

/// Fails if the configuration does not match a type.
pub(super) fn assert(config: &Config, type_: &Type) -> Result<(), Fault> {
    let subject = format!("The Lookup Configuration at '{}'", config.path().unwrap_or_default());
    mismatch::assert_instance(&subject, type_, &Value::from(config.hash.clone()))
        .map_err(Fault::puppet)
}

pub(super) fn entries(config: &Config, run: &mut Run<'_>) -> Search<Vec<Entry>> {
    let mut entries: Vec<Entry> = Vec::new();
    for hash in config.list("hierarchy") {
        let name = text(hash, "name").cloned().unwrap_or_default();
        if entries.iter().any(|entry| entry.name == name) {
            let pattern = format!(r#"\s+name:\s+['"]?{name}(?:[^\w]|$)"#);
            let (first, line) = first_and_second(&config.text, &pattern);
            return Err(config.name_twice(&name, first).at(line).into());
        }
        entries.push(entry(config, run, hash, name)?);
    }
    Ok(entries)
}

fn entry(config: &Config, run: &mut Run<'_>, hash: &Hash, name: EcoString) -> Search<Entry> {
    let declared = match (hash.get_str("paths"), text(hash, "path")) {
        (Some(_), _) => texts(hash, "paths"),
        (None, Some(path)) => vec![path.clone()],
        (None, None) => vec![name.clone()],
    };
    let datadir = text(hash, "datadir").or_else(|| text(&config.hash, "datadir"));
    let datadir = paths::join(&config.root, datadir.map_or("data", EcoString::as_str));
    let backend = text(hash, "backend").map_or("", EcoString::as_str);
    let (function, extension) = match backend {
        "yaml" => ("yaml_data", ".yaml"),
        "json" => ("json_data", ".json"),
        "hocon" => ("hocon_data", ".conf"),
        other => {
            let line = find_line(&config.text, &format!(r"[^\w]{other}(?:[^\w]|$)"), 1);
            return Err(config.no_provider(other).at(line).into());
        }
    };
    let is_default = config.path.is_none();
    let locations = run.resolve_paths(&datadir, &declared, is_default, Some(extension))?;
    let options = Value::from(Hash::new());
    let entry = Entry::new(name, FunctionKind::DataHash, function.into(), options, Some(locations));
    Ok(entry.in_directory(datadir))
}
