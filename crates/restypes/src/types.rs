//! All types of an environment, by name.

use std::sync::{Arc, RwLock};

use rustc_hash::FxHashMap;

use kukla_catalog::types::{Builtins, ResourceType};

use kukla_world::{Reads, Record, Recording, World};

use crate::{LibDirectories, Sources, Unreadable, read};

/// The types of an environment. Each is read once, when it is first asked for.
pub struct ResourceTypes {
    directories: LibDirectories,
    builtins: Arc<Builtins>,
    cache: RwLock<Cache>,
}

/// Types that were looked for, each with the questions behind it.
type Cache = FxHashMap<Box<str>, (Lookup, Arc<Reads>)>;

/// What there is of a name.
#[derive(Clone, Debug)]
pub enum Lookup {
    /// A type.
    Known(Arc<ResourceType>),
    /// A type of a module that could not be read.
    Unreadable(Arc<Unreadable>),
    /// No type.
    Missing,
}

impl ResourceTypes {
    /// The types of modules in `lib` directories, and those that need no module.
    pub fn new(directories: LibDirectories, builtins: Arc<Builtins>) -> Self {
        Self { directories, builtins, cache: RwLock::default() }
    }

    /// The type of a name, which is in lower case. As in Puppet, a module's type is taken before
    /// Puppet's own of the same name, and the first on the module path before others.
    pub fn find(&self, name: &str, world: &dyn World, record: &Record) -> Lookup {
        if let Ok(cache) = self.cache.read()
            && let Some((lookup, reads)) = cache.get(name)
        {
            record.replay(reads);
            return lookup.clone();
        }
        let (lookup, reads) = record.gather(|record| {
            self.look(name, &self.directories.in_world(Recording::new(world, record)))
        });
        if let Ok(mut cache) = self.cache.write() {
            cache.entry(name.into()).or_insert_with(|| (lookup.clone(), reads));
        }
        lookup
    }

    fn look(&self, name: &str, sources: &dyn Sources) -> Lookup {
        if !is_name(name) {
            return Lookup::Missing;
        }
        if let Some(file) = sources.generated(name) {
            return found(crate::generated::read_generated(&file));
        }
        let builtin = self.builtins.find(name).map(|found| Lookup::Known(Arc::clone(found)));
        let Some(file) = sources.find(&format!("puppet/type/{name}.rb")) else {
            return builtin.unwrap_or(Lookup::Missing);
        };
        match (found(read(name, &file.path, &file.text, sources)), builtin) {
            // Better what another version of the module declared than nothing.
            (Lookup::Unreadable(_), Some(builtin)) => builtin,
            (lookup, _) => lookup,
        }
    }
}

fn found(outcome: Result<Arc<ResourceType>, Unreadable>) -> Lookup {
    match outcome {
        Ok(found) => Lookup::Known(found),
        Err(unreadable) => Lookup::Unreadable(Arc::new(unreadable)),
    }
}

/// A name of a type is never a path, nor one with `::`.
fn is_name(name: &str) -> bool {
    !name.is_empty() && name.chars().all(|c| c.is_alphanumeric() || c == '_' || c == '-')
}

impl std::fmt::Debug for ResourceTypes {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("ResourceTypes").finish_non_exhaustive()
    }
}
