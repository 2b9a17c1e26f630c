//! Paths as Puppet writes them: links stay, `.` and `..` go.

use std::io;
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

/// Makes paths absolute without looking at the disk, so links stay.
#[derive(Debug)]
pub struct Anchor {
    current: PathBuf,
}

impl Anchor {
    /// Relative paths start at the current directory.
    pub fn new() -> io::Result<Self> {
        Ok(Self { current: std::env::current_dir()? })
    }

    /// The absolute path, without `.` and `..`.
    pub fn absolute(&self, path: &Path) -> PathBuf {
        clean(&self.current.join(path))
    }
}

/// The path without `.` and `..`.
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
