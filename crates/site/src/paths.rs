//! Paths as Puppet writes them.

use std::io;
use std::path::{Component, Path, PathBuf};

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
