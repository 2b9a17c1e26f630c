//! The manifests and templates of Debian's `puppet-module-*` packages, where they are installed.

use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result};
use walkdir::WalkDir;

use crate::Case;

/// Directory of the modules, and of the examples in the documentation.
const SHARE: &str = "/usr/share";
const MODULES: &str = "puppet/modules/";

/// A manifest or template of a package.
#[derive(Clone, Debug)]
pub struct ModuleFile {
    /// The path relative to `/usr/share`.
    pub name: String,
}

/// Returns all files, sorted by name; none if no package is installed.
pub fn installed() -> Vec<ModuleFile> {
    let doc = Path::new(SHARE).join("doc");
    let examples = std::fs::read_dir(doc).into_iter().flatten().flatten();
    let examples = examples.map(|entry| entry.path()).filter(|path| is_package(path));
    let folders = examples.chain([Path::new(SHARE).join(MODULES)]);
    let mut files: Vec<ModuleFile> = folders.flat_map(|folder| files(&folder)).collect();
    files.sort_by(|left, right| left.name.cmp(&right.name));
    files
}

/// Returns names and versions of the installed packages, sorted.
pub fn packages() -> Vec<String> {
    let query = Command::new("dpkg-query")
        .args(["--show", "--showformat", "${db:Status-Status} ${Package} ${Version}\n"])
        .arg("puppet-module-*")
        .output();
    let Ok(output) = query else { return Vec::new() };
    let text = String::from_utf8_lossy(&output.stdout);
    let installed = text.lines().filter_map(|line| line.strip_prefix("installed "));
    let mut packages: Vec<String> = installed.map(str::to_owned).collect();
    packages.sort();
    packages
}

impl ModuleFile {
    /// Returns the path of the file.
    pub fn path(&self) -> PathBuf {
        Path::new(SHARE).join(&self.name)
    }

    /// Returns the module or package that it belongs to.
    pub fn module(&self) -> &str {
        let rest = self.name.strip_prefix(MODULES).or_else(|| self.name.strip_prefix("doc/"));
        rest.unwrap_or(&self.name).split('/').next().unwrap_or_default()
    }

    /// Returns the source as Puppet reads it in its place.
    pub fn case(&self) -> Result<Case> {
        let path = self.path();
        let bytes =
            std::fs::read(&path).with_context(|| format!("cannot read `{}`", path.display()))?;
        let template = self.name.ends_with(".epp");
        let file = self.name.strip_prefix(MODULES).map(str::to_owned);
        Ok(Case { template, file, ..Case::manifest(bytes) })
    }
}

fn is_package(path: &Path) -> bool {
    path.file_name().is_some_and(|name| name.to_string_lossy().starts_with("puppet-module-"))
}

fn files(folder: &Path) -> Vec<ModuleFile> {
    let is_source = |path: &Path| {
        path.extension().is_some_and(|extension| extension == "pp" || extension == "epp")
    };
    WalkDir::new(folder)
        .follow_links(true)
        .into_iter()
        .flatten()
        .filter(|entry| entry.file_type().is_file() && is_source(entry.path()))
        .filter_map(|entry| entry.path().strip_prefix(SHARE).ok()?.to_str().map(str::to_owned))
        .map(|name| ModuleFile { name })
        .collect()
}
