//! The resource types of an environment, by name.

use std::sync::{Arc, RwLock};

use rustc_hash::FxHashMap;

use kukla_catalog::types::{Builtins, ResourceType};

use kukla_world::{Reads, Record, Recording, World};

use crate::{LibDirectories, TypeSources, Unreadable, read};

/// The resource types of an environment. Each is read once, at its first lookup.
pub struct ResourceTypes {
    directories: LibDirectories,
    builtins: Arc<Builtins>,
    cache: RwLock<Cache>,
}

/// Results of lookups, each with the reads that it depends on.
type Cache = FxHashMap<Box<str>, (TypeLookup, Arc<Reads>)>;

/// The result of looking up a type by its name.
#[derive(Clone, Debug)]
pub enum TypeLookup {
    /// A type.
    Known(Arc<ResourceType>),
    /// A type of a module that can't be read without Ruby.
    Unreadable(Arc<Unreadable>),
    /// No type.
    Missing,
}

impl ResourceTypes {
    /// Returns the types in `lib` directories of modules, and those that need no module.
    pub fn new(directories: LibDirectories, builtins: Arc<Builtins>) -> Self {
        Self { directories, builtins, cache: RwLock::default() }
    }

    /// Looks up a type by its name in lower case. As in Puppet, a module's type takes precedence over Puppet's own, and the first
    /// on the module path over later ones.
    pub fn find(&self, name: &str, world: &dyn World, record: &Record) -> TypeLookup {
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

    fn look(&self, name: &str, sources: &dyn TypeSources) -> TypeLookup {
        if !is_name(name) {
            return TypeLookup::Missing;
        }
        if let Some(file) = sources.generated(name) {
            return lookup_result(crate::generated::read_generated(&file));
        }
        let builtin =
            self.builtins.find(name).map(|builtin| TypeLookup::Known(Arc::clone(builtin)));
        let Some(file) = sources.find(&format!("puppet/type/{name}.rb")) else {
            return builtin.unwrap_or(TypeLookup::Missing);
        };
        match (lookup_result(read(name, &file.path, &file.text, sources)), builtin) {
            // The table has the type as another version of the module declares it, which is better than none.
            (TypeLookup::Unreadable(_), Some(builtin)) => builtin,
            (lookup, _) => lookup,
        }
    }
}

fn lookup_result(outcome: Result<Arc<ResourceType>, Unreadable>) -> TypeLookup {
    match outcome {
        Ok(resource_type) => TypeLookup::Known(resource_type),
        Err(unreadable) => TypeLookup::Unreadable(Arc::new(unreadable)),
    }
}

/// Returns true if a type may have this name: not a path, nor one with `::`.
fn is_name(name: &str) -> bool {
    !name.is_empty() && name.chars().all(|c| c.is_alphanumeric() || c == '_' || c == '-')
}

impl std::fmt::Debug for ResourceTypes {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("ResourceTypes").finish_non_exhaustive()
    }
}
