//! Resource types that only a real Ruby can tell of.
//!
//! Starting one takes a second, so what it says is kept in a file, under a name that is the digest of all Ruby code
//! that the type may depend on: the libraries of its module and of those that the module needs.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use kukla_compiler::ResourceType;
use kukla_rubytext::digest;
use kukla_worker::type_facts;

use super::Snapshot;
use super::module::Module;

/// Directories within directories are looked into so far.
const MAX_DEPTH: usize = 16;

impl Snapshot {
    /// What a real Ruby with Puppet's library says of a resource type that can't be read.
    pub(crate) fn type_from_ruby(&self, name: &str) -> Option<Arc<ResourceType>> {
        if let Some(known) = self.ruby_types.get(name) {
            return known;
        }
        let kept = self.may_ask_ruby().then(|| self.place_of_type(name)).flatten();
        let told = kept.as_deref().and_then(|path| read(name, path));
        let told = told.or_else(|| self.ask_for_type(name, kept.as_deref()));
        self.ruby_types.keep(name.to_owned(), told.map(Arc::new))
    }

    fn ask_for_type(&self, name: &str, kept: Option<&Path>) -> Option<ResourceType> {
        let told = self.workers.pool("").ok()?.resource_type(name).ok()?;
        let facts = type_facts(name, &told)?;
        if let Some(path) = kept {
            // Whoever can't keep it asks again next time.
            let _ = write(path, &told);
        }
        Some(ResourceType::from(facts))
    }

    /// The file for what is said of a type whose code is as it is now.
    fn place_of_type(&self, name: &str) -> Option<PathBuf> {
        let directory = self.options.kept.as_ref()?;
        let file = format!("lib/puppet/type/{name}.rb");
        let owner = self.modules.iter().find(|module| module.path.join(&file).is_file())?;
        let needed = owner.dependencies.iter().filter_map(|name| self.module(name));
        let mut code = format!("{name} {}\n", env!("CARGO_PKG_VERSION")).into_bytes();
        for Module { path, .. } in std::iter::once(owner).chain(needed) {
            gather(&path.join("lib"), MAX_DEPTH, &mut code);
        }
        Some(directory.join(format!("{name}-{}", digest::sha256(&code))))
    }
}

/// All Ruby code below a directory, file after file.
fn gather(directory: &Path, depth: usize, code: &mut Vec<u8>) {
    let Ok(entries) = fs::read_dir(directory) else { return };
    let mut paths: Vec<PathBuf> = entries.flatten().map(|entry| entry.path()).collect();
    paths.sort();
    for path in paths {
        if path.is_dir() {
            // Neither facts nor functions have a say in what a type is.
            if depth > 1 && !path.ends_with("facter") && !path.ends_with("functions") {
                gather(&path, depth - 1, code);
            }
        } else if path.extension().is_some_and(|extension| extension == "rb") {
            let text = fs::read(&path).unwrap_or_default();
            code.extend(format!("\n{} {}\n", path.display(), text.len()).into_bytes());
            code.extend(text);
        }
    }
}

fn read(name: &str, path: &Path) -> Option<ResourceType> {
    type_facts(name, &fs::read(path).ok()?).map(ResourceType::from)
}

/// Other processes see the file whole or not at all.
fn write(path: &Path, told: &[u8]) -> std::io::Result<()> {
    if let Some(directory) = path.parent() {
        fs::create_dir_all(directory)?;
    }
    let new = path.with_extension(std::process::id().to_string());
    fs::write(&new, told)?;
    fs::rename(&new, path)
}
