//! PDL files: their syntax, and names without a class.

use std::path::{Path, PathBuf};

use kukla_base::Severity;
use kukla_lookup::pdl;
use kukla_world::{Disk, MAX_FILE, World};

use super::Check;
use kukla_base::nearest::nearest;

impl Check<'_> {
    /// Checks the PDL of the site and of all modules.
    pub(super) fn pdl_files(&mut self) {
        let places = self.environment.snapshot.places().clone();
        let mut files: Vec<(PathBuf, Option<String>)> = Vec::new();
        if let Some(location) = &places.datalocation {
            let root = Path::new(location.as_str());
            for file in below(root) {
                let class = class_of(root, &file);
                files.push((file, class));
            }
        }
        if let Some(library) = &places.datalibrary {
            files.push((PathBuf::from(library.as_str()), None));
        }
        for (module, place) in &places.modules {
            let root = Path::new(place.directory.as_str()).join("data");
            for file in below(&root) {
                let rest = file.strip_prefix(&root).unwrap_or(&file).with_extension("");
                let rest = rest.to_string_lossy().replace('/', "::");
                let class = match rest.as_str() {
                    "init" => module.to_string(),
                    rest => format!("{module}::{rest}"),
                };
                files.push((file, Some(class)));
            }
        }
        for (file, class) in files {
            self.pdl_file(&file.to_string_lossy(), class.as_deref());
        }
    }

    fn pdl_file(&mut self, path: &str, class: Option<&str>) {
        self.findings.add_file(path);
        let text = match Disk.read(path, MAX_FILE) {
            Ok(opened) => {
                String::from_utf8(opened.bytes.to_vec()).map_err(|error| error.to_string())
            }
            Err(error) => Err(error.to_string()),
        };
        let text = match text {
            Ok(text) => text,
            Err(error) => {
                let message = format!("can't be read: {error}");
                return self.findings.error("data-unreadable", path, 1, message);
            }
        };
        let parsed = match pdl::parse(&text) {
            Ok(parsed) => parsed,
            Err(error) => return self.findings.diagnostics(path, error.diagnostics),
        };
        self.findings.diagnostics(path, parsed.warnings);
        if let Some(class) = class
            && matches!(self.lookups.class(class), Ok(None))
        {
            let message = format!("there is no class `{class}`, so this file is never read");
            return self.findings.warning("data-dead-file", path, 1, message);
        }
        for statement in &parsed.statements {
            let (class, name) = match (statement.name.rsplit_once("::"), class) {
                (Some(both), _) => both,
                (None, Some(class)) => (class, statement.name.as_str()),
                (None, None) => continue,
            };
            let Ok(Some(signature)) = self.lookups.class(class) else {
                let message = format!("there is no class `{class}`");
                self.findings.warning("data-unknown-key", path, statement.line, message);
                continue;
            };
            if signature.parameters.iter().any(|parameter| parameter.name == name) {
                continue;
            }
            let names = signature.parameters.iter().map(|parameter| parameter.name.as_str());
            let near = nearest(name, names);
            let help = near.first().map(|near| format!("did you mean `${near}`?"));
            let message = format!("class `{class}` has no parameter `{name}`");
            let (code, error) = ("data-unknown-key", Severity::Error);
            self.findings.add(code, error, path, statement.line, message, help);
        }
    }
}

/// Returns the class of a file of the site: `ntp/client.pdl` and `ntp/data/client.pdl` belong to `ntp::client`.
fn class_of(root: &Path, file: &Path) -> Option<String> {
    let rest = file.strip_prefix(root).unwrap_or(file).with_extension("");
    let parts: Vec<String> = rest.iter().map(|part| part.to_string_lossy().into_owned()).collect();
    let (module, rest) = parts.split_first()?;
    let rest = match rest.split_first() {
        None => return None,
        Some((first, inner)) if first == "data" && !inner.is_empty() => inner,
        _ => rest,
    };
    match rest {
        [only] if only == "init" => Some(module.clone()),
        rest => Some(format!("{module}::{}", rest.join("::"))),
    }
}

/// Returns all PDL files below a directory, sorted.
fn below(directory: &Path) -> Vec<PathBuf> {
    let Ok(entries) = std::fs::read_dir(directory) else { return Vec::new() };
    let mut paths: Vec<PathBuf> = entries.flatten().map(|entry| entry.path()).collect();
    paths.sort();
    let mut files = Vec::new();
    for path in paths {
        if path.is_dir() {
            files.extend(below(&path));
        } else if path.extension().is_some_and(|ending| ending == "pdl") {
            files.push(path);
        }
    }
    files
}
