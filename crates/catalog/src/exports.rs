//! Exported resources: what one node declares for others to collect.
//!
//! [`Exports`] is what a compilation asks; who keeps them is somebody else's business. The rules of a search are
//! those of PuppetDB, since no other store is in use: a node never finds its own, texts are equal only if they are
//! the same, and of sensitive parameters nothing is kept.

mod query;

use std::fmt::Debug;

use ecow::EcoString;
use kukla_pcore::Value;

use crate::{Catalog, Resource};

/// A resource that a node exports.
#[derive(Clone, Debug, PartialEq)]
pub struct Exported {
    /// `File`
    pub type_: EcoString,
    /// `/tmp`
    pub title: EcoString,
    /// Its tags, in small letters.
    pub tags: Vec<EcoString>,
    /// Names and values, which are data.
    pub parameters: Vec<(EcoString, Value)>,
}

/// A resource that some node exported.
#[derive(Clone, Debug, PartialEq)]
pub struct Stored {
    /// The name of the node.
    pub node: EcoString,
    /// What it exported.
    pub resource: Exported,
}

/// What a collector looks for.
#[derive(Clone, Copy, Debug)]
pub struct Search<'a> {
    /// The type: `File`.
    pub type_: &'a str,
    /// The node that collects; what it exported itself is not found.
    pub node: &'a str,
    /// What else is asked of a resource.
    pub filter: Option<&'a Filter>,
}

/// The question behind a collector's `<<| … |>>`.
#[derive(Clone, Debug, PartialEq)]
pub enum Filter {
    /// Both hold.
    And(Box<(Self, Self)>),
    /// One of them holds.
    Or(Box<(Self, Self)>),
    /// It does not hold.
    Not(Box<Self>),
    /// It has one of these tags.
    Tagged(Vec<EcoString>),
    /// It has this title.
    Title(Value),
    /// It has a parameter of this value.
    Parameter(EcoString, Value),
}

/// Why exported resources can't be searched.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct ExportsError(String);

impl ExportsError {
    /// Returns the error of a store, in the store's words.
    pub fn new(message: impl Into<String>) -> Self {
        Self(message.into())
    }
}

/// Where the exported resources of all nodes are found.
pub trait Exports: Debug + Send + Sync {
    /// Returns what is looked for, by the names of nodes and then in the order of their catalogs.
    fn search(&self, search: &Search<'_>) -> Result<Vec<Stored>, ExportsError>;
}

impl Exported {
    /// What is kept of a catalog.
    pub fn all_of(catalog: &Catalog) -> Vec<Self> {
        catalog.exported.iter().map(|resource| Self::of(resource, &catalog.tag_names)).collect()
    }

    fn of(resource: &Resource, tag_names: &[EcoString]) -> Self {
        let open =
            resource.parameters.iter().filter(|(name, _)| !resource.sensitive.contains(name));
        let tags = resource.tags.iter().filter_map(|&tag| tag_names.get(tag as usize));
        Self {
            type_: resource.type_.as_str().into(),
            title: resource.title.clone(),
            tags: tags.cloned().collect(),
            parameters: open.map(|(name, value)| (name.as_str().into(), value.clone())).collect(),
        }
    }
}

impl Search<'_> {
    /// Whether a resource is looked for.
    pub fn accepts(&self, stored: &Stored) -> bool {
        let resource = &stored.resource;
        resource.type_ == self.type_
            && stored.node != self.node
            && self.filter.is_none_or(|filter| filter.accepts(resource))
    }
}

impl Filter {
    /// Whether a resource is looked for.
    pub fn accepts(&self, resource: &Exported) -> bool {
        match self {
            Self::And(both) => both.0.accepts(resource) && both.1.accepts(resource),
            Self::Or(both) => both.0.accepts(resource) || both.1.accepts(resource),
            Self::Not(other) => !other.accepts(resource),
            Self::Tagged(tags) => tags.iter().any(|tag| resource.tags.contains(tag)),
            Self::Title(title) => title.as_str() == Some(&resource.title),
            Self::Parameter(name, wanted) => {
                let known = resource.parameters.iter().find(|(known, _)| known == name);
                match known {
                    Some((_, value)) => value == wanted,
                    None => wanted.is_undef(),
                }
            }
        }
    }

    /// The same for a resource whose parameters are not read yet; `None` if they decide.
    pub fn accepts_head(&self, title: &str, tags: &[EcoString]) -> Option<bool> {
        match self {
            Self::And(both) => {
                match (both.0.accepts_head(title, tags), both.1.accepts_head(title, tags)) {
                    (Some(false), _) | (_, Some(false)) => Some(false),
                    (Some(true), Some(true)) => Some(true),
                    _ => None,
                }
            }
            Self::Or(both) => {
                match (both.0.accepts_head(title, tags), both.1.accepts_head(title, tags)) {
                    (Some(true), _) | (_, Some(true)) => Some(true),
                    (Some(false), Some(false)) => Some(false),
                    _ => None,
                }
            }
            Self::Not(other) => other.accepts_head(title, tags).map(|is_so| !is_so),
            Self::Tagged(wanted) => Some(wanted.iter().any(|tag| tags.contains(tag))),
            Self::Title(wanted) => Some(wanted.as_str() == Some(title)),
            Self::Parameter(..) => None,
        }
    }
}

/// Exported resources in memory.
#[derive(Clone, Debug, Default)]
pub struct InMemory(pub Vec<Stored>);

impl Exports for InMemory {
    fn search(&self, search: &Search<'_>) -> Result<Vec<Stored>, ExportsError> {
        Ok(self.0.iter().filter(|stored| search.accepts(stored)).cloned().collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(port: i64) -> Exported {
        Exported {
            type_: "Monitoring::Check".into(),
            title: "http on web1".into(),
            tags: vec!["web".into(), "monitoring::check".into()],
            parameters: vec![("port".into(), Value::Integer(port))],
        }
    }

    fn port(wanted: i64) -> Filter {
        Filter::Parameter("port".into(), Value::Integer(wanted))
    }

    fn tagged(tag: &str) -> Filter {
        Filter::Tagged(vec![tag.into()])
    }

    #[test]
    fn a_head_decides_where_parameters_need_not() {
        let resource = check(80);
        let head = |filter: &Filter| filter.accepts_head(&resource.title, &resource.tags);
        let and = |a: Filter, b: Filter| Filter::And(Box::new((a, b)));
        let or = |a: Filter, b: Filter| Filter::Or(Box::new((a, b)));
        for (filter, expected, by_head) in [
            (tagged("web"), true, Some(true)),
            (and(tagged("db"), port(80)), false, Some(false)),
            (and(tagged("web"), port(80)), true, None),
            (and(tagged("web"), port(81)), false, None),
            (or(tagged("web"), port(81)), true, Some(true)),
            (Filter::Not(Box::new(port(80))), false, None),
            (Filter::Not(Box::new(tagged("db"))), true, Some(true)),
            (Filter::Title("http on web1".into()), true, Some(true)),
            (Filter::Title(Value::Integer(1)), false, Some(false)),
            (Filter::Parameter("host".into(), Value::Undef), true, None),
        ] {
            assert_eq!(filter.accepts(&resource), expected, "{filter:?}");
            assert_eq!(head(&filter), by_head, "{filter:?}");
        }
    }

    #[test]
    fn nobody_finds_what_it_exported_itself() {
        let store = InMemory(vec![Stored { node: "web1".into(), resource: check(80) }]);
        let found = |node: &str| {
            let search = Search { type_: "Monitoring::Check", node, filter: None };
            store.search(&search).map(|found| found.len())
        };
        assert_eq!(found("web1"), Ok(0));
        assert_eq!(found("monitor"), Ok(1));
    }
}
