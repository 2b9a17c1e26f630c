//! Parameters of a request.

use serde_json::{Map, Value};

use super::error::{Checked, QueryError};
use super::tree::Paging;
use super::{json, paging, pql, show, times};

/// Parameters that all addresses take.
const GLOBAL: &[&str] = &[
    "optimize_drop_unused_joins",
    "include_facts_expiration",
    "include_package_inventory",
    "explain",
    "origin",
];
const PAGING: &[&str] = &["query", "limit", "offset", "order_by", "include_total"];
const DISTINCT: &[&str] = &["distinct_resources", "distinct_start_time", "distinct_end_time"];

/// The parameters that an address takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Accepted {
    /// Those of most entities.
    Typical,
    /// The root, which takes PQL.
    Root,
    /// Events.
    Events,
    /// Counts of events.
    Counts,
    /// Sums of counts of events.
    AggregateCounts,
    /// A member that has no query.
    Member,
}

/// The parameters of a request.
#[derive(Clone, Debug, Default)]
pub(super) struct Options {
    pub(super) query: Option<Value>,
    pub(super) paging: Paging,
    pub(super) is_total_wanted: bool,
    pub(super) is_pretty: bool,
    pub(super) is_only_parsed: bool,
    pub(super) has_packages: bool,
    pub(super) summarize_by: String,
    pub(super) count_by: Option<String>,
    pub(super) counts_filter: Option<Value>,
    /// Start and end of the time in which only the last event of each resource counts.
    pub(super) distinct: Option<(i64, i64)>,
}

impl Accepted {
    fn has(self, name: &str) -> bool {
        let is_global = GLOBAL.contains(&name);
        let is_paging = PAGING.contains(&name);
        let is_distinct = DISTINCT.contains(&name);
        let is_count = ["summarize_by", "counts_filter", "count_by"].contains(&name);
        is_global
            || match self {
                Self::Typical => is_paging || name == "pretty",
                Self::Root => is_paging || name == "pretty" || name == "ast_only",
                Self::Events => is_paging || name == "pretty" || is_distinct,
                Self::Counts => is_paging || name == "pretty" || is_distinct || is_count,
                Self::AggregateCounts => name == "query" || is_distinct || is_count,
                Self::Member => name == "pretty",
            }
    }

    fn required(self) -> Option<&'static str> {
        match self {
            Self::Root => Some("query"),
            Self::Counts | Self::AggregateCounts => Some("summarize_by"),
            Self::Typical | Self::Events | Self::Member => None,
        }
    }
}

/// Reads the parameters of an address. Values that are JSON are texts of it.
pub(super) fn of_address(accepted: Accepted, parameters: &[(String, String)]) -> Checked<Options> {
    let mut members = Map::new();
    for (name, text) in parameters {
        let value = match name.as_str() {
            "order_by" => serde_json::from_str(text).map_err(|_| {
                QueryError::wrong(format!(
                    "Illegal value '{text}' for :order_by; expected a JSON array of maps."
                ))
            })?,
            "counts_filter" => {
                serde_json::from_str(text).map_err(|error| json::unreadable(&error, text))?
            }
            _ => Value::from(text.as_str()),
        };
        members.insert(name.clone(), value);
    }
    read(accepted, members)
}

/// Reads the parameters of a body.
pub(super) fn of_body(accepted: Accepted, body: &str) -> Checked<Options> {
    let value: Value =
        serde_json::from_str(body).map_err(|error| json::unreadable(&error, body))?;
    match value {
        Value::Object(members) => read(accepted, members),
        other => Err(QueryError::wrong(format!(
            "the body must be a JSON object with `query`, not {}",
            show::value(&other)
        ))),
    }
}

fn read(accepted: Accepted, mut members: Map<String, Value>) -> Checked<Options> {
    if let Some(name) = accepted.required().filter(|name| !members.contains_key(*name)) {
        return Err(QueryError::wrong(format!("Missing required query parameter '{name}'")));
    }
    if let Some(name) = members.keys().find(|name| !accepted.has(name)) {
        return Err(QueryError::wrong(format!("Unsupported query parameter '{name}'")));
    }
    let mut take = |name: &str| members.remove(name).filter(|value| !value.is_null());
    let query = match take("query") {
        None => None,
        Some(Value::String(text)) if accepted == Accepted::Root => pql::either(&text)?,
        Some(Value::String(text)) => json::parse(&text)?,
        Some(other) => json::checked(other)?,
    };
    explain(take("explain").as_ref())?;
    let paging = Paging {
        order: take("order_by").map(|value| paging::order(&value)).transpose()?.unwrap_or_default(),
        limit: take("limit").map(|value| paging::limit(&value)).transpose()?,
        offset: take("offset").map(|value| paging::offset(&value)).transpose()?,
    };
    let mut is_set = |name: &str| {
        take(name).is_some_and(|value| show::plain(&value).eq_ignore_ascii_case("true"))
    };
    Ok(Options {
        query,
        paging,
        is_total_wanted: is_set("include_total"),
        is_pretty: is_set("pretty"),
        is_only_parsed: is_set("ast_only"),
        has_packages: is_set("include_package_inventory"),
        distinct: distinct(&members)?,
        summarize_by: text(&members, "summarize_by").unwrap_or_default(),
        count_by: text(&members, "count_by"),
        counts_filter: members.get("counts_filter").cloned().filter(|value| !value.is_null()),
    })
}

fn text(members: &Map<String, Value>, name: &str) -> Option<String> {
    members.get(name).map(show::plain)
}

fn explain(value: Option<&Value>) -> Checked<()> {
    match value.map(show::plain).as_deref() {
        None => Ok(()),
        Some("analyze") => {
            Err(QueryError::wrong("this store does not explain queries; leave out `explain`"))
        }
        Some(other) => Err(QueryError::wrong(format!(
            "Illegal value '{other}' for :explain; expected `analyze`."
        ))),
    }
}

/// Reads the time in which the last event of a resource counts.
fn distinct(members: &Map<String, Value>) -> Checked<Option<(i64, i64)>> {
    let has = |name: &str| members.contains_key(name);
    let n_given = DISTINCT.iter().filter(|name| has(name)).count();
    if n_given == 0 {
        return Ok(None);
    }
    if n_given < DISTINCT.len() {
        let are_times_given = has(DISTINCT[1]) && has(DISTINCT[2]);
        let verb = if are_times_given { "must accompany" } else { "requires accompanying" };
        return Err(QueryError::wrong(format!(
            "'distinct_resources' query parameter {verb} parameters 'distinct_start_time' and 'distinct_end_time'"
        )));
    }
    let time = |name: &str| members.get(name).and_then(times::read);
    let (Some(start), Some(end)) = (time(DISTINCT[1]), time(DISTINCT[2])) else {
        let shown = |name: &str| text(members, name).unwrap_or_default();
        return Err(QueryError::wrong(format!(
            "query parameters 'distinct_start_time' and 'distinct_end_time' must be valid datetime strings: {} {}",
            shown(DISTINCT[1]),
            shown(DISTINCT[2])
        )));
    };
    let is_wanted =
        text(members, DISTINCT[0]).is_some_and(|value| value.eq_ignore_ascii_case("true"));
    Ok(is_wanted.then_some((start, end)))
}
