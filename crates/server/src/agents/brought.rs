//! Data about a node that requests bring in their bodies, and rules of a site that ask for them.

use std::sync::Arc;

use hyper::Version;
use kukla_base::cancel::Cancel;
use kukla_pcore::{Hash, Value};

use super::exchange::{AgentRequest, Client, RouteError};
use super::nodes::{SentFacts, name_of, words};
use super::policy::Denial;
use super::server::AgentServer;
use super::site_rules::{Known, RequestHead, Wants};
use super::target::Target;
use super::{catalog, catalog_v4};

/// The data about a node that the requests of a route bring.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Brings {
    /// None: the request is not about a node.
    Nothing,
    /// The name of the node is in the path.
    Name,
    /// The name is in the path, and facts are the body.
    Facts,
    /// The name is in the path, and facts are in a form.
    Form,
    /// Name, environment and facts are in the body.
    Order,
}

impl Brings {
    /// Whether a request brings data that the rules want.
    pub(super) fn any_of(self, wants: Wants) -> bool {
        match self {
            Self::Nothing => false,
            Self::Name => wants.classes,
            Self::Facts => wants.classes || wants.facts,
            Self::Form => wants.classes || wants.facts || wants.code,
            Self::Order => wants != Wants::default(),
        }
    }
}

/// Data of a request.
struct Brought {
    name: String,
    /// The client for the classifier.
    client: Client,
    facts: Option<Arc<Hash>>,
    environment: Option<String>,
}

/// Asks the rules about a request with the data that it brings; returns the group that it is handed to.
pub(super) fn decide(
    server: &AgentServer,
    request: &AgentRequest,
    (target, version): (&Target, Version),
    brings: Brings,
    cancel: &Cancel,
) -> Result<Result<Option<String>, Denial>, RouteError> {
    let Some(rules) = &server.rules else { return Ok(Ok(None)) };
    let wants = rules.wants();
    let brought = read(request, brings, wants)?;
    let facts = brought.facts.as_ref().filter(|_| wants.facts).map(json);
    let (mut classes, mut code_id) = (None, None);
    let has_code = matches!(brings, Brings::Form | Brings::Order);
    if wants.classes || (wants.code && has_code) {
        let name = brought.name.as_str();
        let stored = || server.bounded(cancel, || server.stored_facts(name));
        let facts = brought.facts.clone().map_or_else(stored, Ok)?;
        let node = server.bounded(cancel, || server.node(name, facts, &brought.client));
        let node = node.map_err(|error| RouteError::Failed(words(name, &error)))?;
        if let (true, Some(environment)) = (wants.code && has_code, &brought.environment) {
            let environment = node.environment.as_ref().unwrap_or(environment);
            code_id = server.code_id(environment)?;
        }
        classes = Some(node.classes.into_iter().map(|(name, _)| name).collect::<Vec<String>>());
    }
    let order = brought.environment.as_deref().filter(|_| brings == Brings::Order);
    let order =
        order.map(|environment| kukla_plang::message::Order { node: &brought.name, environment });
    let known = Known {
        facts: facts.as_ref(),
        classes: classes.as_deref(),
        order,
        code_id: code_id.as_deref(),
    };
    let (method, headers, client) = (request.method.as_str(), &request.headers, &request.client);
    Ok(rules.decide(RequestHead { method, target, headers, version, client }, known))
}

fn read(request: &AgentRequest, brings: Brings, wants: Wants) -> Result<Brought, RouteError> {
    if brings == Brings::Order {
        let order = catalog_v4::read(&request.body)?;
        let client = order.named(request);
        let (name, environment) = (order.certname, Some(order.environment));
        return Ok(Brought { name, client, facts: order.facts, environment });
    }
    let name = name_of(request)?;
    let sent = match brings {
        Brings::Form => catalog::sent_facts(request, name)?,
        Brings::Facts if wants.facts || wants.classes => Some(body_facts(request)?),
        _ => None,
    };
    let environment = request.query.get("environment").map(str::to_owned);
    let facts = sent.map(|sent| sent.facts.values);
    Ok(Brought { name: name.to_owned(), client: request.client.clone(), facts, environment })
}

fn body_facts(request: &AgentRequest) -> Result<SentFacts, RouteError> {
    let bad =
        |words: String| RouteError::BadRequest(format!("The request body is invalid: {words}"));
    let text = String::from_utf8(request.body.to_vec()).map_err(|error| bad(error.to_string()))?;
    SentFacts::read(text).map_err(bad)
}

/// Returns facts as programs read them.
fn json(facts: &Arc<Hash>) -> serde_json::Value {
    let mut text = String::new();
    kukla_catalog::json::value(&Value::Hash(Arc::clone(facts)), &mut text);
    serde_json::from_str(&text).unwrap_or_default()
}

impl AgentServer {
    /// Returns the version of the code of an environment.
    fn code_id(&self, environment: &str) -> Result<Option<String>, RouteError> {
        let failed = |words: String| RouteError::Failed(words);
        let environment =
            self.site.environment(environment).map_err(|error| failed(error.to_string()))?;
        let directory = environment.snapshot.environment().directory.clone();
        let id = self.files.versioned_code.id(&environment.name, &directory);
        id.map_err(|error| failed(error.to_string()))
    }
}
