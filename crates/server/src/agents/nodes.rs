//! Nodes of requests: facts that are sent or stored, trusted data, classification and environment.

use std::path::PathBuf;
use std::sync::Arc;

use kukla_pcore::{Hash, Value};
use kukla_site::{Member, Node, NodeFacts, SiteError};

use super::exchange::{AgentRequest, Client, RouteError};
use super::server::AgentServer;

/// The largest number of values in facts: each takes far more memory than its text.
const MOST_VALUES: usize = 300_000;
/// The time after which an agent is to ask again while its environment is being deployed.
pub(super) const UNSETTLED_SECONDS: u64 = 5;
/// The longest name of a node.
const LONGEST_NAME: usize = 255;

/// Facts as a client sends them.
#[derive(Debug)]
pub(super) struct SentFacts {
    /// The facts.
    pub(super) facts: NodeFacts,
    /// Their text, which is stored.
    pub(super) text: String,
    /// The name in the text.
    pub(super) name: Option<String>,
}

impl SentFacts {
    /// Reads a document of facts; the error is what Puppet says of it.
    pub(super) fn read(text: String) -> Result<Self, String> {
        let intern = |reason: &str| format!("Could not intern from json: {reason}");
        if !has_few_values(&text, MOST_VALUES) {
            return Err(intern(&format!("there are more than {MOST_VALUES} values")));
        }
        let value = kukla_site::json(&text).map_err(|error| intern(&error.to_string()))?;
        let hash = match value {
            Value::Hash(hash) => hash,
            Value::Undef => return Err(intern("undefined method `[]' for nil:NilClass")),
            _ => return Err(intern("no implicit conversion of String into Integer")),
        };
        let Some(Value::Hash(values)) = hash.get_str("values") else {
            return Err(intern("undefined method `delete' for nil:NilClass"));
        };
        let name = hash.get_str("name").and_then(Value::as_str).map(str::to_owned);
        let facts = match &name {
            Some(_) => NodeFacts::of(&hash),
            None => NodeFacts { name: None, values: Arc::clone(values) },
        };
        Ok(Self { facts, text, name })
    }
}

/// Returns whether a text of JSON has at most so many values; commas in texts count as well.
pub(super) fn has_few_values(text: &str, most: usize) -> bool {
    let marks = || memchr::memchr3_iter(b',', b'[', b'{', text.as_bytes());
    text.len() <= most || marks().count() <= most
}

/// Returns the name of the node in the path, which becomes part of the names of files.
pub(super) fn name_of(request: &AgentRequest) -> Result<&str, RouteError> {
    match request.path.as_slice() {
        [name] if is_name(name) => Ok(name),
        _ => Err(RouteError::BadRequest("the path has no valid name of a node".to_owned())),
    }
}

/// Returns whether a text can be the name of a node: that of a file, and an argument of programs that is no option.
pub(super) fn is_name(name: &str) -> bool {
    let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || b"_-.:@ ".contains(&byte);
    let is_short = (1..=LONGEST_NAME).contains(&name.len());
    is_short && !name.starts_with(['.', '-', ' ']) && name.bytes().all(is_plain)
}

/// Returns whether a text can be the name of an environment.
pub(super) fn is_environment_name(name: &str) -> bool {
    !name.is_empty() && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
}

/// Puppet's words for a name that no environment can have.
pub(super) fn not_alphanumeric(name: &str) -> String {
    format!("The environment must be purely alphanumeric, not '{name}'")
}

/// Returns the name of the environment of a request that must exist.
pub(super) fn existing_environment(
    server: &AgentServer,
    request: &AgentRequest,
) -> Result<String, RouteError> {
    let Some(name) = request.query.get("environment") else {
        let words = "An environment parameter must be specified";
        return Err(RouteError::BadRequest(words.to_owned()));
    };
    if !is_environment_name(name) {
        return Err(RouteError::BadRequest(not_alphanumeric(name)));
    }
    match server.site.environment(name) {
        Ok(_) => Ok(name.to_owned()),
        Err(error) if is_missing(&error) => Err(RouteError::NoEnvironment(name.to_owned())),
        Err(error) if matches!(error.root(), SiteError::Unsettled(_)) => {
            Err(RouteError::Busy(UNSETTLED_SECONDS))
        }
        Err(error) => Err(RouteError::Failed(error.to_string())),
    }
}

fn is_missing(error: &SiteError) -> bool {
    matches!(error.root(), SiteError::NoEnvironment { .. })
}

impl AgentServer {
    /// Stores the facts of a node, as Puppet does.
    pub(super) fn store_facts(&self, node: &str, text: &str) -> Result<(), RouteError> {
        let written = kukla_world::write::private_file(&self.facts_file(node), text.as_bytes());
        let words = |error| format!("cannot store the facts of {node}: {error}");
        written.map_err(|error| RouteError::Failed(words(error)))
    }

    fn facts_file(&self, node: &str) -> PathBuf {
        self.site.vardir().join("server_data/facts").join(format!("{node}.json"))
    }

    /// Returns whether the facts of a node are in a file.
    pub(super) fn has_facts(&self, node: &str) -> bool {
        self.facts_file(node).is_file()
    }

    /// Returns the stored facts of a node, those of PuppetDB if that is the store; none if there are none.
    pub(super) fn stored_facts(&self, node: &str) -> Result<Arc<Hash>, RouteError> {
        if let Some(facts) = self.foreign_facts(node)? {
            return Ok(facts);
        }
        let text = std::fs::read_to_string(self.facts_file(node)).ok();
        let facts = text.and_then(|text| SentFacts::read(text).ok());
        Ok(facts.map_or_else(Arc::default, |sent| sent.facts.values))
    }

    /// Returns a node with its trusted data.
    pub(super) fn named(&self, name: &str, facts: Arc<Hash>, client: &Client) -> Node {
        let mut node = Node::new(name, facts);
        let pair = |(name, value): &(String, String)| {
            (Value::from(name.as_str()), Value::from(value.as_str()))
        };
        node.extensions = Arc::new(client.extensions.iter().map(pair).collect());
        node.trusted = match &client.certname {
            Some(certname) => Some(Arc::new(node.trusted_as(certname))),
            None => Some(Arc::new(unauthenticated(&node))),
        };
        node
    }

    /// Returns a node with its trusted data and its classification.
    pub(super) fn node(
        &self,
        name: &str,
        facts: Arc<Hash>,
        client: &Client,
    ) -> Result<Node, SiteError> {
        let mut node = self.named(name, facts, client);
        match self.site.asks_programs() {
            true => self.compilers.waiting(|| self.site.run_programs(&mut node))?,
            false => self.site.run_programs(&mut node)?,
        }
        node.trusted = match &client.certname {
            Some(certname) => Some(Arc::new(node.trusted_as(certname))),
            None => Some(Arc::new(unauthenticated(&node))),
        };
        Ok(node)
    }

    /// Puts a node into its environment: the classifier's, the requested one, or `production` if that does not exist.
    pub(super) fn member(&self, node: Node, requested: &str) -> Result<Member, SiteError> {
        let environment = match &node.environment {
            Some(name) if !name.is_empty() => self.site.environment(name)?,
            _ => match self.site.environment(requested) {
                Err(error) if is_missing(&error) => {
                    self.site.environment(&self.site.default_environment())?
                }
                other => other?,
            },
        };
        Ok(Member { node, environment })
    }
}

/// Returns `$trusted` of a client without a certificate.
fn unauthenticated(node: &Node) -> Hash {
    let entries = [
        ("authenticated", Value::Boolean(false)),
        ("certname", Value::Undef),
        ("extensions", Value::hash(Hash::new())),
        ("hostname", Value::Undef),
        ("domain", Value::Undef),
        ("external", node.external.clone()),
    ];
    entries.into_iter().map(|(name, value)| (Value::from(name), value)).collect()
}

/// Returns Puppet's words for a node that can't be had.
pub(super) fn words(node: &str, error: &SiteError) -> String {
    match error.root() {
        SiteError::NoEnvironment { name, environmentpath } => format!(
            "Failed when searching for node {node}: {}",
            no_environment(name, environmentpath)
        ),
        other => other.to_string(),
    }
}

/// Returns Puppet's words for an environment without a directory.
pub(super) fn no_environment(name: &str, path: &str) -> String {
    format!(
        "Could not find a directory environment named '{name}' anywhere in the path: {path}. \
         Does the directory exist?"
    )
}

/// Returns the error of the route `node`.
pub(super) fn node_error(node: &str, error: &SiteError) -> RouteError {
    match error.root() {
        SiteError::UnknownNode(_) => RouteError::NotFound(format!("Could not find node {node}")),
        SiteError::Classifier { error, .. } => RouteError::Failed(error.to_string()),
        SiteError::NoEnvironment { name, environmentpath } => {
            RouteError::Failed(no_environment(name, environmentpath))
        }
        other => RouteError::Failed(other.to_string()),
    }
}
