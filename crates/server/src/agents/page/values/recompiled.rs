//! A node's catalog, compiled again for a reader: by the facts, trusted data and environment that the store has, and by
//! the code as it is now.

use kukla_base::cancel::Cancel;
use kukla_catalog::{Catalog, Version};
use kukla_pcore::Value;
use kukla_site::NodeFacts;
use kukla_store::time;
use serde_json::{Value as Json, json};

use super::super::data::{self, Row, moment, text};
use crate::agents::catalog::Wanted;
use crate::agents::exchange::{Client, RouteError};
use crate::agents::nodes::is_name;
use crate::agents::server::AgentServer;
use hyper::StatusCode;
use std::net::{IpAddr, Ipv4Addr};

/// A catalog, and that of which it was made.
pub(super) struct Recompiled {
    pub(super) name: String,
    pub(super) catalog: Catalog,
    /// When the facts came.
    pub(super) facts: Option<i64>,
    /// When the catalog came that the agent has.
    pub(super) former: Option<i64>,
    /// The version of the code, if a program or the store names one.
    pub(super) code: Option<String>,
    /// The version and environment of the catalog that the agent has.
    pub(super) former_code: Option<String>,
    pub(super) former_environment: Option<String>,
    pub(super) now: i64,
    pub(super) took: std::time::Duration,
}

impl Recompiled {
    /// Compiles the catalog of a node that the store knows.
    pub(super) fn of(
        server: &AgentServer,
        name: &str,
        cancel: &Cancel,
    ) -> Result<Self, RouteError> {
        let unknown = || {
            let words = format!("the store has no facts of `{name}`");
            RouteError::text(StatusCode::NOT_FOUND, words)
        };
        // Programs get the name as an argument.
        let stored = match is_name(name) {
            true => {
                one(server, "inventory", &["timestamp", "environment", "facts", "trusted"], name)?
            }
            false => None,
        };
        let stored = stored.ok_or_else(unknown)?;
        let former = one(server, "catalogs", &["version", "code_id", "environment"], name)?;
        let dates = one(server, "nodes", &["catalog_timestamp"], name)?;
        let environment = former.as_ref().and_then(|row| text(row, "environment"));
        let environment = environment.or(text(&stored, "environment")).unwrap_or("production");
        let failed = |error: kukla_site::SiteError| RouteError::Failed(error.to_string());
        let start = std::time::Instant::now();
        let facts = facts(&stored)?;
        let client = client(name, &stored);
        let node = server.bounded(cancel, || server.node(name, facts, &client)).map_err(failed)?;
        let mut member = server.member(node, environment).map_err(failed)?;
        let wanted = Wanted { is_plain: false, has_debug: false };
        let compiled = server.compile(&mut member, wanted, false, cancel)?;
        let catalog = compiled.catalog.map_err(|error| {
            RouteError::text(
                StatusCode::UNPROCESSABLE_ENTITY,
                format!("The catalog can't be compiled with the code of now: {error}"),
            )
        })?;
        let code = match &catalog.version {
            Version::Text(version) => Some(version.to_string()),
            Version::Seconds(_) => None,
        };
        let version = |row: &Row| text(row, "code_id").or(text(row, "version")).map(str::to_owned);
        Ok(Self {
            name: name.to_owned(),
            catalog,
            facts: moment(&stored, "timestamp"),
            former: dates.as_ref().and_then(|row| moment(row, "catalog_timestamp")),
            code,
            former_code: former.as_ref().and_then(version),
            former_environment: former
                .as_ref()
                .and_then(|row| text(row, "environment"))
                .map(str::to_owned),
            now: time::now(),
            took: start.elapsed(),
        })
    }

    /// Returns what the catalog was made of.
    pub(super) fn json(&self) -> Json {
        let written = |time: Option<i64>| time.map(time::written);
        json!({
            "certname": self.name, "environment": self.catalog.environment.as_str(),
            "code_version": self.code, "facts": written(self.facts),
            "catalog_of_agent": {
                "received": written(self.former), "version": self.former_code,
                "environment": self.former_environment,
            },
        })
    }
}

/// Returns whether a value is a secret.
pub(super) fn is_sensitive(value: &Value) -> bool {
    matches!(value, Value::Sensitive(_))
}

fn one(
    server: &AgentServer,
    entity: &str,
    fields: &[&str],
    name: &str,
) -> Result<Option<Row>, RouteError> {
    let query = json!(["extract", fields, ["=", "certname", name]]);
    Ok(data::rows(server, entity, &query)?.into_iter().next())
}

fn facts(stored: &Row) -> Result<std::sync::Arc<kukla_pcore::Hash>, RouteError> {
    let text = stored.get("facts").map(Json::to_string).unwrap_or_default();
    let facts = kukla_site::json(&text).map_err(|error| RouteError::Failed(error.to_string()))?;
    match facts {
        Value::Hash(facts) => Ok(NodeFacts::of(&facts).values),
        _ => Err(RouteError::Failed("the facts of the store are no hash".to_owned())),
    }
}

/// Returns the client that the trusted data of the store describes.
fn client(name: &str, stored: &Row) -> Client {
    let trusted = stored.get("trusted");
    let of = |key: &str| trusted.and_then(|trusted| trusted.get(key));
    let is_remote = of("authenticated").is_none_or(|how| how == "remote");
    let extensions = of("extensions").and_then(Json::as_object);
    let pair = |(name, value): (&String, &Json)| Some((name.clone(), value.as_str()?.to_owned()));
    Client {
        certname: is_remote
            .then(|| of("certname").and_then(Json::as_str).unwrap_or(name).to_owned()),
        extensions: extensions.into_iter().flatten().filter_map(pair).collect(),
        alt_names: Vec::new(),
        certificate: None,
        address: IpAddr::V4(Ipv4Addr::LOCALHOST),
    }
}
