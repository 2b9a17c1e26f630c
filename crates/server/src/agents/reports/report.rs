//! A report: read from an agent's JSON, and written as the YAML that Puppet's processors get.

use kukla_rubytext::json;
use kukla_rubytext::time::civil;
use kukla_rubytext::time::strptime::{ParsedTime, strptime};
use kukla_rubytext::tree::{Tree, View};
use kukla_rubytext::yaml::{self, DumpOptions};
use kukla_rubytext::{Data, RubyError};

use crate::agents::nodes::has_few_values;

/// The first line of a stored report, from which Puppet knows its class.
const TAG: &str = "--- !ruby/object:Puppet::Transaction::Report\n";

/// The largest number of values in a report: each takes far more memory than its text.
const MOST_VALUES: usize = 3_000_000;

/// Lists of so many tags are searched one by one.
const FEW_TAGS: usize = 16;

/// The states of a resource that was not left as it was.
const STATES: [&str; 4] = ["failed", "failed_to_restart", "out_of_sync", "skipped"];

/// A report with the members that Puppet keeps, in Puppet's order.
#[derive(Debug)]
pub(in crate::agents) struct Report {
    host: String,
    members: Vec<(&'static str, Data)>,
}

/// A document that is no report.
#[derive(Debug, thiserror::Error)]
pub(super) enum ReportError {
    /// It is no JSON. JRuby's parser does not name a line of its own code, as that of other Rubies does.
    #[error("{}", .0.message.trim_start_matches(|c: char| c.is_ascii_digit()).trim_start_matches(": "))]
    Json(#[from] RubyError),
    /// It has more values than fit into memory.
    #[error("there are more than {MOST_VALUES} values")]
    TooManyValues,
    /// It is no hash; Ruby's words.
    #[error("no implicit conversion of String into Integer")]
    NoHash,
    /// It is `null`; Ruby's words.
    #[error("undefined method `[]' for nil:NilClass")]
    Nothing,
    /// A member has another type than Puppet expects.
    #[error("`{0}` is missing or not {1}")]
    Member(&'static str, &'static str),
    /// A time can't be understood.
    #[error("no time information in {0:?}")]
    Time(String),
}

type Members = Vec<(&'static str, Data)>;

impl Report {
    /// Parses the JSON of an agent.
    pub(super) fn parse(text: &str) -> Result<Self, ReportError> {
        if !has_few_values(text, MOST_VALUES) {
            return Err(ReportError::TooManyValues);
        }
        let data = json::parse(text)?;
        match data {
            Data::Hash(_) => (),
            Data::Nil => return Err(ReportError::Nothing),
            _ => return Err(ReportError::NoHash),
        }
        let host = match data.get("host") {
            Some(Data::Str(host)) => host.clone(),
            _ => return Err(ReportError::Member("host", "a text")),
        };
        let of = |name| member(&data, name);
        let mut members = vec![
            ("host", of("host")),
            ("time", time(&data)?),
            ("configuration_version", of("configuration_version")),
            ("transaction_uuid", of("transaction_uuid")),
            ("report_format", of("report_format")),
            ("puppet_version", of("puppet_version")),
            ("status", of("status")),
            ("transaction_completed", of("transaction_completed")),
            ("noop", of("noop")),
            ("noop_pending", of("noop_pending")),
            ("environment", of("environment")),
            ("logs", Data::Array(each(&data, "logs", log)?)),
            ("metrics", by_name(&data, "metrics", |_, value| metric(value))?),
            ("resource_statuses", by_name(&data, "resource_statuses", |_, value| status(value))?),
            ("corrective_change", of("corrective_change")),
        ];
        let server = [of("server_used"), of("master_used")].into_iter().find(is_set);
        let rest = ["catalog_uuid", "code_id", "job_id", "cached_catalog_status"];
        let rest = rest.map(|name| (name, of(name))).into_iter().filter(|(_, value)| is_set(value));
        members.extend(server.map(|server| ("server_used", server)));
        members.extend(rest);
        Ok(Self { host, members })
    }

    pub(in crate::agents) fn host(&self) -> &str {
        &self.host
    }

    /// Returns a member; nil if it is missing.
    pub(in crate::agents) fn member(&self, name: &str) -> &Data {
        let found = self.members.iter().find(|(known, _)| *known == name);
        found.map_or(&Data::Nil, |(_, value)| value)
    }

    /// Returns the log entries.
    pub(in crate::agents) fn logs(&self) -> &[Data] {
        match self.member("logs") {
            Data::Array(logs) => logs,
            _ => &[],
        }
    }

    /// Writes the report as Puppet's `store` does.
    pub(super) fn yaml(&self, excludes_unchanged: bool) -> Result<String, RubyError> {
        let changed = excludes_unchanged.then(|| self.changed_statuses());
        let member = |(name, value)| match &changed {
            Some(changed) if name == "resource_statuses" => (Data::str(name), changed),
            _ => (Data::str(name), value),
        };
        let members = self.members.iter().map(|(name, value)| member((*name, value)));
        let text = yaml::write(&WrittenMembers(members.collect()), DumpOptions::default())?;
        Ok(format!("{TAG}{}", text.strip_prefix("---\n").unwrap_or(&text)))
    }

    /// Returns the resources that were not left as they were.
    fn changed_statuses(&self) -> Data {
        let statuses = self.members.iter().find(|(name, _)| *name == "resource_statuses");
        match statuses {
            Some((_, Data::Hash(statuses))) => {
                let changed = statuses.iter().filter(|(_, status)| is_changed(status));
                Data::Hash(changed.cloned().collect())
            }
            Some((_, other)) => other.clone(),
            None => Data::Nil,
        }
    }
}

/// Members as YAML writes them, without a copy of their values.
struct WrittenMembers<'a>(Vec<(Data, &'a Data)>);

impl Tree for WrittenMembers<'_> {
    fn view(&self) -> View<'_> {
        let entries = self.0.iter().map(|(name, value)| (name as &dyn Tree, *value as &dyn Tree));
        View::Hash(entries.collect())
    }
}

fn is_changed(status: &Data) -> bool {
    STATES.iter().any(|state| status.get(state).is_some_and(is_set))
}

fn log(data: &Data) -> Result<Data, ReportError> {
    let of = |name| member(data, name);
    if !matches!(of("level"), Data::Str(_)) {
        return Err(ReportError::Member("level", "a text"));
    }
    Ok(hash(vec![
        ("level", of("level")),
        ("message", of("message")),
        ("source", of("source")),
        ("tags", tags(data)?),
        ("time", time(data)?),
        ("file", of("file")),
        ("line", of("line")),
    ]))
}

fn metric(data: &Data) -> Result<Data, ReportError> {
    expect_hash(data, "metrics")?;
    let name = member(data, "name");
    let label = match (member(data, "label"), &name) {
        (Data::Nil, Data::Str(name)) => Data::str(label(name)),
        (label, _) => label,
    };
    Ok(hash(vec![("name", name), ("label", label), ("values", member(data, "values"))]))
}

/// Returns the label of a metric that has none: `out_of_sync` is `Out of sync`.
fn label(name: &str) -> String {
    let mut letters = name.chars();
    let first = letters.next().map(|first| first.to_uppercase().to_string()).unwrap_or_default();
    (first + &letters.as_str().to_lowercase()).replace('_', " ")
}

fn status(data: &Data) -> Result<Data, ReportError> {
    match data {
        Data::Hash(members) if members.is_empty() => return Ok(Data::Nil),
        _ => expect_hash(data, "resource_statuses")?,
    }
    let of = |name| member(data, name);
    Ok(hash(vec![
        ("title", of("title")),
        ("file", of("file")),
        ("line", of("line")),
        ("resource", of("resource")),
        ("resource_type", of("resource_type")),
        ("provider_used", of("provider_used")),
        ("containment_path", of("containment_path")),
        ("evaluation_time", of("evaluation_time")),
        ("tags", tags(data)?),
        ("time", time(data)?),
        ("failed", of("failed")),
        ("failed_to_restart", Data::Bool(is_set(&of("failed_to_restart")))),
        ("changed", of("changed")),
        ("out_of_sync", of("out_of_sync")),
        ("skipped", of("skipped")),
        ("change_count", of("change_count")),
        ("out_of_sync_count", of("out_of_sync_count")),
        ("events", Data::Array(each(data, "events", event)?)),
        ("corrective_change", of("corrective_change")),
    ]))
}

fn event(data: &Data) -> Result<Data, ReportError> {
    expect_hash(data, "events")?;
    let of = |name| member(data, name);
    let redacted = data.get("redacted").cloned().unwrap_or(Data::Bool(false));
    Ok(hash(vec![
        ("audited", of("audited")),
        ("property", of("property")),
        ("previous_value", of("previous_value")),
        ("desired_value", of("desired_value")),
        ("historical_value", of("historical_value")),
        ("message", of("message")),
        ("name", of("name")),
        ("status", of("status")),
        ("time", time(data)?),
        ("redacted", redacted),
        ("corrective_change", of("corrective_change")),
    ]))
}

/// Returns tags without repetitions.
fn tags(data: &Data) -> Result<Data, ReportError> {
    let tags = match data.get("tags") {
        None | Some(Data::Nil) => return Ok(Data::Array(Vec::new())),
        Some(Data::Array(tags)) => tags,
        Some(_) => return Err(ReportError::Member("tags", "an array")),
    };
    let text = |tag: &Data| match tag {
        Data::Str(text) => Some(text.clone()),
        _ => None,
    };
    if tags.len() > FEW_TAGS {
        let mut seen = std::collections::HashSet::new();
        let is_new = |tag: &&Data| text(tag).is_none_or(|text| seen.insert(text));
        return Ok(Data::Array(tags.iter().filter(is_new).cloned().collect()));
    }
    // A search through a few is faster than hashes of all.
    let mut found: Vec<Data> = Vec::with_capacity(tags.len());
    for tag in tags {
        if !matches!(tag, Data::Str(_)) || !found.contains(tag) {
            found.push(tag.clone());
        }
    }
    Ok(Data::Array(found))
}

/// Returns the member `time` as Ruby's `iso8601(9)` writes it.
fn time(data: &Data) -> Result<Data, ReportError> {
    let Some(Data::Str(text)) = data.get("time") else {
        return Err(ReportError::Member("time", "a text"));
    };
    iso8601(text).map(Data::Str).ok_or_else(|| ReportError::Time(text.clone()))
}

fn iso8601(text: &str) -> Option<String> {
    let formats = [
        "%Y-%m-%dT%H:%M:%S.%N%z",
        "%Y-%m-%dT%H:%M:%S%z",
        "%Y-%m-%d %H:%M:%S.%N %z",
        "%Y-%m-%d %H:%M:%S %z",
    ];
    let parsed =
        formats.iter().find_map(|format| strptime(text, format).filter(|it| !it.leftover))?;
    let ParsedTime { year, month, day, hour, minute, second, nanosecond, zone, .. } = parsed;
    let (year, month, day) = (year?, month?, day?);
    // The day of a month that has it.
    if civil::date(civil::days(year, month, day)) != (year, month, day) {
        return None;
    }
    let (nanosecond, zone) = (nanosecond.unwrap_or(0), offset(&zone?)?);
    Some(format!(
        "{year:04}-{month:02}-{day:02}T{:02}:{:02}:{:02}.{nanosecond:09}{zone}",
        hour?, minute?, second?
    ))
}

/// Returns an offset with a colon; `Z` stays.
fn offset(zone: &str) -> Option<String> {
    if zone == "Z" || zone == "UTC" {
        return Some("Z".to_owned());
    }
    let digits: String = zone.chars().filter(|c| *c != ':').collect();
    let is_offset = digits.len() == 5
        && digits.starts_with(['+', '-'])
        && digits[1..].bytes().all(|byte| byte.is_ascii_digit());
    is_offset.then(|| format!("{}:{}", &digits[..3], &digits[3..]))
}

fn member(data: &Data, name: &str) -> Data {
    data.get(name).cloned().unwrap_or(Data::Nil)
}

fn is_set(value: &Data) -> bool {
    !matches!(value, Data::Nil | Data::Bool(false))
}

fn expect_hash(data: &Data, name: &'static str) -> Result<(), ReportError> {
    match data {
        Data::Hash(_) => Ok(()),
        _ => Err(ReportError::Member(name, "a hash of hashes")),
    }
}

fn each(
    data: &Data,
    name: &'static str,
    convert: impl Fn(&Data) -> Result<Data, ReportError>,
) -> Result<Vec<Data>, ReportError> {
    match data.get(name) {
        Some(Data::Array(items)) => items.iter().map(convert).collect(),
        _ => Err(ReportError::Member(name, "an array")),
    }
}

fn by_name(
    data: &Data,
    name: &'static str,
    convert: impl Fn(&Data, &Data) -> Result<Data, ReportError>,
) -> Result<Data, ReportError> {
    let Some(Data::Hash(entries)) = data.get(name) else {
        return Err(ReportError::Member(name, "a hash"));
    };
    let converted = entries.iter().map(|(key, value)| Ok((key.clone(), convert(key, value)?)));
    Ok(Data::Hash(converted.collect::<Result<_, ReportError>>()?))
}

fn hash(members: Members) -> Data {
    Data::Hash(members.into_iter().map(|(name, value)| (Data::str(name), value)).collect())
}
