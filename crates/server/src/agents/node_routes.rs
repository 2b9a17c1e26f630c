//! The routes `node` and `facts`.

use kukla_base::cancel::Cancel;
use kukla_pcore::{Hash, Value};

use super::exchange::{AgentRequest, Answer, RouteError};
use super::negotiation::{Format, accepted, require_json};
use super::nodes::{SentFacts, existing_environment, name_of, node_error};
use super::server::AgentServer;

/// Answers what is known of a node.
pub(super) fn node(
    server: &AgentServer,
    request: &AgentRequest,
    cancel: &Cancel,
) -> Result<Answer, RouteError> {
    let environment = existing_environment(server, request)?;
    let format = accepted(&request.headers, Format::DATA)?;
    let name = name_of(request)?;
    let facts = server.bounded(cancel, || server.stored_facts(name))?;
    let own_facts = facts.is_empty();
    let node = server.bounded(cancel, || server.node(name, facts, &request.client));
    let mut node = node.map_err(|error| node_error(name, &error))?;
    node.environment = request.environment.clone().or(node.environment);
    let mut out = String::from("{\"name\":");
    kukla_catalog::json::value(&Value::from(name), &mut out);
    out.push_str(",\"environment\":");
    let chosen = node.environment.clone().filter(|name| !name.is_empty()).unwrap_or(environment);
    if let Err(error) = server.site.environment(&chosen) {
        return Err(node_error(name, &error));
    }
    kukla_catalog::json::value(&Value::from(chosen.as_str()), &mut out);
    if !node.classes.is_empty() {
        let entry = |(name, parameters): &(String, Hash)| {
            (Value::from(name.as_str()), Value::hash(parameters.clone()))
        };
        out.push_str(",\"classes\":");
        let classes: Hash = node.classes.iter().map(entry).collect();
        kukla_catalog::json::value(&Value::hash(classes), &mut out);
    }
    let mut parameters = (*node.parameters).clone();
    for (name, value) in node.facts.iter().filter(|_| !own_facts) {
        if name.as_str() != Some("clientcert") {
            parameters.insert(name.clone(), value.clone());
        }
    }
    if !parameters.is_empty() {
        out.push_str(",\"parameters\":");
        kukla_catalog::json::value(&Value::hash(parameters), &mut out);
    }
    out.push('}');
    Ok(Answer::new(hyper::StatusCode::OK, format.content_type(), out))
}

/// Stores facts.
pub(super) fn facts(
    server: &AgentServer,
    request: &AgentRequest,
    _: &Cancel,
) -> Result<Answer, RouteError> {
    let environment = existing_environment(server, request)?;
    require_json(&request.headers)?;
    let name = name_of(request)?;
    let invalid =
        |reason: String| RouteError::BadRequest(format!("The request body is invalid: {reason}"));
    let text = String::from_utf8(request.body.to_vec())
        .map_err(|_| invalid("Could not intern from json: it is not UTF-8".to_owned()))?;
    let sent = SentFacts::read(text).map_err(invalid)?;
    if sent.name.as_deref() != Some(name) {
        let own = sent.name.unwrap_or_default();
        let words = format!("Instance name \"{own}\" does not match requested key \"{name}\"");
        return Err(RouteError::Failed(words));
    }
    server.store_facts(name, &sent.text)?;
    let node = server.named(name, sent.facts.values, &request.client);
    server.record_facts(&node, &environment);
    Ok(Answer::json("0"))
}
