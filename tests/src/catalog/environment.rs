//! Temporary environments of cases.

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};

use anyhow::{Context, Result, ensure};

/// The name of the environment that is written.
pub const NAME: &str = "production";
/// Replacement of the directory of environments in answers.
pub const DISPLAYED: &str = "/envs";

static NEXT: AtomicUsize = AtomicUsize::new(0);

/// A directory of environments with one environment in it.
#[derive(Debug)]
pub struct Environments {
    path: PathBuf,
}

impl Environments {
    /// Writes files, whose paths are relative to the environment.
    pub fn write<'a>(files: impl IntoIterator<Item = (&'a str, &'a str)>) -> Result<Self> {
        let number = NEXT.fetch_add(1, Ordering::Relaxed);
        let name = format!("kukla-envs-{}-{number}", std::process::id());
        let environments = Self { path: std::env::temp_dir().join(name) };
        let root = environments.path.join(NAME);
        std::fs::create_dir_all(&root)?;
        for (path, text) in files {
            ensure!(!path.starts_with('/') && !path.contains(".."), "`{path}` leads elsewhere");
            let path = root.join(path);
            std::fs::create_dir_all(path.parent().context("a file has a folder")?)?;
            std::fs::write(&path, text)
                .with_context(|| format!("cannot write `{}`", path.display()))?;
        }
        Ok(environments)
    }

    /// Returns the directory: Puppet's `environmentpath`.
    pub fn path(&self) -> &Path {
        &self.path
    }
}

impl Drop for Environments {
    fn drop(&mut self) {
        // A directory that can't be removed stays among temporary files.
        let _ = std::fs::remove_dir_all(&self.path);
    }
}
