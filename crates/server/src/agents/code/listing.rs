//! Lists of environments and of modules.

use std::path::{Path, PathBuf};

use kukla_site::{Environment, Site};
use kukla_world::Disk;
use kukla_world::paths::split;
use serde_json::{Map, Value, json};

use crate::agents::code::tasks::read_json;

/// Returns the answer to `environments`.
pub(super) fn environments(site: &Site) -> Value {
    let directories = environment_path(site);
    let mut search_paths: Vec<String> =
        directories.iter().map(|path| format!("file://{}", path.display())).collect();
    search_paths.push("data:text/plain,internal".to_owned());
    let mut environments = Map::new();
    for name in environment_names(site) {
        if let Some(environment) = environment(site, &name) {
            environments.insert(name, json!({ "settings": settings(site, &environment) }));
        }
    }
    json!({ "search_paths": search_paths, "environments": environments })
}

/// Returns the files with transports of devices, which modules declare in Ruby.
pub(super) fn transports(modulepath: &[PathBuf]) -> Vec<PathBuf> {
    let entries = |directory: &Path| {
        let entries = std::fs::read_dir(directory).into_iter().flatten().flatten();
        entries.map(|entry| entry.path()).collect::<Vec<_>>()
    };
    let modules = modulepath.iter().flat_map(|directory| entries(directory));
    let files = modules.flat_map(|module| entries(&module.join("lib/puppet/transport/schema")));
    let mut files: Vec<PathBuf> =
        files.filter(|file| file.extension().is_some_and(|it| it == "rb")).collect();
    files.sort();
    files
}

fn settings(site: &Site, environment: &Environment) -> Value {
    let text = |name: &str| environment.conf_text(name, &Disk);
    let timeout =
        text("environment_timeout").or_else(|| site.settings().text("environment_timeout"));
    let config_version = text("config_version").filter(|it| !it.is_empty());
    let config_version =
        config_version.map(|it| environment.directory.join(it).to_string_lossy().into_owned());
    let paths = environment.modulepath.iter().map(|path| path.to_string_lossy().into_owned());
    json!({
        "modulepath": paths.collect::<Vec<_>>(),
        "manifest": environment.manifest.to_string_lossy(),
        "environment_timeout": timeout_value(timeout.as_deref().unwrap_or("0")),
        "config_version": config_version.unwrap_or_default(),
    })
}

/// Returns seconds, or `unlimited`.
fn timeout_value(text: &str) -> Value {
    let text = text.trim();
    let (digits, factor) = match text.strip_suffix(|c: char| c.is_ascii_alphabetic()) {
        Some(digits) => (
            digits,
            match text.as_bytes().last() {
                Some(b'm') => 60,
                Some(b'h') => 3600,
                Some(b'd') => 86_400,
                Some(b'y') => 31_536_000,
                _ => 1,
            },
        ),
        None => (text, 1),
    };
    match digits.parse::<u64>() {
        Ok(number) => Value::from(number.saturating_mul(factor)),
        Err(_) => Value::from("unlimited"),
    }
}

/// Returns the names of all environments, sorted. A directory with another name than Puppet allows is none.
pub fn environment_names(site: &Site) -> Vec<String> {
    let mut names = Vec::new();
    for directory in environment_path(site) {
        let Ok(entries) = std::fs::read_dir(directory) else { continue };
        let directories = entries.flatten().filter(|entry| entry.path().is_dir());
        names.extend(directories.filter_map(|entry| entry.file_name().into_string().ok()));
    }
    let is_word = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_';
    names.retain(|name| name.bytes().all(is_word));
    names.sort_unstable();
    names.dedup();
    names
}

fn environment_path(site: &Site) -> Vec<PathBuf> {
    let path = site.settings().text("environmentpath").unwrap_or_default();
    split(&path).map(|entry| site.anchor().absolute(Path::new(entry))).collect()
}

/// Reads the configuration of an environment, and nothing else of it.
fn environment(site: &Site, name: &str) -> Option<Environment> {
    let mut directories = environment_path(site).into_iter().map(|entry| entry.join(name));
    let directory = directories.find(|directory| directory.is_dir())?;
    let base = site.settings().text("basemodulepath").unwrap_or_default();
    Environment::open(&directory, &site.anchor().absolute_list(&base), &Disk).ok()
}

/// Returns the modules of an environment, in the order of the module path and of their names.
pub(super) fn modules(name: &str, environment: &Environment) -> Value {
    let modules = named_modules(environment).map(|(module, path)| {
        let metadata = read_json(&path.join("metadata.json")).unwrap_or(Value::Null);
        let full_name = metadata["name"].as_str().map(|name| name.replace('-', "/"));
        json!({
            "name": full_name.unwrap_or(module),
            "version": metadata.get("version").cloned().unwrap_or(Value::Null),
        })
    });
    json!({ "modules": modules.collect::<Vec<_>>(), "name": name })
}

/// Returns the modules of all environments.
pub(super) fn all_modules(site: &Site) -> Value {
    let names = environment_names(site);
    let lists = names.iter().filter_map(|name| Some(modules(name, &environment(site, name)?)));
    Value::from(lists.collect::<Vec<_>>())
}

fn named_modules(environment: &Environment) -> impl Iterator<Item = (String, PathBuf)> {
    let modules = environment.modules(&Disk, &mut Vec::new());
    modules.into_iter().map(|module| (module.name, module.path))
}
