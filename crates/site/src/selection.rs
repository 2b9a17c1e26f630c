//! Selection of nodes, and the sources of their facts, extensions and classification.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use crate::SiteError;
use crate::classifier;
use crate::data_file;
use crate::facts::{self, LOCALHOST, NodeFacts};
use crate::node::Node;
use crate::site::Site;
use crate::trusted;
use kukla_base::cancel::Cancel;
use kukla_pcore::{Hash, Value};
use kukla_world::{Bounds, Watchdog, clock, files};

/// The source of facts.
#[derive(Clone, Debug, Default)]
pub enum FactsSource {
    /// No facts.
    #[default]
    Nowhere,
    /// A JSON or YAML file, or a directory of them, one per node.
    At(PathBuf),
    /// All nodes whose facts Puppet stored below `vardir`.
    Stored,
    /// The named node's, if Puppet stored them below `vardir`.
    StoredIfAny,
}

/// Chooses nodes.
#[derive(Clone, Debug, Default)]
pub struct NodeSelection {
    /// The name of the only node.
    pub name: Option<String>,
    /// The source of facts.
    pub facts: FactsSource,
    /// A file with the extensions of certificates.
    pub trusted: Option<PathBuf>,
    /// A file with a classification.
    pub classification: Option<PathBuf>,
    /// Whether to run the programs of the settings `external_nodes` (without a file) and `trusted_external_command`.
    pub runs_programs: bool,
    /// The time that the programs of one node may take; the default is minutes.
    pub timeout: Option<Duration>,
}

impl Site {
    /// Returns the nodes of a selection, at least one.
    pub fn nodes(&self, selection: &NodeSelection) -> Result<Vec<Node>, SiteError> {
        let facts = self.facts(selection)?;
        let node = |facts| within(selection.timeout, || self.node(facts, selection));
        facts.into_iter().map(node).collect()
    }

    fn facts(&self, selection: &NodeSelection) -> Result<Vec<NodeFacts>, SiteError> {
        let name = selection.name.as_deref();
        let stored = || self.vardir().join("yaml/facts");
        let path = match &selection.facts {
            FactsSource::Nowhere => None,
            FactsSource::At(path) => Some(path.clone()),
            FactsSource::Stored => Some(stored()),
            FactsSource::StoredIfAny => {
                let file = name.map(|name| stored().join(format!("{name}.yaml")));
                file.filter(|file| files::is_file(file))
            }
        };
        let facts = match &path {
            Some(path) => NodeFacts::read_all(path, self.anchor())?,
            None => vec![NodeFacts { name: None, values: Arc::default() }],
        };
        match facts::named(facts, name)? {
            none if none.is_empty() => Err(SiteError::NoFacts(path.unwrap_or_default())),
            facts => Ok(facts),
        }
    }

    fn node(&self, facts: NodeFacts, selection: &NodeSelection) -> Result<Node, SiteError> {
        let (settings, anchor) = (self.settings(), self.anchor());
        let mut node = Node::new(facts.name.as_deref().unwrap_or(LOCALHOST), facts.values);
        if let Some(path) = &selection.trusted {
            node.extensions = extensions(path, self)?;
        }
        match &selection.classification {
            None if selection.runs_programs => self.run_programs(&mut node)?,
            None => (),
            Some(path) => {
                if selection.runs_programs {
                    node.external = trusted::external(&node.name, settings, anchor)?;
                }
                classifier::by_file(&mut node, path, anchor)?;
            }
        }
        Ok(node)
    }

    /// Runs the programs that the settings `trusted_external_command` and `external_nodes` name.
    pub fn run_programs(&self, node: &mut Node) -> Result<(), SiteError> {
        node.external = trusted::external(&node.name, self.settings(), self.anchor())?;
        classifier::by_program(node, self.settings())
    }
}

/// Runs a closure with a deadline.
fn within<T>(timeout: Option<Duration>, work: impl FnOnce() -> T) -> T {
    let deadline = timeout.and_then(clock::deadline);
    let cancel = Cancel::new();
    let _watchdog = Watchdog::watch(Bounds { deadline, memory: None }, &cancel);
    cancel.enter(work)
}

/// Returns the extensions of a node's certificate: the whole file, or its key `extensions`.
fn extensions(path: &Path, site: &Site) -> Result<Arc<Hash>, SiteError> {
    let hash = data_file::read(path, site.anchor())?;
    Ok(match hash.get_str("extensions") {
        Some(Value::Hash(extensions)) => Arc::clone(extensions),
        _ => hash,
    })
}
