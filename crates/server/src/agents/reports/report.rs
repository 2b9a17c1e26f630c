//! A report: read from an agent's JSON, and written as the YAML that Puppet's processors get.

use kukla_rubytext::json;
use kukla_rubytext::time::civil;
use kukla_rubytext::time::strptime::{ParsedTime, strptime};
use kukla_rubytext::tree::{Tree, View};
use kukla_rubytext::yaml::{self, DumpOptions};
use kukla_rubytext::{Data, RubyError};

use crate::agents::nodes::has_few_values;

/// The tag of a stored report, from which Puppet knows its class.
const TAG: &str = "!ruby/object:Puppet::Transaction::Report";

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
    /// The number of bytes of the agent's text.
    n_bytes: usize,
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

impl Report {
    /// Parses the JSON of an agent.
    pub(super) fn parse(text: &str) -> Result<Self, ReportError> {
        if !has_few_values(text, MOST_VALUES) {
            return Err(ReportError::TooManyValues);
        }
        let mut data = match json::parse(text)? {
            Data::Hash(entries) => Entries::of(entries),
            Data::Nil => return Err(ReportError::Nothing),
            _ => return Err(ReportError::NoHash),
        };
        let Data::Str(host) = data.take("host") else {
            return Err(ReportError::Member("host", "a text"));
        };
        let mut members = vec![
            ("host", Data::str(host.as_str())),
            ("time", data.time()?),
            ("configuration_version", data.take("configuration_version")),
            ("transaction_uuid", data.take("transaction_uuid")),
            ("report_format", data.take("report_format")),
            ("puppet_version", data.take("puppet_version")),
            ("status", data.take("status")),
            ("transaction_completed", data.take("transaction_completed")),
            ("noop", data.take("noop")),
            ("noop_pending", data.take("noop_pending")),
            ("environment", data.take("environment")),
            ("logs", Data::Array(data.each("logs", log)?)),
            ("metrics", data.by_name("metrics", metric)?),
            ("resource_statuses", data.by_name("resource_statuses", status)?),
            ("corrective_change", data.take("corrective_change")),
        ];
        let server = ["server_used", "master_used"].map(|name| data.take(name));
        let server = server.into_iter().find(is_set);
        members.extend(server.map(|server| ("server_used", server)));
        for name in ["catalog_uuid", "code_id", "job_id", "cached_catalog_status"] {
            let value = data.take(name);
            if is_set(&value) {
                members.push((name, value));
            }
        }
        Ok(Self { host, members, n_bytes: text.len() })
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
        let members = WrittenMembers(members.collect());
        yaml::write_tagged(&members, Some(TAG), DumpOptions::default(), self.n_bytes)
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
    fn has_identities(&self) -> bool {
        false
    }

    fn view(&self) -> View<'_> {
        let entries = self.0.iter().map(|(name, value)| (name as &dyn Tree, *value as &dyn Tree));
        View::Hash(entries.collect())
    }
}

fn is_changed(status: &Data) -> bool {
    STATES.iter().any(|state| status.get(state).is_some_and(is_set))
}

/// Entries of a hash, which are taken out one after the other.
struct Entries {
    entries: Vec<(Data, Data)>,
    /// Where the next one is likely to be: agents write all hashes of a kind in one order.
    next: usize,
}

impl Entries {
    fn of(entries: Vec<(Data, Data)>) -> Self {
        Self { entries, next: 0 }
    }

    /// Returns the entries of a hash within the member of a name.
    fn within(data: Data, name: &'static str) -> Result<Self, ReportError> {
        match data {
            Data::Hash(entries) => Ok(Self::of(entries)),
            _ => Err(ReportError::Member(name, "a hash of hashes")),
        }
    }

    /// Takes an entry with its key.
    fn entry(&mut self, name: &str) -> (Data, Data) {
        let (before, behind) = self.entries.split_at(self.next);
        let is_named = |(key, _): &(Data, Data)| matches!(key, Data::Str(key) if key == name);
        let found = match behind.iter().position(is_named) {
            Some(at) => Some(self.next + at),
            None => before.iter().position(is_named),
        };
        match found {
            Some(at) => {
                self.next = at + 1;
                std::mem::replace(&mut self.entries[at], (Data::Nil, Data::Nil))
            }
            None => (Data::str(name), Data::Nil),
        }
    }

    /// Takes a value; nil if it is missing.
    fn take(&mut self, name: &str) -> Data {
        self.entry(name).1
    }

    /// Takes entries, in the order of the names.
    fn take_all<const N: usize>(&mut self, names: [&str; N]) -> [(Data, Data); N] {
        names.map(|name| self.entry(name))
    }

    /// Takes the member `time` as Ruby's `iso8601(9)` writes it.
    fn time(&mut self) -> Result<Data, ReportError> {
        let Data::Str(text) = self.take("time") else {
            return Err(ReportError::Member("time", "a text"));
        };
        match iso8601(&text) {
            Some(time) => Ok(Data::Str(time)),
            None => Err(ReportError::Time(text)),
        }
    }

    /// Takes the member `tags`, without repetitions.
    fn tags(&mut self) -> Result<Data, ReportError> {
        match self.take("tags") {
            Data::Nil => Ok(Data::Array(Vec::new())),
            Data::Array(tags) => Ok(Data::Array(distinct(tags))),
            _ => Err(ReportError::Member("tags", "an array")),
        }
    }

    fn each(
        &mut self,
        name: &'static str,
        convert: fn(Data) -> Result<Data, ReportError>,
    ) -> Result<Vec<Data>, ReportError> {
        match self.take(name) {
            Data::Array(items) => items.into_iter().map(convert).collect(),
            _ => Err(ReportError::Member(name, "an array")),
        }
    }

    fn by_name(
        &mut self,
        name: &'static str,
        convert: fn(Data) -> Result<Data, ReportError>,
    ) -> Result<Data, ReportError> {
        let Data::Hash(entries) = self.take(name) else {
            return Err(ReportError::Member(name, "a hash"));
        };
        let converted = entries.into_iter().map(|(key, value)| Ok((key, convert(value)?)));
        Ok(Data::Hash(converted.collect::<Result<_, ReportError>>()?))
    }
}

fn log(data: Data) -> Result<Data, ReportError> {
    // What is no hash has no members.
    let mut log = Entries::of(match data {
        Data::Hash(entries) => entries,
        _ => Vec::new(),
    });
    let level = log.take("level");
    if !matches!(level, Data::Str(_)) {
        return Err(ReportError::Member("level", "a text"));
    }
    let [message, source] = log.take_all(["message", "source"]);
    let (tags, time) = (log.tags()?, log.time()?);
    let [file, line] = log.take_all(["file", "line"]);
    let level = named("level", level);
    let (tags, time) = (named("tags", tags), named("time", time));
    Ok(Data::Hash(vec![level, message, source, tags, time, file, line]))
}

fn metric(data: Data) -> Result<Data, ReportError> {
    let mut metric = Entries::within(data, "metrics")?;
    let name = metric.take("name");
    let label = match (metric.take("label"), &name) {
        (Data::Nil, Data::Str(name)) => Data::str(label(name)),
        (label, _) => label,
    };
    let values = metric.take("values");
    Ok(Data::Hash(vec![named("name", name), named("label", label), named("values", values)]))
}

/// Returns the label of a metric that has none: `out_of_sync` is `Out of sync`.
fn label(name: &str) -> String {
    let mut letters = name.chars();
    let first = letters.next().map(|first| first.to_uppercase().to_string()).unwrap_or_default();
    (first + &letters.as_str().to_lowercase()).replace('_', " ")
}

fn status(data: Data) -> Result<Data, ReportError> {
    if matches!(&data, Data::Hash(members) if members.is_empty()) {
        return Ok(Data::Nil);
    }
    let mut status = Entries::within(data, "resource_statuses")?;
    let mut members = Vec::with_capacity(19);
    members.extend(status.take_all([
        "title",
        "file",
        "line",
        "resource",
        "resource_type",
        "provider_used",
        "containment_path",
        "evaluation_time",
    ]));
    members.extend([named("tags", status.tags()?), named("time", status.time()?)]);
    let [failed, restart] = status.take_all(["failed", "failed_to_restart"]);
    members.extend([failed, (restart.0, Data::Bool(is_set(&restart.1)))]);
    members.extend(status.take_all([
        "changed",
        "out_of_sync",
        "skipped",
        "change_count",
        "out_of_sync_count",
    ]));
    members.push(named("events", Data::Array(status.each("events", event)?)));
    members.push(status.entry("corrective_change"));
    Ok(Data::Hash(members))
}

fn event(data: Data) -> Result<Data, ReportError> {
    let mut event = Entries::within(data, "events")?;
    let mut members = Vec::with_capacity(11);
    members.extend(event.take_all([
        "audited",
        "property",
        "previous_value",
        "desired_value",
        "historical_value",
        "message",
        "name",
        "status",
    ]));
    members.push(named("time", event.time()?));
    let is_known = |(key, _): &(Data, Data)| matches!(key, Data::Str(key) if key == "redacted");
    let is_missing = !event.entries.iter().any(is_known);
    let (key, redacted) = event.entry("redacted");
    members.push((key, if is_missing { Data::Bool(false) } else { redacted }));
    members.push(event.entry("corrective_change"));
    Ok(Data::Hash(members))
}

/// Returns tags without repetitions.
fn distinct(tags: Vec<Data>) -> Vec<Data> {
    if tags.len() > FEW_TAGS {
        let mut seen = std::collections::HashSet::new();
        let is_new = |tag: &&Data| match tag {
            Data::Str(text) => seen.insert(text.clone()),
            _ => true,
        };
        return tags.iter().filter(is_new).cloned().collect();
    }
    // A search through a few is faster than hashes of all.
    let mut found: Vec<Data> = Vec::with_capacity(tags.len());
    for tag in tags {
        if !matches!(tag, Data::Str(_)) || !found.contains(&tag) {
            found.push(tag);
        }
    }
    found
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

fn named(name: &str, value: Data) -> (Data, Data) {
    (Data::str(name), value)
}

fn is_set(value: &Data) -> bool {
    !matches!(value, Data::Nil | Data::Bool(false))
}
