//! Nodes: their facts, trusted data and classification.

use std::sync::Arc;

use kukla_base::EditionChange;
use kukla_compiler::compile::Request;
use kukla_pcore::{Hash, Value};

use crate::open::OpenEnvironment;

/// The server that compiles, as `$server_facts` names it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ServerIdentity {
    /// `servername`
    pub name: String,
    /// `serverip`
    pub address: String,
}

/// A node.
#[derive(Clone, Debug)]
pub struct Node {
    /// Its name, which is that of its certificate.
    pub name: String,
    /// The facts; `clientcert` is the node's name.
    pub facts: Arc<Hash>,
    /// Extensions of its certificate.
    pub extensions: Arc<Hash>,
    /// Trusted data that programs add.
    pub external: Value,
    /// Trusted data that replaces the one derived from the node's name.
    pub trusted: Option<Arc<Hash>>,
    /// The environment that a classifier names.
    pub environment: Option<String>,
    /// Variables that a classifier sets.
    pub parameters: Arc<Hash>,
    /// Whether a classifier was used; Puppet then warns about facts that it overrides.
    pub is_classified: bool,
    /// Classes that a classifier names, with their parameters.
    pub classes: Vec<(String, Hash)>,
}

impl Default for Node {
    fn default() -> Self {
        Self::new("", Arc::default())
    }
}

impl Node {
    /// Creates a node from its facts.
    pub fn new(name: &str, mut facts: Arc<Hash>) -> Self {
        let (key, certname) = (Value::from("clientcert"), Value::from(name));
        if facts.get(&key) != Some(&certname) {
            Arc::make_mut(&mut facts).insert(key, certname);
        }
        Self {
            name: name.to_owned(),
            facts,
            extensions: Arc::default(),
            external: Value::hash(Hash::new()),
            trusted: None,
            environment: None,
            parameters: Arc::default(),
            is_classified: false,
            classes: Vec::new(),
        }
    }

    /// Returns the request for its catalog.
    pub(crate) fn request(&self, environment: &OpenEnvironment) -> Request {
        let server_facts = server_facts(environment);
        let (parameters, warnings) = self.variables(&server_facts);
        // A server has asked before whether there is a version.
        let version = environment.version().unwrap_or_default();
        Request {
            node: self.name.clone(),
            environment: environment.name.clone(),
            facts: Arc::clone(&self.facts),
            trusted: self.trusted.clone().unwrap_or_else(|| Arc::new(self.certified())),
            server_facts: Arc::new(server_facts),
            parameters: Arc::new(parameters),
            classes: self.classes.clone(),
            settings: Arc::clone(&environment.settings),
            version,
            exports: None,
            is_plain: false,
            has_debug: false,
            is_profiled: false,
            cancel: kukla_base::cancel::Cancel::new(),
            is_recorded: false,
            is_repeatable: false,
            warnings,
        }
    }

    /// Returns the variables of the top scope, and Puppet's warnings about those that are set twice.
    fn variables(&self, server_facts: &Hash) -> (Hash, Vec<String>) {
        let mut variables = (*self.facts).clone();
        let mut warnings = Vec::new();
        for (name, value) in self.facts.iter().filter(|_| self.is_classified) {
            if let Some(classified) = self.parameters.get(name) {
                warnings.push(already_set(&self.name, name, classified, value));
            }
        }
        for (name, value) in server_facts.iter() {
            match variables.get(name) {
                None => drop(variables.insert(name.clone(), value.clone())),
                // Facts never set the environment.
                Some(_) if name.as_str() == Some("environment") => (),
                Some(fact) => warnings.push(already_set(&self.name, name, fact, value)),
            }
        }
        for (name, value) in self.parameters.iter() {
            variables.insert(name.clone(), value.clone());
        }
        (variables, warnings)
    }

    /// Returns `$trusted` of a certificate with the node's name.
    fn certified(&self) -> Hash {
        self.trusted_as(&self.name)
    }

    /// Returns `$trusted` of a certificate with another name.
    pub fn trusted_as(&self, certname: &str) -> Hash {
        let (hostname, domain) = match certname.split_once('.') {
            Some((hostname, domain)) => (hostname, Value::from(domain)),
            None => (certname, Value::Undef),
        };
        let entries = [
            ("authenticated", Value::from("remote")),
            ("certname", Value::from(certname)),
            ("extensions", Value::Hash(Arc::clone(&self.extensions))),
            ("hostname", Value::from(hostname)),
            ("domain", domain),
            ("external", self.external.clone()),
        ];
        entries.into_iter().map(|(name, value)| (Value::from(name), value)).collect()
    }
}

/// Returns `$server_facts`.
fn server_facts(environment: &OpenEnvironment) -> Hash {
    let OpenEnvironment { server, name, strictness, .. } = environment;
    let edition = strictness.editions.puppet;
    let implementation = edition.has(EditionChange::ServerImplementation).then_some("openvox");
    let entries = [
        ("serverimplementation", implementation),
        ("serverversion", Some(edition.version())),
        ("servername", Some(&*server.name)),
        ("serverip", Some(&*server.address)),
        ("environment", Some(name)),
    ];
    let entries = entries.into_iter().filter_map(|(name, value)| Some((name, value?)));
    entries.map(|(name, value)| (Value::from(name), Value::from(value))).collect()
}

/// Returns Puppet's warning about a variable that is set twice.
fn already_set(node: &str, name: &Value, first: &Value, second: &Value) -> String {
    let text = kukla_pcore::ruby::to_s;
    format!(
        "The node parameter '{}' for node '{node}' was already set to '{}'. \
         It could not be set to '{}'",
        text(name),
        text(first),
        text(second)
    )
}
