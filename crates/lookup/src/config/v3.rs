//! Version 3, of the global layer.

use std::sync::Arc;

use ecow::EcoString;
use kukla_pcore::types::mismatch;
use kukla_pcore::{Hash, Value};

use super::lines::first_and_second;
use super::{Config, as_hash, put, put_default, text, texts};
use crate::backend::{Entry, FunctionKind};
use crate::merge::{Kind, Merge, built_in};
use crate::run::Run;
use crate::{Fault, Search};

/// Returns the content that an empty file stands for.
pub(super) fn default_hash() -> Hash {
    let mut hash = Hash::new();
    put(&mut hash, "backends", default_backends());
    put(&mut hash, "hierarchy", default_hierarchy());
    put(&mut hash, "merge_behavior", "native");
    hash
}

fn default_backends() -> Value {
    Value::array([Value::from("yaml")])
}

fn default_hierarchy() -> Value {
    Value::array([Value::from("nodes/%{::trusted.certname}"), Value::from("common")])
}

pub(super) fn validate(config: &mut Config, run: &mut Run<'_>) -> Result<(), Fault> {
    super::v4::deprecated(config, run, 3);
    let hash = &mut config.hash;
    put_default(hash, "version", || Value::Integer(3));
    put_default(hash, "backends", default_backends);
    put_default(hash, "hierarchy", default_hierarchy);
    put_default(hash, "merge_behavior", || Value::from("native"));
    put_default(hash, "deep_merge_options", || Value::from(Hash::new()));
    let mut type_ = String::from(
        "Struct[{Optional['version'] => Integer[3, 3],
        Optional['backends'] => Variant[String[1], Array[String[1]]],
        Optional['logger'] => String[1],
        Optional['merge_behavior'] => Enum['deep', 'deeper', 'native'],
        Optional['deep_merge_options'] => Hash[String[1], Variant[String, Boolean]],
        Optional['hierarchy'] => Variant[String[1], Array[String[1]]]",
    );
    for backend in texts(hash, "backends") {
        let backend = kukla_pcore::quote::quote(&backend);
        type_ = format!("{type_}, Optional[{backend}] => Hash[String[1], Any]");
    }
    type_.push_str("}]");
    let subject = format!("The Lookup Configuration at '{}'", config.path().unwrap_or_default());
    mismatch::assert_instance(&subject, &built_in(&type_), &Value::from(config.hash.clone()))
        .map_err(Fault::puppet)?;
    config.merge = merge(&config.hash);
    Ok(())
}

fn merge(hash: &Hash) -> Merge {
    let (kind, name) = match text(hash, "merge_behavior").map(EcoString::as_str) {
        Some("deep") => (Kind::ReverseDeep, "reverse_deep"),
        Some("deeper") => (Kind::UnconstrainedDeep, "unconstrained_deep"),
        _ => return Merge::DEFAULT,
    };
    let mut options = Hash::new();
    put(&mut options, "strategy", name);
    if let Some(given) = hash.get_str("deep_merge_options").and_then(as_hash) {
        options.extend(given.iter().map(|(key, value)| (key.clone(), value.clone())));
    }
    Merge::of_version_3(kind, Arc::new(options))
}

pub(super) fn entries(config: &Config, run: &mut Run<'_>) -> Search<Vec<Entry>> {
    run.with_hiera_scope(|run| {
        let mut entries: Vec<Entry> = Vec::new();
        for backend in texts(&config.hash, "backends") {
            if entries.iter().any(|entry| entry.name == backend) {
                let pattern = format!(r"[^\w]{backend}(?:[^\w]|$)");
                let (first, line) = first_and_second(&config.text, &pattern);
                return Err(config.backend_twice(&backend, first).at(line).into());
            }
            entries.push(entry(config, run, backend)?);
        }
        Ok(entries)
    })
}

fn entry(config: &Config, run: &mut Run<'_>, backend: EcoString) -> Search<Entry> {
    let options = match config.hash.get_str(&backend) {
        Some(options) if options.is_truthy() => run.interpolate(options, false)?,
        _ => Value::from(Hash::new()),
    };
    let given = as_hash(&options);
    let datadir = match given.and_then(|hash| text(hash, "datadir")) {
        Some(datadir) => {
            let written = config.hash.get_str(&backend).and_then(as_hash);
            let written = written.and_then(|hash| text(hash, "datadir"));
            run.check_climbing(written.map_or("", EcoString::as_str), datadir)?;
            datadir.to_string()
        }
        None => {
            let codedir = run.session.layers.places.codedir.clone();
            run.interpolate_text(&format!("{codedir}/environments/%{{::environment}}/hieradata"))?
        }
    };
    let extension = match given.and_then(|hash| text(hash, "extension")) {
        Some(extension) => format!(".{extension}"),
        None if backend == "hocon" => ".conf".to_owned(),
        None => format!(".{backend}"),
    };
    let hierarchy = texts(&config.hash, "hierarchy");
    let is_default = config.path.is_none();
    let locations = run.resolve_paths(&datadir, &hierarchy, is_default, Some(&extension))?;
    let (kind, function, options) = match backend.as_str() {
        "yaml" => (FunctionKind::V3DataHash, "yaml_data", Value::from(Hash::new())),
        "json" => (FunctionKind::V3DataHash, "json_data", Value::from(Hash::new())),
        "hocon" => (FunctionKind::V3DataHash, "hocon_data", Value::from(Hash::new())),
        "eyaml" => (FunctionKind::V3LookupKey, "eyaml_lookup_key", without_datadir(given)),
        _ => (FunctionKind::Hiera3Backend, backend.as_str(), options.clone()),
    };
    let function = EcoString::from(function);
    Ok(Entry::new(backend, kind, function, options, Some(locations)).in_directory(datadir))
}

fn without_datadir(options: Option<&Hash>) -> Value {
    let mut options = options.cloned().unwrap_or_default();
    options.remove(&Value::from("datadir"));
    Value::from(options)
}
