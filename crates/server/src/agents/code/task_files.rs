//! Files of tasks beside their executables.

use std::path::{Path, PathBuf};

use serde_json::Value;

use super::tasks::TaskError;
use crate::agents::files::module_directory;

/// Directories of modules that agents can read.
const MOUNTS: [&str; 4] = ["files", "lib", "scripts", "tasks"];

/// The most files of one task.
const MOST_FILES: usize = 10_000;

/// A file of a task.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct TaskFile {
    /// The name of an executable, or `MODULE/MOUNT/PATH`.
    pub(super) name: String,
    /// The file on the server.
    pub(super) path: PathBuf,
}

impl TaskFile {
    /// Returns the path of the route that has the content.
    pub(super) fn route(&self, module: &str) -> String {
        let mut parts = self.name.splitn(3, '/');
        let below = match (parts.next(), parts.next(), parts.next()) {
            (Some(module), Some("files"), Some(rest)) => format!("modules/{module}/{rest}"),
            (Some(_), Some("lib"), Some(rest)) => format!("plugins/{rest}"),
            (Some(module), Some("scripts"), Some(rest)) => format!("scripts/{module}/{rest}"),
            (Some(module), Some("tasks"), Some(rest)) => format!("tasks/{module}/{rest}"),
            _ => format!("tasks/{module}/{}", self.name),
        };
        format!("/puppet/v3/file_content/{below}")
    }
}

/// Returns the files that `files` of the metadata and of its implementations name.
pub(super) fn extra_files(
    modulepath: &[PathBuf],
    metadata: &Value,
) -> Result<Vec<TaskFile>, TaskError> {
    let implementations = metadata["implementations"].as_array().into_iter().flatten();
    let mut names: Vec<&str> = Vec::new();
    for holder in std::iter::once(metadata).chain(implementations) {
        match holder.get("files") {
            None => {}
            Some(Value::Array(files)) => names.extend(files.iter().filter_map(Value::as_str)),
            Some(other) => {
                let words = format!("The 'files' task metadata expects an array, got {other}.");
                return Err(TaskError::metadata(words));
            }
        }
    }
    let mut seen = std::collections::HashSet::new();
    names.retain(|name| seen.insert(*name));
    let mut files = Vec::new();
    for name in names {
        add_named(modulepath, name, &mut files)?;
    }
    Ok(files)
}

fn add_named(
    modulepath: &[PathBuf],
    name: &str,
    files: &mut Vec<TaskFile>,
) -> Result<(), TaskError> {
    let mut parts = name.splitn(3, '/');
    let (module, mount) = (parts.next().unwrap_or_default(), parts.next().unwrap_or_default());
    let rest = parts.next().unwrap_or_default();
    let directory = module_directory(modulepath, module).ok_or_else(|| {
        let words = format!("Could not find module {module} containing task file {rest}");
        TaskError::metadata(words)
    })?;
    if !MOUNTS.contains(&mount) {
        return Err(TaskError::metadata(format!(
            "Files must be saved in module directories that Puppet makes available via mount points: {}",
            MOUNTS.join(", ")
        )));
    }
    let trimmed = rest.strip_suffix('/').unwrap_or(rest);
    if trimmed.split('/').any(|part| matches!(part, "." | ".."))
        || trimmed.contains("//")
        || rest.contains('\0')
    {
        return Err(TaskError::metadata("File pathnames cannot include relative paths"));
    }
    let path = Path::new(&directory).join(mount).join(trimmed);
    let is_directory = path.is_dir();
    match (is_directory, name.ends_with('/')) {
        _ if !path.exists() => Err(TaskError::Invalid {
            kind: "puppet.tasks/invalid-file",
            words: format!("Could not find {} on disk", path.display()),
        }),
        (true, false) => Err(TaskError::metadata(format!(
            "Directories specified in task metadata must include a trailing slash: {name}"
        ))),
        (false, true) => Err(TaskError::metadata(format!(
            "Files specified in task metadata cannot include a trailing slash: {name}"
        ))),
        (false, false) => {
            files.push(TaskFile { name: name.to_owned(), path });
            Ok(())
        }
        (true, true) => add_below(&path, name.trim_end_matches('/'), files),
    }
}

/// Adds all files below a directory, without those whose names start with a dot, as Ruby's `**` does.
fn add_below(directory: &Path, name: &str, files: &mut Vec<TaskFile>) -> Result<(), TaskError> {
    let entries = std::fs::read_dir(directory).into_iter().flatten().flatten();
    let mut names: Vec<_> =
        entries.filter_map(|entry| entry.file_name().into_string().ok()).collect();
    names.retain(|name| !name.starts_with('.'));
    names.sort_unstable();
    for entry in names {
        if files.len() >= MOST_FILES {
            let words = format!("a task may have at most {MOST_FILES} files");
            return Err(TaskError::metadata(words));
        }
        let (path, name) = (directory.join(&entry), format!("{name}/{entry}"));
        // Links to directories are not followed, so there is an end.
        match path.symlink_metadata().is_ok_and(|status| status.is_dir()) {
            true => add_below(&path, &name, files)?,
            false if path.is_file() => files.push(TaskFile { name, path }),
            false => {}
        }
    }
    Ok(())
}
