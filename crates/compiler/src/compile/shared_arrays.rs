//! Arrays of `before` and `notify` that several resources have in common.
//!
//! An array for all resources of a declaration, or for all of a type, is one array in Puppet, and an arrow adds to
//! that very array: so it adds to the others' too.

use kukla_base::Symbol;
use kukla_pcore::Value;
use rustc_hash::FxHashMap;

use super::resource::ResourceId;
use super::state::Compilation;

/// Which resources have an array in common.
#[derive(Debug, Default)]
pub(crate) struct SharedArrays {
    groups: Vec<Vec<ResourceId>>,
    of: FxHashMap<(ResourceId, Symbol), usize>,
}

impl SharedArrays {
    /// Those that there are before any arrow has added to them.
    pub(crate) fn find(compilation: &Compilation) -> Self {
        let names = [compilation.names.before, compilation.names.notify];
        let mut known: FxHashMap<(usize, Symbol), usize> = FxHashMap::default();
        let mut found = Self::default();
        for (id, resource) in compilation.resources() {
            for parameter in &resource.parameters {
                if let Value::Array(values) = &parameter.value
                    // All empty arrays are at one place.
                    && !values.is_empty()
                    && names.contains(&parameter.name)
                {
                    let key = (values.as_ptr().addr(), parameter.name);
                    let group = *known.entry(key).or_insert(found.groups.len());
                    match found.groups.get_mut(group) {
                        Some(group) => group.push(id),
                        None => found.groups.push(vec![id]),
                    }
                    found.of.insert((id, parameter.name), group);
                }
            }
        }
        found
    }

    /// The resources that have an array in common with this one, itself among them.
    pub(crate) fn with(&self, id: ResourceId, name: Symbol) -> &[ResourceId] {
        match self.of.get(&(id, name)) {
            Some(&group) => &self.groups[group],
            None => &[],
        }
    }
}

/// The value of a parameter; that of `before` or `notify` is an array of its own, as each evaluation makes it.
pub(super) fn own_array(name: &str, value: Value) -> Value {
    match &value {
        Value::Array(values) if matches!(name, "before" | "notify") => {
            Value::array(values.iter().cloned())
        }
        _ => value,
    }
}
