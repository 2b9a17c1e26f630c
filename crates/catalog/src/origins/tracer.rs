//! An index of a catalog for chains.

use kukla_pcore::types::capitalize_segments;
use rustc_hash::FxHashMap;

use super::chain::Chain;
use super::{Code, Definition, Leaf, OriginId};
use crate::Catalog;

/// A tracer of chains in one catalog.
#[derive(Debug)]
pub(super) struct Tracer<'c> {
    pub(super) catalog: &'c Catalog,
    /// Resources by type and title.
    pub(super) by_reference: FxHashMap<(&'c str, &'c str), usize>,
    /// The first resource of each type.
    pub(super) by_type: FxHashMap<&'c str, usize>,
    /// Data by the calls that looked it up.
    pub(super) lookups: FxHashMap<OriginId, Vec<OriginId>>,
}

impl<'c> Tracer<'c> {
    pub(super) fn new(catalog: &'c Catalog) -> Self {
        let (mut by_reference, mut by_type) = (FxHashMap::default(), FxHashMap::default());
        for (n, resource) in catalog.resources.iter().enumerate() {
            let type_ = resource.type_.as_str();
            by_reference.insert((type_, resource.title.as_str()), n);
            by_type.entry(type_).or_insert(n);
        }
        let mut lookups: FxHashMap<OriginId, Vec<OriginId>> = FxHashMap::default();
        for &(call, data) in &catalog.origins.lookups {
            let results = lookups.entry(call).or_default();
            if !results.contains(&data) {
                results.push(data);
            }
        }
        Self { catalog, by_reference, by_type, lookups }
    }

    /// Returns the ends of the chains that begin at a parameter.
    pub(super) fn leaves(&self, resource: usize, name: &str, origin: OriginId) -> Vec<Leaf> {
        Chain::leaves(self, resource, name, origin)
    }

    /// Returns a class by its name.
    pub(super) fn class(&self, name: &str) -> Option<usize> {
        let title = capitalize_segments(name.trim_start_matches("::"));
        self.by_reference.get(&("Class", title.as_str())).copied()
    }

    /// Returns the resource whose code declared a resource.
    pub(super) fn declared_in(&self, resource: usize) -> Option<usize> {
        self.catalog.origins.resources.get(resource)?.declared_in.map(|n| n as usize)
    }

    /// Returns the resource whose code contains an expression; `near` if it is an instance of that definition.
    pub(super) fn around(
        &self,
        code: &dyn Code,
        expression: u32,
        near: Option<usize>,
    ) -> Option<usize> {
        match code.definition(expression) {
            Some(Definition::Class(name)) => self.class(&name),
            Some(Definition::Define(name)) => {
                let type_ = capitalize_segments(&name);
                let is_instance = |n: &usize| self.catalog.resources[*n].type_.as_str() == type_;
                near.filter(is_instance).or_else(|| self.by_type.get(type_.as_str()).copied())
            }
            Some(Definition::Node) => self.by_type.get("Node").copied(),
            Some(Definition::Function) => near,
            None => self.by_reference.get(&("Class", "main")).copied(),
        }
    }
}
