//! Exported resources, which one node declares and other nodes collect.
//!
//! A compilation searches through the trait [`Exports`]; storage is left to its implementations. The rules of a search are
//! those of PuppetDB, since no other store is in use: a node never finds its own resources, strings are compared exactly, and
//! sensitive parameters are not stored, nor are those with a sensitive value anywhere within.

mod query;

use std::fmt::Debug;

use ecow::EcoString;
use kukla_base::cancel::walk;
use kukla_pcore::Value;
use kukla_pcore::value::Rare;

use crate::{Catalog, Resource};

/// A resource that a node exports.
#[derive(Clone, Debug, PartialEq)]
pub struct Exported {
    /// `File`
    pub type_: EcoString,
    /// `/tmp`
    pub title: EcoString,
    /// Its tags, in lower case.
    pub tags: Vec<EcoString>,
    /// Names and values, which are data.
    pub parameters: Vec<(EcoString, Value)>,
}

/// A resource that some node exported.
#[derive(Clone, Debug, PartialEq)]
pub struct Stored {
    /// The name of the node.
    pub node: EcoString,
    /// The exported resource.
    pub resource: Exported,
}

/// The search of a collector.
#[derive(Clone, Copy, Debug)]
pub struct ExportSearch<'a> {
    /// The type: `File`.
    pub type_: &'a str,
    /// The collecting node, whose own resources are not found.
    pub node: &'a str,
    /// The condition on resources.
    pub filter: Option<&'a Filter>,
}

/// The condition of a collector's `<<| … |>>`.
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

/// The error of a search in exported resources.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct ExportsError(String);

impl ExportsError {
    /// Returns the error of a store, in the store's words.
    pub fn new(message: impl Into<String>) -> Self {
        Self(message.into())
    }
}

/// A store of the exported resources of all nodes.
pub trait Exports: Debug + Send + Sync {
    /// Returns the matching resources, by the names of nodes and then in the order of their catalogs.
    fn search(&self, search: &ExportSearch<'_>) -> Result<Vec<Stored>, ExportsError>;

    /// Returns the rows that a query asks for, as JSON. The query is PQL, or an AST as JSON that begins with `from`.
    fn query(&self, _query: &str) -> Result<String, ExportsError> {
        Err(ExportsError::new("queries need a store; these exports have none"))
    }
}

impl Exported {
    /// Returns the exported resources of a catalog.
    pub fn all_of(catalog: &Catalog) -> Vec<Self> {
        catalog.exported.iter().map(|resource| Self::of(resource, &catalog.tag_names)).collect()
    }

    fn of(resource: &Resource, tag_names: &[EcoString]) -> Self {
        let is_open = |name, value| !resource.sensitive.contains(name) && !holds_secret(value);
        let open = resource.parameters.iter().filter(|(name, value)| is_open(name, value));
        let tags = resource.tags.iter().filter_map(|&tag| tag_names.get(tag as usize));
        Self {
            type_: resource.type_.as_str().into(),
            title: resource.title.clone(),
            tags: tags.cloned().collect(),
            parameters: open.map(|(name, value)| (name.as_str().into(), value.clone())).collect(),
        }
    }
}

/// Returns true if data have a sensitive value anywhere within: in an array, a hash, an argument of a Deferred.
fn holds_secret(data: &Value) -> bool {
    walk(true, || match data {
        Value::Sensitive(_) => true,
        Value::Array(values) => values.iter().any(holds_secret),
        Value::Hash(hash) => {
            let is_sensitive = hash.get_str("__ptype").and_then(Value::as_str) == Some("Sensitive");
            is_sensitive || hash.iter().any(|(key, value)| holds_secret(key) || holds_secret(value))
        }
        Value::Rare(rare) => match &**rare {
            Rare::Object(object) => object.values.iter().any(holds_secret),
            _ => false,
        },
        _ => false,
    })
}

impl ExportSearch<'_> {
    /// Returns true if a resource matches.
    pub fn accepts(&self, stored: &Stored) -> bool {
        let resource = &stored.resource;
        resource.type_ == self.type_
            && stored.node != self.node
            && self.filter.is_none_or(|filter| filter.accepts(resource))
    }
}

impl Filter {
    /// Returns true if a resource matches.
    pub fn accepts(&self, resource: &Exported) -> bool {
        match self {
            Self::And(both) => both.0.accepts(resource) && both.1.accepts(resource),
            Self::Or(both) => both.0.accepts(resource) || both.1.accepts(resource),
            Self::Not(other) => !other.accepts(resource),
            Self::Tagged(tags) => tags.iter().any(|tag| resource.tags.contains(tag)),
            Self::Title(title) => title.as_str() == Some(&resource.title),
            Self::Parameter(name, expected) => {
                let parameter = resource.parameters.iter().find(|(parameter, _)| parameter == name);
                match parameter {
                    Some((_, value)) => value == expected,
                    None => expected.is_undef(),
                }
            }
        }
    }

    /// Like [`accepts`](Self::accepts), but without parameters; `None` if they decide.
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
            Self::Not(other) => other.accepts_head(title, tags).map(|accepts| !accepts),
            Self::Tagged(expected) => Some(expected.iter().any(|tag| tags.contains(tag))),
            Self::Title(expected) => Some(expected.as_str() == Some(title)),
            Self::Parameter(..) => None,
        }
    }
}

/// A store of exported resources in memory.
#[derive(Clone, Debug, Default)]
pub struct InMemory(pub Vec<Stored>);

impl Exports for InMemory {
    fn search(&self, search: &ExportSearch<'_>) -> Result<Vec<Stored>, ExportsError> {
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

    fn port(number: i64) -> Filter {
        Filter::Parameter("port".into(), Value::Integer(number))
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
        let n_matches = |node: &str| {
            let search = ExportSearch { type_: "Monitoring::Check", node, filter: None };
            store.search(&search).map(|stored| stored.len())
        };
        assert_eq!(n_matches("web1"), Ok(0));
        assert_eq!(n_matches("monitor"), Ok(1));
    }
}
