//! Disk cache for resource types that only a real Ruby can load.
//!
//! Starting Ruby takes about a second. Its answer is stored below `vardir`, keyed by a digest of all Ruby code that the
//! type may depend on: `lib` of its module and of that module's dependencies.

use std::path::Path;
use std::sync::Arc;

use kukla_compiler::ResourceType;
use kukla_rubytext::digest;
use kukla_worker::type_facts;
use kukla_world::{Disk, MAX_FILE, Record, World, write};

use super::Snapshot;
use super::module::Module;

/// The maximum depth of nested directories.
const MAX_DEPTH: usize = 16;

impl Snapshot {
    /// Returns the declaration that real Ruby with Puppet's library gives for a resource type that can't be read.
    pub(crate) fn type_from_ruby(&self, name: &str, record: &Record) -> Option<Arc<ResourceType>> {
        self.ruby_types.get_or(name, record, |record| {
            if !self.may_ask_ruby() {
                return None;
            }
            // Read even if nothing is cached: the record has to name the code that the answer depends on.
            let code = self.code_of_type(name, record);
            let directory = self.options.kept.as_ref();
            let file = code.zip(directory).map(|(code, directory)| {
                directory.join(format!("{name}-{}", digest::sha256(&code)))
            });
            let cached = file.as_deref().and_then(|path| read(name, path));
            cached.or_else(|| self.ask_for_type(name, file.as_deref())).map(Arc::new)
        })
    }

    fn ask_for_type(&self, name: &str, kept: Option<&Path>) -> Option<ResourceType> {
        let answer = self.workers.pool().ok()?.resource_type(name).ok()?;
        let declaration = type_facts(name, &answer)?;
        if let Some(path) = kept {
            // If the file can't be written, the next process starts Ruby again.
            let _ = write::private_file(path, &answer);
        }
        Some(ResourceType::from(declaration))
    }

    /// Returns all Ruby code that a type may depend on.
    fn code_of_type(&self, name: &str, record: &Record) -> Option<Vec<u8>> {
        let world = self.recording(record);
        let file = format!("lib/puppet/type/{name}.rb");
        let owner = self
            .all_modules(record)
            .iter()
            .find(|module| world.is_file(&module.path.join(&file).to_string_lossy()))?;
        let needed = owner.dependencies.iter().filter_map(|name| self.module(name, record));
        let mut code = format!("{name} {}\n", env!("CARGO_PKG_VERSION")).into_bytes();
        for Module { path, .. } in std::iter::once(owner).chain(needed) {
            gather(&path.join("lib"), MAX_DEPTH, &mut code, &world);
        }
        Some(code)
    }
}

/// Appends all Ruby code below a directory, file after file.
fn gather(directory: &Path, depth: usize, code: &mut Vec<u8>, world: &dyn World) {
    let names = world.list(&directory.to_string_lossy());
    for path in names.iter().map(|name| directory.join(name)) {
        if world.is_directory(&path.to_string_lossy()) {
            // Neither facts nor functions affect the declaration of a type.
            if depth > 1 && !path.ends_with("facter") && !path.ends_with("functions") {
                gather(&path, depth - 1, code, world);
            }
        } else if path.extension().is_some_and(|extension| extension == "rb") {
            let opened = world.read(&path.to_string_lossy(), MAX_FILE);
            let text = opened.map_or_else(|_| Vec::new(), |opened| opened.bytes.to_vec());
            code.extend(format!("\n{} {}\n", path.display(), text.len()).into_bytes());
            code.extend(text);
        }
    }
}

fn read(name: &str, path: &Path) -> Option<ResourceType> {
    type_facts(name, &Disk.read(&path.to_string_lossy(), MAX_FILE).ok()?.bytes)
        .map(ResourceType::from)
}
