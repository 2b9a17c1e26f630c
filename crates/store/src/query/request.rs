//! Requests: an address with its parameters.

use serde_json::{Value, json};

use super::compiled::{Column, Compiled, Kind, Parameter, Shape};
use super::entities::Entity;
use super::error::{Checked, QueryError};
use super::limits::Limits;
use super::options::{self, Options};
use super::routes::{self, Route, Target};
use super::{check, counts, paging, read, sql};
use crate::Dialect;

/// A question to the store.
#[derive(Clone, Debug)]
pub struct Request {
    route: Route,
    options: Options,
}

impl Request {
    /// Reads a GET: the decoded segments behind `/pdb/query/v4/`, and the decoded parameters.
    pub fn get(
        segments: &[&str],
        parameters: &[(String, String)],
        limits: &Limits,
    ) -> Checked<Self> {
        let route = routes::find(segments).ok_or(QueryError::NoAddress)?;
        check_bytes(parameters.iter().map(|(_, value)| value.len()).sum(), limits)?;
        let options = options::of_address(route.accepted, parameters)?;
        Self { route, options }.checked(limits)
    }

    /// Reads a POST: the decoded segments behind `/pdb/query/v4/`, and the body, which is JSON.
    pub fn post(segments: &[&str], body: &str, limits: &Limits) -> Checked<Self> {
        let route = routes::find(segments).ok_or(QueryError::NoAddress)?;
        check_bytes(body.len(), limits)?;
        let options = options::of_body(route.accepted, body)?;
        Self { route, options }.checked(limits)
    }

    /// Reads a query at the root: PQL, or an AST that begins with `from`.
    pub fn root(query: &str, limits: &Limits) -> Checked<Self> {
        Self::get(&[""], &[("query".to_owned(), query.to_owned())], limits)
    }

    fn checked(self, limits: &Limits) -> Checked<Self> {
        for query in [&self.options.query, &self.options.counts_filter].into_iter().flatten() {
            check::size(query, limits)?;
        }
        Ok(self)
    }

    /// Returns the query as JSON, if it is to be parsed only.
    pub(super) fn only_parsed(&self) -> Option<&Value> {
        self.options.query.as_ref().filter(|_| self.options.is_only_parsed)
    }

    /// Returns a query that has a row if the parent of the address is stored, and the error otherwise.
    pub fn parent(&self) -> Option<(Compiled, QueryError)> {
        let (kind, name) = self.route.parent.as_ref()?;
        let from = match *kind {
            "node" => "nodes WHERE certname",
            "factset" => "factsets JOIN nodes ON nodes.id = factsets.node_id WHERE certname",
            "catalog" => "catalogs JOIN nodes ON nodes.id = catalogs.node_id WHERE certname",
            "report" => "reports WHERE hash",
            "environment" => "environments WHERE name",
            _ => "producers WHERE name",
        };
        let compiled = Compiled {
            sql: format!("SELECT 1 FROM {from} = ?1"),
            parameters: vec![Parameter::Text(name.clone())],
            columns: vec![Column { name: "one".to_owned(), kind: Kind::Int }],
            total: None,
            shape: Shape::Rows,
            is_pretty: false,
        };
        Some((compiled, QueryError::Unknown(kind, name.clone())))
    }

    /// Writes the query as SQL.
    pub fn compile(&self, dialect: Dialect, limits: &Limits) -> Checked<Compiled> {
        let Options { is_total_wanted, is_pretty, .. } = self.options;
        let query = self.options.query.as_ref();
        let (entity, query) = match self.route.target {
            Target::Counts => return counts::compile(&self.options, dialect, limits),
            Target::AggregateCounts => return counts::compile_sums(&self.options, dialect, limits),
            Target::Entity(entity) => (entity, query.map(|query| (query, &[][..]))),
            Target::Root => {
                let (entity, query) = from(query)?;
                (entity, query)
            }
        };
        let entity = match entity {
            Entity::Factsets if self.options.has_packages => Entity::PackagedFactsets,
            other => other,
        };
        let (query, clauses) =
            query.map_or((None, &[][..]), |(query, clauses)| (Some(query), clauses));
        let query = query.filter(|query| !query.is_null());
        let restricted = self.restricted(entity, query);
        let mut select = read::select(entity, restricted.as_ref())?;
        select.paging = self.options.paging.clone();
        let own = paging::of_clauses(clauses)?;
        select.paging.limit = own.limit.or(select.paging.limit);
        select.paging.offset = own.offset.or(select.paging.offset);
        if !own.order.is_empty() {
            select.paging.order = own.order;
        }
        if self.route.shape == Shape::Values && select.paging.order.is_empty() {
            select.paging.order = vec![("name".to_owned(), false)];
        }
        paging::check(&select.paging, &entity.table().orderable())?;
        read::check_order(&select)?;
        select.distinct = self.options.distinct.filter(|_| entity == Entity::Events);
        let written = sql::write(&select, dialect, limits);
        let total = format!("SELECT count(*) FROM ({}) counted", written.unpaged);
        Ok(Compiled {
            sql: written.sql,
            parameters: written.parameters,
            columns: written.columns,
            total: is_total_wanted.then_some(total),
            shape: self.route.shape.clone(),
            is_pretty,
        })
    }

    /// Adds the conditions of the address to a query.
    fn restricted(&self, entity: Entity, query: Option<&Value>) -> Option<Value> {
        let mut query = query.cloned();
        for restriction in &self.route.restrictions {
            query = Some(with(restriction, query));
        }
        let is_root = self.route.target == Target::Root;
        let is_active_only = self.route.is_active_only || is_root && entity.table().has_nodes;
        if is_active_only && !query.as_ref().is_some_and(names_state) {
            query = Some(with(&json!(["=", "node_state", "active"]), query));
        }
        query
    }
}

fn check_bytes(n_bytes: usize, limits: &Limits) -> Checked<()> {
    match n_bytes > limits.bytes {
        false => Ok(()),
        true => {
            Err(QueryError::TooLarge(format!("the query has more than {} bytes", limits.bytes)))
        }
    }
}

/// A query with its paging clauses.
type Clauses<'a> = Option<(&'a Value, &'a [Value])>;

/// Splits the query of the root.
fn from(query: Option<&Value>) -> Checked<(Entity, Clauses<'_>)> {
    let parts = query.and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default();
    let [Value::String(operator), Value::String(name), clauses @ ..] = parts else {
        return Err(initial());
    };
    if operator != "from" {
        return Err(initial());
    }
    let (query, clauses) = paging::split(clauses)?;
    let entity = Entity::named(name).ok_or_else(|| {
        QueryError::wrong(format!("Invalid entity '{}' in query", name.replace('-', "_")))
    })?;
    Ok((entity, Some((query.unwrap_or(&Value::Null), clauses))))
}

fn initial() -> QueryError {
    QueryError::wrong(
        "Your initial query must be of the form: [\"from\",<entity>,(<optional-query>)]. Check your query and try again.",
    )
}

/// Adds a condition to a query, below `extract` if it has that.
fn with(condition: &Value, query: Option<Value>) -> Value {
    let Some(query) = query else { return condition.clone() };
    let parts = query.as_array().map(Vec::as_slice).unwrap_or_default();
    let is_group = |clause: &Value| clause.get(0).is_some_and(|name| name == "group_by");
    match parts {
        [extract, columns] | [extract, columns, Value::Null] if extract == "extract" => {
            json!([extract, columns, condition])
        }
        [extract, columns, group] if extract == "extract" && is_group(group) => {
            json!([extract, columns, condition, group])
        }
        [extract, columns, inner] if extract == "extract" => {
            json!([extract, columns, ["and", inner, condition]])
        }
        [extract, columns, inner, clauses] if extract == "extract" => {
            json!([extract, columns, ["and", inner, condition], clauses])
        }
        _ => json!(["and", query, condition]),
    }
}

/// Returns whether a query says which state of nodes it means.
fn names_state(query: &Value) -> bool {
    let Value::Array(parts) = query else { return false };
    let is_state = |field: &Value| field == "node_state" || field == &json!(["node", "active"]);
    let is_own =
        matches!(parts.as_slice(), [operator, field, _] if operator == "=" && is_state(field));
    is_own || parts.iter().any(names_state)
}
