//! Version, time, status and metrics, by which tools see that the store is there.

use kukla_base::cancel::Cancel;
use kukla_store::time;
use serde_json::{Map, Value, json};

use super::{VERSION, records};
use crate::agents::exchange::{AgentRequest, Answer, RouteError};
use crate::agents::records::Records;
use crate::agents::remote::pass;
use crate::agents::server::AgentServer;

/// The domain of the metrics that puppetboard shows on its front page.
const POPULATION: &str = "puppetlabs.puppetdb.population";

/// Answers with the version of PuppetDB whose API this is.
pub(in crate::agents) fn version(
    server: &AgentServer,
    request: &AgentRequest,
    _: &Cancel,
) -> Result<Answer, RouteError> {
    if let Some(passed) = pass(server, request, &["pdb", "meta", "v1", "version"]) {
        return passed;
    }
    records(server)?;
    Ok(Answer::json(json!({ "version": VERSION }).to_string()))
}

/// Answers with the time of day.
pub(in crate::agents) fn server_time(
    server: &AgentServer,
    request: &AgentRequest,
    _: &Cancel,
) -> Result<Answer, RouteError> {
    if let Some(passed) = pass(server, request, &["pdb", "meta", "v1", "server-time"]) {
        return passed;
    }
    records(server)?;
    Ok(Answer::json(json!({ "server_time": time::written(time::now()) }).to_string()))
}

/// Answers whether the store takes commands and answers queries.
pub(in crate::agents) fn status(
    server: &AgentServer,
    request: &AgentRequest,
    _: &Cancel,
) -> Result<Answer, RouteError> {
    if let Some(passed) = pass(server, request, &["status", "v1", "services", "puppetdb-status"]) {
        return passed;
    }
    let records = records(server)?;
    let is_readable = records.store.population().is_ok();
    let body = json!({
        "service_version": VERSION,
        "service_status_version": 1,
        "detail_level": request.query.get("level").unwrap_or("info"),
        "state": if is_readable { "running" } else { "error" },
        "status": {
            "maintenance_mode?": false,
            "queue_depth": records.queue.waiting().records,
            "read_db_up?": is_readable,
            "write_db_up?": is_readable,
            "write_dbs_up?": is_readable,
            "rejecting_commands?": false,
        },
        "active_alerts": [],
        "service_name": "puppetdb-status",
    });
    Ok(Answer::json(body.to_string()))
}

/// Answers with a metric: a name as those of PuppetDB.
pub(in crate::agents) fn metric(
    server: &AgentServer,
    request: &AgentRequest,
    _: &Cancel,
) -> Result<Answer, RouteError> {
    if let Some(passed) = pass(server, request, &["metrics", "v2", "read"]) {
        return passed;
    }
    let name = request.path.join("/");
    let found = all(records(server)?)?.into_iter().find(|(known, _)| *known == name);
    let asked = json!({ "mbean": name, "type": "read" });
    let body = match found {
        Some((_, value)) => json!({
            "request": asked, "value": { "Value": value },
            "timestamp": time::now() / 1000, "status": 200,
        }),
        None => json!({
            "request": asked, "error": format!("there is no metric {name}"),
            "error_type": "javax.management.InstanceNotFoundException", "status": 404,
        }),
    };
    Ok(Answer::json(body.to_string()))
}

/// Answers with the names of all metrics.
pub(in crate::agents) fn metrics(
    server: &AgentServer,
    request: &AgentRequest,
    _: &Cancel,
) -> Result<Answer, RouteError> {
    if let Some(passed) = pass(server, request, &["metrics", "v2", "list"]) {
        return passed;
    }
    let mut domains: Map<String, Value> = Map::new();
    for (name, _) in all(records(server)?)? {
        let (domain, own) = name.split_once(':').unwrap_or((name.as_str(), ""));
        let domain = domains.entry(domain).or_insert_with(|| json!({}));
        domain[own] = json!({ "attr": { "Value": { "rw": false, "type": "java.lang.Object" } } });
    }
    let body = json!({
        "request": { "type": "list" }, "value": domains, "timestamp": time::now() / 1000,
        "status": 200,
    });
    Ok(Answer::json(body.to_string()))
}

/// Returns all metrics.
fn all(records: &Records) -> Result<Vec<(String, Value)>, RouteError> {
    let population = records.store.population();
    let (nodes, resources) = population.map_err(|error| RouteError::Failed(error.to_string()))?;
    let mean = if nodes == 0 { 0.0 } else { resources as f64 / nodes as f64 };
    let population = [
        ("num-nodes", json!(nodes)),
        ("num-active-nodes", json!(nodes)),
        ("num-resources", json!(resources)),
        ("avg-resources-per-node", json!(mean)),
    ];
    let named = |(name, value): (&str, Value)| (format!("{POPULATION}:name={name}"), value);
    let mut all: Vec<(String, Value)> = population.into_iter().map(named).collect();
    let depth = records.queue.waiting().records;
    all.push(("puppetlabs.puppetdb.mq:name=global.depth".to_owned(), json!({ "Count": depth })));
    Ok(all)
}
