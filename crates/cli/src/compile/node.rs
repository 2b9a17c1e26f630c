//! The node that a catalog is for: its facts, what is known for sure of it, and how it was classified.

use std::sync::Arc;
use std::time::{SystemTime, UNIX_EPOCH};

use anyhow::bail;
use kukla_compiler::compile::Request;
use kukla_pcore::{Hash, Value};

/// A node.
#[derive(Clone, Debug, Default)]
pub(crate) struct Node {
    pub(crate) name: String,
    pub(crate) environment: String,
    pub(crate) facts: Hash,
    /// Extensions of its certificate.
    pub(crate) extensions: Hash,
    /// What programs know for sure of it.
    pub(crate) external: Value,
    /// Variables that a classifier sets.
    pub(crate) parameters: Hash,
    /// Whether a classifier was asked, so that facts come after what it says.
    pub(crate) is_classified: bool,
    pub(crate) classes: Vec<(String, Hash)>,
}

/// The version of Puppet that manifests see.
pub(crate) const PUPPET_VERSION: &str = "7.23.0";

impl Node {
    /// What is compiled for it.
    pub(crate) fn request(mut self) -> Request {
        let text = |text: &str| Value::from(text);
        self.facts.insert(text("clientcert"), text(&self.name));
        let server_facts: Hash = [
            ("serverversion", PUPPET_VERSION),
            ("servername", "puppet.example.com"),
            ("serverip", "192.0.2.1"),
            ("environment", &self.environment),
        ]
        .into_iter()
        .map(|(name, value)| (text(name), text(value)))
        .collect();
        let mut parameters = self.facts.clone();
        let mut warnings = Vec::new();
        for (name, value) in self.facts.iter().filter(|_| self.is_classified) {
            if let Some(known) = self.parameters.get(name) {
                warnings.push(already_set(&self.name, name, known, value));
            }
        }
        for (name, value) in server_facts.iter() {
            match parameters.get(name) {
                None => drop(parameters.insert(name.clone(), value.clone())),
                // Facts never say what the environment is.
                Some(_) if name.as_str() == Some("environment") => (),
                Some(known) => warnings.push(already_set(&self.name, name, known, value)),
            }
        }
        for (name, value) in self.parameters.iter() {
            parameters.insert(name.clone(), value.clone());
        }
        let (hostname, domain) = match self.name.split_once('.') {
            Some((hostname, domain)) => (hostname, Value::from(domain)),
            None => (self.name.as_str(), Value::Undef),
        };
        let trusted = [
            ("authenticated", text("remote")),
            ("certname", text(&self.name)),
            ("extensions", Value::hash(self.extensions)),
            ("hostname", text(hostname)),
            ("domain", domain),
            ("external", self.external),
        ];
        let now = SystemTime::now().duration_since(UNIX_EPOCH);
        Request {
            trusted: Arc::new(
                trusted.into_iter().map(|(name, value)| (text(name), value)).collect(),
            ),
            server_facts: Arc::new(server_facts),
            facts: Arc::new(self.facts),
            parameters: Arc::new(parameters),
            classes: self.classes,
            settings: Arc::default(),
            version: now.ok().and_then(|now| i64::try_from(now.as_secs()).ok()).unwrap_or(0),
            exports: None,
            is_plain: false,
            is_profiled: false,
            is_recorded: false,
            cancel: kukla_base::cancel::Cancel::new(),
            warnings,
            node: self.name,
            environment: self.environment,
        }
    }
}

/// What Puppet says when a node is told something twice.
fn already_set(node: &str, name: &Value, known: &Value, value: &Value) -> String {
    let text = kukla_pcore::ruby::to_s;
    format!(
        "The node parameter '{}' for node '{node}' was already set to '{}'. \
         It could not be set to '{}'",
        text(name),
        text(known),
        text(value)
    )
}

/// Classes as a classifier names them: a list, or a hash with parameters.
pub(crate) fn classes(value: &Value) -> anyhow::Result<Vec<(String, Hash)>> {
    let name = |value: &Value| value.as_str().map(str::to_owned);
    match value {
        Value::Undef => Ok(Vec::new()),
        Value::Array(names) => {
            Ok(names.iter().filter_map(|value| Some((name(value)?, Hash::new()))).collect())
        }
        Value::Hash(classes) => Ok(classes
            .iter()
            .filter_map(|(key, value)| {
                let parameters = match value {
                    Value::Hash(parameters) => (**parameters).clone(),
                    _ => Hash::new(),
                };
                Some((name(key)?, parameters))
            })
            .collect()),
        _ => bail!("classes are neither a list nor a hash"),
    }
}
