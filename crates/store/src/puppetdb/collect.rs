//! Exported resources of PuppetDB, as compilations collect them.

use bytes::Bytes;
use ecow::EcoString;
use hyper::Method;
use kukla_catalog::exports::{ExportSearch, Exported, Exports, ExportsError, Filter, Stored};
use kukla_pcore::{Value, data};
use kukla_rubytext::json as text;
use serde_json::{Value as Json, json};

use super::PuppetDb;
use super::ask::{checked, encoded};

impl Exports for PuppetDb {
    /// Returns resources by the names of nodes, then by type and title: PuppetDB answers in no order.
    fn search(&self, search: &ExportSearch<'_>) -> Result<Vec<Stored>, ExportsError> {
        let query = encoded(&query(search).to_string());
        let target = format!("/pdb/query/v4/resources?query={query}");
        let asked = self.asked(Method::GET, target, Bytes::new());
        let place = |server: &str, error: ExportsError| {
            ExportsError::new(format!(
                "Could not retrieve resources from the PuppetDB at {server}: {error}"
            ))
        };
        let last = || self.conf.server_urls.last().map(ToString::to_string).unwrap_or_default();
        let (reply, server) = self.ask(&asked).map_err(|error| place(&last(), error.into()))?;
        let server = server.to_string();
        let rows = checked(&reply).map_err(|error| place(&server, error.into()))?;
        let mut stored = read(&rows).map_err(|error| place(&server, error))?;
        let key = |stored: &Stored| {
            let Stored { node, resource } = stored;
            (node.clone(), resource.title.clone())
        };
        stored.retain(|it| it.resource.type_ == search.type_ && it.node != search.node);
        stored.sort_by_cached_key(key);
        Ok(stored)
    }

    fn query(&self, query: &str) -> Result<String, ExportsError> {
        Ok(self.rows(query)?)
    }
}

/// Returns the query of a collector, as the terminus asks it.
fn query(search: &ExportSearch<'_>) -> Json {
    let mut parts = vec![
        json!("and"),
        json!(["=", "type", search.type_]),
        json!(["=", "exported", true]),
        json!(["not", ["=", "certname", search.node]]),
    ];
    parts.extend(search.filter.map(condition));
    Json::Array(parts)
}

fn condition(filter: &Filter) -> Json {
    match filter {
        Filter::And(both) => json!(["and", condition(&both.0), condition(&both.1)]),
        Filter::Or(both) => json!(["or", condition(&both.0), condition(&both.1)]),
        Filter::Not(other) => json!(["not", condition(other)]),
        Filter::Title(value) => json!(["=", "title", plain(value)]),
        Filter::Parameter(name, value) => json!(["=", ["parameter", &**name], plain(value)]),
        Filter::Tagged(tags) => {
            let tag = |tag: &EcoString| json!(["=", "tag", tag.to_lowercase().as_str()]);
            match tags.as_slice() {
                [only] => tag(only),
                many => {
                    Json::Array([json!("or")].into_iter().chain(many.iter().map(tag)).collect())
                }
            }
        }
    }
}

/// Returns a value as JSON.
fn plain(value: &Value) -> Json {
    let mut out = String::new();
    kukla_catalog::json::value(value, &mut out);
    serde_json::from_str(&out).unwrap_or_default()
}

/// Reads rows of resources.
fn read(rows: &str) -> Result<Vec<Stored>, ExportsError> {
    let wrong = |words: String| ExportsError::new(format!("the answer can't be read: {words}"));
    let rows = text::parse(rows).and_then(data::value).map_err(|error| wrong(error.message))?;
    let Value::Array(rows) = rows else { return Err(wrong("it is no list".to_owned())) };
    let row = |row: &Value| row_of(row).ok_or_else(|| wrong("a row is no resource".to_owned()));
    rows.iter().map(row).collect()
}

fn row_of(row: &Value) -> Option<Stored> {
    let Value::Hash(row) = row else { return None };
    let text = |name: &str| row.get_str(name).and_then(Value::as_str).map(EcoString::from);
    let tags = match row.get_str("tags") {
        Some(Value::Array(tags)) => tags.iter().filter_map(Value::as_str).map(Into::into).collect(),
        _ => Vec::new(),
    };
    let parameters = match row.get_str("parameters") {
        Some(Value::Hash(parameters)) => parameters
            .iter()
            .filter_map(|(name, value)| Some((name.as_str()?.into(), value.clone())))
            .collect(),
        _ => Vec::new(),
    };
    let resource = Exported { type_: text("type")?, title: text("title")?, tags, parameters };
    Some(Stored { node: text("certname")?, resource })
}
