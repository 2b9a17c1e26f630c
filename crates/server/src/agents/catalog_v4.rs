//! The route `catalog` of version 4, by which tools get catalogs of any node.

use std::sync::Arc;
use std::time::SystemTime;

use hyper::StatusCode;
use kukla_base::cancel::Cancel;
use kukla_compiler::compile::Compiled;
use kukla_pcore::{Hash, Value};
use kukla_rubytext::time::civil::Civil;
use kukla_rubytext::time::strftime::{LocalTime, strftime};
use kukla_site::{NodeFacts, SiteError};

use super::catalog::Wanted;
use super::exchange::{AgentRequest, Answer, Client, RouteError};
use super::nodes::{is_environment_name, is_name, no_environment};
use super::records::Run;
use super::server::AgentServer;

const KEYS: &[&str] = &[
    "certname",
    "persistence",
    "environment",
    "facts",
    "trusted_facts",
    "transaction_uuid",
    "job_id",
    "options",
];

/// Levels that a client may ask for.
const ASKED_LEVELS: &[&str] = &["warning", "err", "info", "debug"];
/// Levels of log entries from the least to the most important, as `log_level` names them.
const LEVELS: &[&str] = &["debug", "info", "notice", "warning", "err", "alert", "emerg", "crit"];

/// A request that was read.
pub(super) struct Order {
    pub(super) certname: String,
    pub(super) environment: String,
    stores_facts: bool,
    stores_catalog: bool,
    transaction_uuid: Option<String>,
    job_id: Option<String>,
    pub(super) facts: Option<Arc<Hash>>,
    trusted: Option<Arc<Hash>>,
    prefers_requested: bool,
    captures_logs: bool,
    level: String,
}

impl Order {
    /// Returns the node as a client.
    pub(super) fn named(&self, request: &AgentRequest) -> Client {
        let certname = Some(self.certname.clone());
        Client { certname, ..super::identity::anonymous(request.client.address) }
    }
}

/// Compiles the catalog that the body describes.
pub(super) fn catalog(
    server: &AgentServer,
    request: &AgentRequest,
    cancel: &Cancel,
) -> Result<Answer, RouteError> {
    let order = read(&request.body)?;
    let failed = |words: String| {
        RouteError::text(
            StatusCode::INTERNAL_SERVER_ERROR,
            format!("Internal Server Error: {words}"),
        )
    };
    let site_error = |error: SiteError| match error.root() {
        SiteError::NoEnvironment { name, environmentpath } => {
            failed(no_environment(name, environmentpath))
        }
        other => failed(other.to_string()),
    };
    if let (true, Some(values)) = (order.stores_facts, &order.facts) {
        server.store_facts(&order.certname, &document(&order.certname, values))?;
    }
    let stored = || server.bounded(cancel, || server.stored_facts(&order.certname));
    let facts = order.facts.clone().map_or_else(stored, Ok).map_err(|error| match error {
        RouteError::Failed(words) => failed(words),
        other => other,
    })?;
    let own_trusted = match facts.get_str("trusted") {
        Some(Value::Hash(trusted)) => Some(Arc::clone(trusted)),
        _ => None,
    };
    let named = order.named(request);
    let node = server.bounded(cancel, || server.node(&order.certname, facts, &named));
    let mut node = node.map_err(site_error)?;
    // The client is a tool: what it says of the node's certificate counts, or else what its facts do.
    node.trusted = order.trusted.or(own_trusted).or_else(|| Some(Arc::default()));
    if order.prefers_requested || node.environment.is_none() {
        node.environment = Some(order.environment.clone());
    }
    let mut member = server.member(node, &order.environment).map_err(site_error)?;
    if order.stores_facts && order.facts.is_some() {
        server.record_facts(&member.node, &order.environment);
    }
    let has_debug = order.captures_logs && order.level == "debug";
    let wanted = Wanted { is_plain: !server.has_rich_v4, has_debug };
    let compiled = server.compile(&mut member, wanted, false, cancel)?;
    let logs = order.captures_logs.then(|| logs(&compiled, &order.level));
    let run = Run {
        transaction_uuid: order.transaction_uuid.as_deref(),
        job_id: order.job_id.as_deref(),
        code_id: None,
    };
    let run = order.stores_catalog.then_some(&run);
    let catalog = server.text(&member, compiled, run).map_err(|error| match error {
        RouteError::Failed(words) => failed(words),
        other => other,
    })?;
    let logs = logs.map_or_else(String::new, |logs| format!(",\"logs\":{logs}"));
    Ok(Answer::new(StatusCode::OK, "application/json", format!("{{\"catalog\":{catalog}{logs}}}")))
}

/// Reads the body of a request.
pub(super) fn read(body: &[u8]) -> Result<Order, RouteError> {
    let bad = |words: String| RouteError::text(StatusCode::BAD_REQUEST, words);
    let text = std::str::from_utf8(body)
        .map_err(|_| bad("Error parsing JSON: it is not UTF-8".to_owned()))?;
    let value = match text.trim() {
        "" => Value::Undef,
        text => {
            kukla_site::json(text).map_err(|error| bad(format!("Error parsing JSON: {error}")))?
        }
    };
    let invalid = |words: &str| bad(format!("Invalid input: {words}"));
    let Value::Hash(fields) = value else { return Err(invalid("it is no object")) };
    let mut keys = fields.iter().filter_map(|(key, _)| key.as_str());
    if let Some(key) = keys.find(|key| !KEYS.contains(key)) {
        return Err(invalid(&format!("{{\"{key}\" disallowed-key}}")));
    }
    let required = |key: &str| {
        let missing = || invalid(&format!("{{\"{key}\" missing-required-key}}"));
        fields.get_str(key).ok_or_else(missing)
    };
    let text = |key: &str| {
        let value = required(key)?;
        let wrong = || invalid(&format!("{{\"{key}\" {}}}", is_not("string?", value)));
        value.as_str().map(str::to_owned).ok_or_else(wrong)
    };
    let certname = text("certname")?;
    if !is_name(&certname) {
        return Err(invalid("{\"certname\" is no name of a node}"));
    }
    let flag = |hash: &Hash, key: &str| hash.get_str(key) == Some(&Value::Boolean(true));
    let persistence = match required("persistence")? {
        Value::Hash(persistence) => persistence,
        other => {
            return Err(invalid(&format!("{{\"persistence\" {}}}", is_not("map?", other))));
        }
    };
    let is_wrong = |value: &Value| !matches!(value, Value::Boolean(_));
    if let Some((key, value)) = persistence.iter().find(|(_, value)| is_wrong(value)) {
        let key = key.as_str().unwrap_or_default();
        let words = is_not("boolean?", value);
        return Err(invalid(&format!("{{\"persistence\" {{\"{key}\" {words}}}}}")));
    }
    let environment = text("environment")?;
    if !is_environment_name(&environment) {
        return Err(invalid("{\"environment\" is purely alphanumeric}"));
    }
    let options = match fields.get_str("options") {
        Some(Value::Hash(options)) => Arc::clone(options),
        None => Arc::default(),
        Some(other) => {
            return Err(invalid(&format!("{{\"options\" {}}}", is_not("map?", other))));
        }
    };
    if let Some(level) = options.get_str("log_level")
        && !level.as_str().is_some_and(|level| ASKED_LEVELS.contains(&level))
    {
        let known: Vec<String> = ASKED_LEVELS.iter().map(|level| format!("{level:?}")).collect();
        let words = is_not(&format!("#{{{}}}", known.join(" ")), level);
        return Err(invalid(&format!("{{\"options\" {{\"log_level\" {words}}}}}")));
    }
    let level = options.get_str("log_level").and_then(Value::as_str).unwrap_or("notice");
    Ok(Order {
        certname,
        environment,
        stores_facts: flag(persistence, "facts"),
        stores_catalog: flag(persistence, "catalog"),
        transaction_uuid: optional_text(&fields, "transaction_uuid"),
        job_id: optional_text(&fields, "job_id"),
        facts: values(&fields, "facts").map_err(|words| invalid(&words))?,
        trusted: values(&fields, "trusted_facts").map_err(|words| invalid(&words))?,
        prefers_requested: flag(&options, "prefer_requested_environment"),
        captures_logs: flag(&options, "capture_logs"),
        level: level.to_owned(),
    })
}

fn optional_text(fields: &Hash, key: &str) -> Option<String> {
    fields.get_str(key).and_then(Value::as_str).map(str::to_owned)
}

/// Returns the hash under `values` of a field.
fn values(fields: &Hash, key: &str) -> Result<Option<Arc<Hash>>, String> {
    match fields.get_str(key) {
        None => Ok(None),
        Some(Value::Hash(field)) => match field.get_str("values") {
            Some(Value::Hash(values)) => {
                let plain: Hash = values.iter().map(|(k, v)| (k.clone(), v.clone())).collect();
                Ok(Some(NodeFacts::of(&Arc::new(plain)).values))
            }
            _ => Err(format!("{{\"{key}\" {{\"values\" missing-required-key}}}}")),
        },
        Some(other) => Err(format!("{{\"{key}\" {}}}", is_not("map?", other))),
    }
}

/// Says in the words of Clojure's schemas that a value is of another kind.
fn is_not(kind: &str, value: &Value) -> String {
    let mut text = String::new();
    kukla_catalog::json::value(value, &mut text);
    format!("(not ({kind} {text}))")
}

/// Returns the document of facts that is stored.
fn document(name: &str, values: &Arc<Hash>) -> String {
    let mut out = String::from("{\"name\":");
    kukla_catalog::json::value(&Value::from(name), &mut out);
    out.push_str(",\"values\":");
    kukla_catalog::json::value(&Value::Hash(Arc::clone(values)), &mut out);
    out.push('}');
    out
}

/// Returns the log of a compilation as JSON.
fn logs(compiled: &Compiled, least: &str) -> serde_json::Value {
    let rank = |level: &str| LEVELS.iter().position(|known| *known == level).unwrap_or(0);
    let entries = compiled.log.iter().filter(|entry| rank(entry.level.as_str()) >= rank(least));
    let time = now();
    // As in Puppet, what code logs has a scope but no place.
    let entry = |entry: &kukla_compiler::log::Entry| {
        let is_own = entry.source.is_none();
        serde_json::json!({
            "level": entry.level.as_str(), "message": entry.message,
            "source": entry.source.as_deref().unwrap_or("Puppet"),
            "tags": [entry.level.as_str()], "time": time,
            "file": entry.file.as_deref().filter(|_| is_own),
            "line": entry.line.filter(|_| is_own),
        })
    };
    entries.map(entry).collect()
}

/// Returns the time as Puppet writes it in logs: `2026-11-18T14:37:08.071761000+00:00`.
fn now() -> String {
    let now = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
    let seconds = i64::try_from(now.as_secs()).unwrap_or_default();
    let civil = Civil::new(seconds, now.subsec_nanos());
    let time = LocalTime { civil, seconds, offset: 0, zone: None };
    strftime("%Y-%m-%dT%H:%M:%S.%N+00:00", &time).unwrap_or_default()
}
