//! Counts of events, by node, resource or class.

use serde_json::{Value, json};

use super::compiled::{Column, Compiled, Kind, Parameter, Shape};
use super::entities::{Entity, Field};
use super::error::{Checked, QueryError};
use super::limits::Limits;
use super::options::Options;
use super::sql::{self, Written};
use super::tree::{Operator, Select};
use super::{paging, read, show};
use crate::Dialect;

/// The columns that are counted, and the status of their events.
const COUNTED: [(&str, &str); 4] =
    [("failures", "failure"), ("skips", "skipped"), ("successes", "success"), ("noops", "noop")];
/// Columns of events, in this order.
const OF_EVENTS: [&str; 6] = [
    "certname",
    "status",
    "corrective_change",
    "resource_type",
    "resource_title",
    "containing_class",
];

/// Counts as SQL.
struct Counts {
    written: Written,
    groups: &'static [&'static str],
}

/// Writes counts as SQL.
pub(super) fn compile(options: &Options, dialect: Dialect, limits: &Limits) -> Checked<Compiled> {
    let counts = counts(options, &options.summarize_by, dialect, limits)?;
    let names: Vec<&str> = counted().chain(counts.groups.iter().copied()).collect();
    paging::check(&options.paging, &names)?;
    let object = if dialect == Dialect::Sqlite { "json_object" } else { "jsonb_build_object" };
    let subject = match counts.groups {
        [title] => format!("{object}('title', {title})"),
        _ => format!("{object}('type', resource_type, 'title', resource_title)"),
    };
    let kind = options.summarize_by.as_str();
    let Written { sql: inner, mut parameters, .. } = counts.written;
    parameters.push(Parameter::Text(kind.to_owned()));
    let place = parameters.len();
    let cast = if dialect == Dialect::PostgreSql { "::text" } else { "" };
    let columns = counted().collect::<Vec<_>>().join(", ");
    let unpaged = format!(
        "SELECT {columns}, ?{place}{cast} AS subject_type, {subject} AS subject FROM ({inner}) t"
    );
    let int = |name: &str| Column { name: name.to_owned(), kind: Kind::Int };
    let mut shown: Vec<Column> = counted().map(int).collect();
    shown.push(Column { name: "subject_type".to_owned(), kind: Kind::Text });
    shown.push(Column { name: "subject".to_owned(), kind: Kind::Json });
    Ok(Compiled {
        sql: paged(unpaged.clone(), options, counts.groups, dialect),
        parameters,
        columns: shown,
        total: options.is_total_wanted.then(|| format!("SELECT count(*) FROM ({unpaged}) counted")),
        shape: Shape::Rows,
        is_pretty: options.is_pretty,
    })
}

/// Writes sums of counts as SQL.
pub(super) fn compile_sums(
    options: &Options,
    dialect: Dialect,
    limits: &Limits,
) -> Checked<Compiled> {
    let mut parameters = Vec::new();
    let mut parts = Vec::new();
    for subject in options.summarize_by.split(',') {
        let counts = counts(options, subject, dialect, limits)?;
        let sums: Vec<String> = counted()
            .map(|name| {
                format!("coalesce(sum(CASE WHEN {name} > 0 THEN 1 ELSE 0 END), 0) AS {name}")
            })
            .collect();
        let sums = sums.join(", ");
        let inner = shifted(&counts.written.sql, parameters.len());
        parameters.extend(counts.written.parameters);
        // The name is one of three, as `counts` has checked.
        parts.push(format!(
            "SELECT '{subject}' AS summarize_by, {sums}, count(*) AS total FROM ({inner}) t"
        ));
    }
    let column = |name: &str, kind| Column { name: name.to_owned(), kind };
    let mut columns = vec![column("summarize_by", Kind::Text)];
    columns.extend(counted().map(|name| column(name, Kind::Int)));
    columns.push(column("total", Kind::Int));
    Ok(Compiled {
        sql: parts.join(" UNION ALL "),
        parameters,
        columns,
        total: None,
        shape: Shape::Rows,
        is_pretty: false,
    })
}

fn counted() -> impl Iterator<Item = &'static str> {
    COUNTED.iter().map(|(name, _)| *name)
}

/// Returns a statement whose placeholders follow those of others.
fn shifted(sql: &str, by: usize) -> String {
    let mut out = String::new();
    let mut rest = sql;
    while let Some(at) = rest.find('?') {
        let digits = rest[at + 1..].bytes().take_while(u8::is_ascii_digit).count();
        let number: usize = rest[at + 1..=at + digits].parse().unwrap_or_default();
        out.push_str(&rest[..at]);
        out.push('?');
        out.push_str(&(number + by).to_string());
        rest = &rest[at + 1 + digits..];
    }
    out + rest
}

fn counts(
    options: &Options,
    summarize_by: &str,
    dialect: Dialect,
    limits: &Limits,
) -> Checked<Counts> {
    let wrong = |name: &str, value: &str| {
        QueryError::wrong(format!("Unsupported value for '{name}': '{value}'"))
    };
    let groups: &[&str] = match summarize_by {
        "certname" => &["certname"],
        "resource" => &["resource_type", "resource_title"],
        "containing_class" => &["containing_class"],
        other => return Err(wrong("summarize_by", other)),
    };
    let query = match &options.query {
        None => json!(["extract", OF_EVENTS]),
        Some(query) => json!(["extract", OF_EVENTS, query]),
    };
    let mut select = read::select(Entity::Events, Some(&query))?;
    select.distinct = options.distinct;
    if is_kept(options, groups, &select) {
        let written = kept(select, dialect, limits);
        return Ok(Counts { written: restricted(options, written, dialect)?, groups });
    }
    let mut written = sql::write(&select, dialect, limits);
    let names: Vec<String> =
        OF_EVENTS.iter().enumerate().map(|(n, name)| format!("c{n} AS {name}")).collect();
    let events = format!("SELECT {} FROM ({}) e", names.join(", "), written.sql);
    let by = groups.join(", ");
    let events = match options.count_by.as_deref() {
        None | Some("resource") => events,
        Some("certname") => {
            let others = if summarize_by == "certname" { String::new() } else { format!(", {by}") };
            format!("SELECT DISTINCT certname, status, corrective_change{others} FROM ({events}) d")
        }
        Some(other) => return Err(wrong("count_by", other)),
    };
    let sums: Vec<String> = COUNTED
        .iter()
        .map(|(name, status)| {
            format!("sum(CASE WHEN status = '{status}' THEN 1 ELSE 0 END) AS {name}")
        })
        .collect();
    written.sql = format!("SELECT {by}, {} FROM ({events}) c GROUP BY {by}", sums.join(", "));
    Ok(Counts { written: restricted(options, written, dialect)?, groups })
}

/// Returns whether the counts that are kept with each report are an answer: all events of a report count, each once.
fn is_kept(options: &Options, groups: &[&str], select: &Select) -> bool {
    let is_of_report = |field: &Field| {
        ["r", "n", "env"].iter().any(|alias| field.is_of(alias)) || is_latest(field)
    };
    groups == ["certname"]
        && matches!(options.count_by.as_deref(), None | Some("resource"))
        && select.distinct.is_none()
        && select.condition.as_ref().is_none_or(|it| it.is_about(&is_of_report))
}

fn is_latest(field: &Field) -> bool {
    field.name == "latest_report?"
}

/// Writes counts of nodes as sums of those of their reports.
fn kept(mut select: Select, dialect: Dialect, limits: &Limits) -> Written {
    select.entity = Entity::EventCounts;
    select.columns.clear();
    let mut written = sql::write(&select, dialect, limits);
    let names = std::iter::once("certname").chain(counted());
    let names: Vec<String> = names.enumerate().map(|(n, name)| format!("c{n} AS {name}")).collect();
    let sums: Vec<String> =
        counted().map(|name| format!("CAST(sum({name}) AS BIGINT) AS {name}")).collect();
    written.sql = format!(
        "SELECT certname, {} FROM (SELECT {} FROM ({}) k) c GROUP BY certname",
        sums.join(", "),
        names.join(", "),
        written.sql
    );
    written
}

/// Adds the filter of a request.
fn restricted(options: &Options, mut written: Written, dialect: Dialect) -> Checked<Written> {
    if let Some(filter) = &options.counts_filter {
        let (condition, value) = filtered(filter)?;
        written.parameters.push(value);
        let place = written.parameters.len();
        written.sql = format!("SELECT * FROM ({}) f WHERE {condition} ?{place}", written.sql);
        if dialect == Dialect::PostgreSql {
            written.sql.push_str("::float8");
        }
    }
    Ok(written)
}

/// Reads `[">", "failures", 0]`.
fn filtered(filter: &Value) -> Checked<(String, Parameter)> {
    let parts = filter.as_array().map(Vec::as_slice).unwrap_or_default();
    let name = parts.first().map(show::plain).unwrap_or_default();
    let Some(operator) = Operator::named(&name) else {
        return Err(QueryError::wrong(format!(
            "{} is not well-formed: query operator '{name}' is unknown",
            show::value(filter)
        )));
    };
    let [_, field, value] = parts else {
        let n_parts = parts.len().saturating_sub(1);
        return Err(QueryError::wrong(format!(
            "{name} requires exactly two arguments, but {n_parts} were supplied"
        )));
    };
    let column = counted().find(|column| field == column);
    let column = column.ok_or_else(|| {
        QueryError::wrong(format!(
            "{} is not a queryable object for event counts",
            show::plain(field)
        ))
    })?;
    let number = value.as_f64().ok_or_else(|| {
        let value = show::plain(value);
        QueryError::wrong(format!(
            "Argument \"{value}\" is incompatible with numeric field \"{column}\"."
        ))
    })?;
    Ok((format!("{column} {}", operator.sql()), Parameter::Real(number)))
}

/// Adds order and limit. Names were checked to be those of columns.
fn paged(mut sql: String, options: &Options, groups: &[&str], dialect: Dialect) -> String {
    for (n, (name, is_descending)) in options.paging.order.iter().enumerate() {
        sql.push_str(if n == 0 { " ORDER BY " } else { ", " });
        sql.push_str(name);
        let is_text = groups.contains(&name.as_str());
        sql.push_str(if is_text && dialect == Dialect::PostgreSql { " COLLATE \"C\"" } else { "" });
        sql.push_str(if *is_descending { " DESC NULLS FIRST" } else { " NULLS LAST" });
    }
    let limit = options.paging.limit.or(options.paging.offset.map(|_| i64::MAX));
    if let Some(limit) = limit {
        sql.push_str(" LIMIT ");
        sql.push_str(&limit.to_string());
    }
    if let Some(offset) = options.paging.offset {
        sql.push_str(" OFFSET ");
        sql.push_str(&offset.to_string());
    }
    sql
}
