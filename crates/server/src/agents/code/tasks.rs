//! Tasks of modules.
//!
//! A task is one or more executables in `MODULE/tasks`, with a JSON file of the same name that describes it.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use kukla_rubytext::digest;
use serde_json::{Map, Value, json};

use super::task_files::{TaskFile, extra_files};
use crate::agents::files::module_directories;

/// The largest metadata file.
const MOST_METADATA: u64 = 1 << 20;

/// Extensions of files in `tasks` that are no part of a task.
const NO_TASKS: [&str; 2] = ["conf", "md"];

/// The reasons why there is no description of a task.
#[derive(Debug, thiserror::Error)]
pub(super) enum TaskError {
    /// There is no such module or task.
    #[error("{0}")]
    NotFound(String),
    /// The task has a mistake.
    #[error("{words}")]
    Invalid {
        /// Puppet's name of the mistake.
        kind: &'static str,
        /// Puppet's description.
        words: String,
    },
}

impl TaskError {
    pub(super) fn metadata(words: impl Into<String>) -> Self {
        Self::Invalid { kind: "puppet.tasks/invalid-metadata", words: words.into() }
    }
}

/// The files of one task.
#[derive(Debug, Default)]
struct Task {
    metadata: Option<PathBuf>,
    executables: Vec<PathBuf>,
}

/// Returns names and metadata of all tasks that have no mistake, in the order of modules and names.
pub(super) fn list(modulepath: &[PathBuf]) -> Vec<(String, Value)> {
    let mut list = Vec::new();
    for directory in module_directories(modulepath) {
        let directory = Path::new(&directory);
        let module = directory.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let tasks = tasks(directory);
        for (name, task) in &tasks {
            let full = full_name(&module, name);
            if let Ok((metadata, _)) = checked(modulepath, directory, &full, task, &tasks) {
                list.push((full, metadata));
            }
        }
    }
    list
}

/// Returns the description of one task.
pub(super) fn details(
    modulepath: &[PathBuf],
    environment: &str,
    module: &str,
    name: &str,
) -> Result<Value, TaskError> {
    let directory = crate::agents::files::module_directory(modulepath, module)
        .ok_or_else(|| TaskError::NotFound(format!("Could not find module '{module}'")))?;
    let directory = Path::new(&directory);
    let tasks = tasks(directory);
    let task = tasks
        .get(name)
        .ok_or_else(|| TaskError::NotFound(format!("Could not find task '{name}'")))?;
    let full = full_name(module, name);
    let (metadata, files) = checked(modulepath, directory, &full, task, &tasks)?;
    let files = files.iter().map(|file| described(file, environment, module));
    let files = files.collect::<Result<Vec<_>, _>>()?;
    Ok(json!({ "metadata": metadata, "name": full, "files": files }))
}

fn full_name(module: &str, name: &str) -> String {
    match name {
        "init" => module.to_owned(),
        name => format!("{module}::{name}"),
    }
}

/// Returns the tasks of a module by name.
fn tasks(module: &Path) -> BTreeMap<String, Task> {
    let mut tasks: BTreeMap<String, Task> = BTreeMap::new();
    let entries = std::fs::read_dir(module.join("tasks")).into_iter().flatten().flatten();
    let mut paths: Vec<PathBuf> = entries.map(|entry| entry.path()).collect();
    paths.sort_unstable();
    for path in paths.into_iter().filter(|path| path.is_file()) {
        let extension = path.extension().unwrap_or_default().to_string_lossy().into_owned();
        let name = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        if !is_name(&name) || NO_TASKS.contains(&extension.as_str()) {
            continue;
        }
        let task = tasks.entry(name).or_default();
        match extension.as_str() {
            "json" => task.metadata = Some(path),
            _ => task.executables.push(path),
        }
    }
    tasks
}

fn is_name(name: &str) -> bool {
    let may_follow = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'_';
    name.starts_with(|first: char| first.is_ascii_lowercase()) && name.bytes().all(may_follow)
}

/// Returns metadata and files of a task, or its first mistake.
fn checked(
    modulepath: &[PathBuf],
    module: &Path,
    full: &str,
    task: &Task,
    tasks: &BTreeMap<String, Task>,
) -> Result<(Value, Vec<TaskFile>), TaskError> {
    let metadata = match &task.metadata {
        None => Value::Object(Map::new()),
        Some(path) => read_json(path).ok_or_else(|| TaskError::Invalid {
            kind: "puppet.tasks/unparseable-metadata",
            words: format!("unreadable metadata in {}", path.display()),
        })?,
    };
    let executables = || tasks.values().flat_map(|task| &task.executables);
    let mut files = match metadata.get("implementations") {
        Some(Value::Array(implementations)) => {
            let find = |it: &Value| implementation(it, full, executables());
            implementations.iter().map(find).collect::<Result<Vec<_>, _>>()?
        }
        Some(_) => {
            return Err(TaskError::metadata(format!(
                "Task metadata for task {full} does not specify implementations as an array"
            )));
        }
        None => vec![only_executable(&module.join("tasks"), full, task)?],
    };
    files.extend(extra_files(modulepath, &metadata)?);
    Ok((metadata, files))
}

fn implementation<'a>(
    implementation: &Value,
    task: &str,
    mut executables: impl Iterator<Item = &'a PathBuf>,
) -> Result<TaskFile, TaskError> {
    let name = implementation["name"].as_str().unwrap_or_default();
    if !matches!(implementation.get("requirements"), None | Some(Value::Null | Value::Array(_))) {
        return Err(TaskError::metadata(format!(
            "Task metadata for task {task} does not specify requirements as an array"
        )));
    }
    let found = executables.find(|path| path.file_name().is_some_and(|it| it == name));
    let found = found.ok_or_else(|| TaskError::Invalid {
        kind: "puppet.tasks/missing-implementation",
        words: format!("Task metadata for task {task} specifies missing implementation {name}"),
    })?;
    Ok(TaskFile { name: name.to_owned(), path: found.clone() })
}

fn only_executable(directory: &Path, full: &str, task: &Task) -> Result<TaskFile, TaskError> {
    match task.executables.as_slice() {
        [path] => {
            let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
            Ok(TaskFile { name, path: path.clone() })
        }
        [] => Err(TaskError::Invalid {
            kind: "puppet.tasks/no-implementation",
            words: format!(
                "No source besides task metadata was found in directory {} for task {full}",
                directory.display()
            ),
        }),
        [first, ..] => Err(TaskError::Invalid {
            kind: "puppet.tasks/multiple-implementations",
            words: format!(
                "Multiple executables were found in directory {} for task {full}; define 'implementations' in metadata to differentiate between them",
                first.display()
            ),
        }),
    }
}

/// Returns the description of a file, with the route that has its content.
fn described(file: &TaskFile, environment: &str, module: &str) -> Result<Value, TaskError> {
    let bytes = std::fs::read(&file.path).map_err(|error| TaskError::Invalid {
        kind: "puppet.tasks/invalid-file",
        words: format!("{}: {error}", file.path.display()),
    })?;
    Ok(json!({
        "filename": file.name,
        "sha256": digest::sha256(&bytes),
        "size_bytes": bytes.len(),
        "uri": { "path": file.route(module), "params": { "environment": environment } },
    }))
}

/// Reads a JSON document of a bounded size; an empty file is an empty object.
pub(super) fn read_json(path: &Path) -> Option<Value> {
    let status = std::fs::metadata(path).ok()?;
    if !status.is_file() || status.len() > MOST_METADATA {
        return None;
    }
    match std::fs::read(path).ok()?.as_slice() {
        [] => Some(Value::Object(Map::new())),
        bytes => serde_json::from_slice(bytes).ok(),
    }
}
