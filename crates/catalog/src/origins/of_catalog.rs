//! The origins of a finished catalog's parameters, edges and tags.

use ecow::EcoString;
use kukla_base::Symbol;
use kukla_pcore::Value;

use super::{Origin, OriginEntry, OriginId};
use crate::{Catalog, Resource};

/// A metaparameter that orders resources.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Relation {
    /// `before`
    Before,
    /// `notify`
    Notify,
    /// `require`
    Require,
    /// `subscribe`
    Subscribe,
}

impl Relation {
    const ALL: [Self; 4] = [Self::Before, Self::Notify, Self::Require, Self::Subscribe];

    /// Returns the name of the metaparameter.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Before => "before",
            Self::Notify => "notify",
            Self::Require => "require",
            Self::Subscribe => "subscribe",
        }
    }

    fn of(name: Symbol) -> Option<Self> {
        Self::ALL.into_iter().find(|relation| relation.as_str() == name.as_str())
    }
}

/// An edge between resources that a metaparameter or an arrow sets.
#[derive(Clone, Copy, Debug)]
pub struct Relationship<'c> {
    /// The number of the resource that has the metaparameter.
    pub resource: usize,
    /// The metaparameter; arrows write `before` or `notify`.
    pub relation: Relation,
    /// The other resource, by its reference in the catalog.
    pub other: &'c str,
    /// Its origin.
    pub origin: OriginId,
}

impl Catalog {
    /// Resolves a number.
    pub fn origin(&self, id: OriginId) -> Origin<'_> {
        self.origins.table.origin(id)
    }

    /// Returns the origin of a parameter; both are indexes.
    pub fn parameter_origin(&self, resource: usize, parameter: usize) -> OriginId {
        let first = self.origins.resources.get(resource).map(|origins| origins.first_parameter);
        let place = first.and_then(|first| usize::try_from(first).ok()?.checked_add(parameter));
        let origin = place.and_then(|place| self.origins.parameters.get(place));
        origin.copied().unwrap_or(OriginId::COMPILER)
    }

    /// Returns the origin of a parameter by its name, also of one whose value is `undef`.
    pub fn named_origin(&self, resource: usize, name: &str) -> Option<OriginId> {
        let mut parameters = self.resources.get(resource)?.parameters.iter();
        if let Some(parameter) = parameters.position(|(other, _)| other.as_str() == name) {
            return Some(self.parameter_origin(resource, parameter));
        }
        let undefs = &self.origins.undefs;
        let number = u32::try_from(resource).ok()?;
        let first = undefs.partition_point(|(other, ..)| *other < number);
        let mut own = undefs[first..].iter().take_while(|(other, ..)| *other == number);
        own.find(|(_, other, _)| other.as_str() == name).map(|(.., origin)| *origin)
    }

    /// Returns all edges that metaparameters and arrows set, by resource.
    pub fn relationships(&self) -> Vec<Relationship<'_>> {
        let mut all = Vec::new();
        for (n, resource) in self.resources.iter().enumerate() {
            for (parameter, (name, value)) in resource.parameters.iter().enumerate() {
                let Some(relation) = Relation::of(*name) else { continue };
                let origin = self.parameter_origin(n, parameter);
                let others = match value {
                    Value::Array(values) => &values[..],
                    only => std::slice::from_ref(only),
                };
                for (at, other) in others.iter().enumerate() {
                    let Value::String(other) = other else { continue };
                    let origin = self.element_origin(origin, at, others.len());
                    all.push(Relationship { resource: n, relation, other, origin });
                }
            }
        }
        all
    }

    /// Returns the origin of an element of an array of length `len`.
    fn element_origin(&self, array: OriginId, at: usize, len: usize) -> OriginId {
        let Some(OriginEntry::Parts(parts)) = self.origins.table.entry(array) else { return array };
        let n_rest: usize = parts.rest.iter().map(|(_, n)| *n as usize).sum();
        let mut end = len.saturating_sub(n_rest);
        if at < end {
            return parts.first;
        }
        for (origin, n) in &parts.rest {
            end += *n as usize;
            if at < end {
                return *origin;
            }
        }
        array
    }

    /// Returns for each resource, by index, the indexes of the resources that it inherits tags from.
    pub(super) fn tag_sources(&self) -> Vec<Vec<u32>> {
        let declared_in = |n: usize| self.origins.resources.get(n)?.declared_in;
        let mut sources: Vec<Vec<u32>> =
            (0..self.resources.len()).map(|n| declared_in(n).into_iter().collect()).collect();
        for &(container, content) in &self.edges {
            if let Some(list) = sources.get_mut(content as usize) {
                list.push(container);
            }
        }
        sources
    }

    /// Returns the origin of a tag of a resource; `sources` are the resources that it inherits tags from.
    pub(super) fn tag_origin(&self, resource: usize, tag: u32, sources: &[u32]) -> Origin<'_> {
        let text = self.tag_names.get(tag as usize).map_or("", EcoString::as_str);
        let tagged = &self.resources[resource];
        let by_call = self.origins.tags.iter().find(|(of, other, _)| {
            let name = self.tag_names.get(*other as usize);
            *of as usize == resource && name.is_some_and(|name| is_in(text, name))
        });
        if let Some((.., call)) = by_call {
            return self.origin(*call);
        }
        let parameter = tagged.parameters.iter().position(|(name, _)| name.as_str() == "tag");
        if let Some(at) = parameter.filter(|&at| names(&tagged.parameters[at].1, text)) {
            return self.origin(self.parameter_origin(resource, at));
        }
        if is_in(text, tagged.type_.as_str()) {
            return Origin::Type;
        }
        if is_in(text, &tagged.title) {
            return Origin::Title;
        }
        let has_tag = |&&source: &&u32| {
            let source: Option<&Resource> = self.resources.get(source as usize);
            source.is_some_and(|source| source.tags.contains(&tag))
        };
        sources.iter().find(has_tag).map_or(Origin::Compiler, |&source| Origin::Inherited(source))
    }
}

/// Returns true if a tag is a name in lower case, or a segment of it.
fn is_in(tag: &str, name: &str) -> bool {
    let name = name.to_lowercase();
    name == tag || name.split("::").any(|segment| segment == tag)
}

/// Returns true if the value of a parameter `tag` contains a tag.
fn names(value: &Value, tag: &str) -> bool {
    match value {
        Value::Array(values) => values.iter().any(|value| names(value, tag)),
        Value::String(name) => is_in(tag, name),
        Value::Undef => false,
        other => is_in(tag, &kukla_pcore::interpolate::text(other)),
    }
}
