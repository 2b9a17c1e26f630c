//! Paths as Puppet writes them: links stay, `.` and `..` go.

use std::path::{Component, Path, PathBuf};

/// Returns a path without `.`, `..` and doubled slashes, by its text alone: links are not looked at.
pub fn clean_text(path: &str) -> String {
    let mut parts: Vec<&str> = Vec::new();
    for part in path.split('/') {
        match part {
            "" | "." => (),
            ".." => drop(parts.pop()),
            part => parts.push(part),
        }
    }
    let start = if path.starts_with('/') { "/" } else { "" };
    format!("{start}{}", parts.join("/"))
}

/// The directory at which relative paths start. Links stay: the disk is not looked at.
#[derive(Clone, Debug)]
pub struct Anchor {
    directory: PathBuf,
}

impl Anchor {
    /// Makes relative paths start at `directory`, which is absolute.
    pub fn new(directory: impl Into<PathBuf>) -> Self {
        Self { directory: clean(&directory.into()) }
    }

    /// Returns the directory.
    pub fn directory(&self) -> &Path {
        &self.directory
    }

    /// Returns the absolute path, without `.` and `..`.
    pub fn absolute(&self, path: &Path) -> PathBuf {
        clean(&self.directory.join(path))
    }

    /// Returns the absolute paths of a list such as `modules:/srv/modules`.
    pub fn absolute_list(&self, paths: &str) -> Vec<PathBuf> {
        split(paths).map(|entry| self.absolute(Path::new(entry))).collect()
    }
}

/// Returns the entries of a path such as `modules:$basemodulepath`.
pub fn split(path: &str) -> impl Iterator<Item = &str> {
    path.split(':').filter(|entry| !entry.is_empty())
}

/// Returns the path without `.` and `..`.
pub fn clean(path: &Path) -> PathBuf {
    let mut cleaned = PathBuf::with_capacity(path.as_os_str().len());
    for component in path.components() {
        match component {
            Component::CurDir => {}
            Component::ParentDir => {
                cleaned.pop();
            }
            Component::Prefix(_) | Component::RootDir | Component::Normal(_) => {
                cleaned.push(component);
            }
        }
    }
    cleaned
}
