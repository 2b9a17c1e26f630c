//! The command `store report`, made of a report as an agent sends it.
//!
//! Resources on which nothing happened are left out by default: the store has rows of events only, and most resources have none.

use kukla_rubytext::json::{Style, generate, push_string};
use kukla_rubytext::{Data, RubyError};

use super::super::reports::Report;

/// The text that stands for a secret.
const REDACTED: &str = "[redacted]";

/// Members that are as in the report.
const SAME: [&str; 12] = [
    "puppet_version",
    "report_format",
    "environment",
    "transaction_uuid",
    "catalog_uuid",
    "code_id",
    "job_id",
    "cached_catalog_status",
    "status",
    "noop",
    "noop_pending",
    "corrective_change",
];
const OF_LOGS: [&str; 7] = ["file", "line", "level", "message", "source", "tags", "time"];

/// Returns the payload for a report, with `has_unchanged` also of resources on which nothing happened.
pub(super) fn payload(
    report: &Report,
    producer: &str,
    now: i64,
    has_unchanged: bool,
) -> Result<String, RubyError> {
    let time = report.member("time");
    let mut object = Object::begin();
    object.text("certname", report.host());
    object.text("producer", producer);
    object.text("producer_timestamp", &kukla_store::time::written(now));
    object.value("start_time", time)?;
    match end(report) {
        Some(end) => object.text("end_time", &end),
        None => object.value("end_time", time)?,
    }
    object.label("configuration_version", report.member("configuration_version"))?;
    for name in SAME {
        object.value(name, report.member(name))?;
    }
    object.list("logs", report.logs(), |log, object| {
        OF_LOGS.iter().try_for_each(|name| object.value(name, of(log, name)))
    })?;
    metrics(report, &mut object)?;
    let statuses = entries(report.member("resource_statuses")).iter().map(|(_, status)| status);
    object.list(
        "resources",
        statuses.filter(|status| has_unchanged || has_events(status)),
        resource,
    )?;
    Ok(object.end())
}

/// Returns the end of a run: its beginning and the total of its times.
fn end(report: &Report) -> Option<String> {
    let Data::Str(start) = report.member("time") else { return None };
    let start = kukla_store::time::read(start)?;
    let times = elements(report.member("metrics").get("time")?.get("values")?);
    let is_total =
        |entry: &&Data| matches!(elements(entry).first(), Some(Data::Str(name)) if name == "total");
    let seconds = match elements(times.iter().find(is_total)?).get(2)? {
        Data::Float(seconds) => *seconds,
        Data::Int(seconds) => f64::from(u32::try_from(*seconds).ok()?),
        _ => return None,
    };
    let seconds = Some(seconds).filter(|seconds| (0.0..1e9).contains(seconds))?;
    let milliseconds = (seconds * 1000.0).round();
    let run = std::time::Duration::try_from_secs_f64(milliseconds / 1000.0).ok()?.as_millis();
    Some(kukla_store::time::written(start.checked_add(i64::try_from(run).ok()?)?))
}

fn metrics(report: &Report, object: &mut Object) -> Result<(), RubyError> {
    let metrics = entries(report.member("metrics")).iter();
    let all = metrics.flat_map(|(category, metric)| {
        elements(of(metric, "values")).iter().map(move |entry| (category, elements(entry)))
    });
    object.list("metrics", all, |(category, entry), object| {
        object.value("category", category)?;
        object.value("name", entry.first().unwrap_or(&Data::Nil))?;
        object.value("value", entry.get(2).unwrap_or(&Data::Nil))
    })
}

/// Returns whether something happened on a resource: one that was skipped has an event of its own.
fn has_events(status: &Data) -> bool {
    let is_skipped = !matches!(of(status, "skipped"), Data::Nil | Data::Bool(false));
    is_skipped || !elements(of(status, "events")).is_empty()
}

fn resource(status: &Data, object: &mut Object) -> Result<(), RubyError> {
    object.value("timestamp", of(status, "time"))?;
    object.label("resource_title", of(status, "title"))?;
    for name in
        ["resource_type", "skipped", "file", "line", "containment_path", "corrective_change"]
    {
        object.value(name, of(status, name))?;
    }
    object.list("events", elements(of(status, "events")), event)
}

fn event(event: &Data, object: &mut Object) -> Result<(), RubyError> {
    for name in ["status", "name", "property", "message", "corrective_change"] {
        object.value(name, of(event, name))?;
    }
    object.value("timestamp", of(event, "time"))?;
    // Agents have replaced the values of Sensitive parameters already; others are shown as they are.
    let is_redacted = of(event, "redacted") == &Data::Bool(true);
    for (name, value) in [("new_value", "desired_value"), ("old_value", "previous_value")] {
        match of(event, value) {
            Data::Nil => object.value(name, &Data::Nil)?,
            _ if is_redacted => object.text(name, REDACTED),
            value => object.value(name, value)?,
        }
    }
    Ok(())
}

fn of<'a>(data: &'a Data, name: &str) -> &'a Data {
    data.get(name).unwrap_or(&Data::Nil)
}

fn elements(data: &Data) -> &[Data] {
    match data {
        Data::Array(elements) => elements,
        _ => &[],
    }
}

fn entries(data: &Data) -> &[(Data, Data)] {
    match data {
        Data::Hash(entries) => entries,
        _ => &[],
    }
}

/// The text of a JSON object that is being written.
struct Object {
    out: String,
    style: Style,
}

impl Object {
    fn begin() -> Self {
        Self { out: "{".to_owned(), style: Style::compact() }
    }

    fn end(mut self) -> String {
        self.out.push('}');
        self.out
    }

    fn name(&mut self, name: &str) {
        if !self.out.ends_with('{') {
            self.out.push(',');
        }
        self.out.extend(["\"", name, "\":"]);
    }

    fn text(&mut self, name: &str, text: &str) {
        self.name(name);
        push_string(&mut self.out, text);
    }

    fn value(&mut self, name: &str, value: &Data) -> Result<(), RubyError> {
        self.name(name);
        match value {
            Data::Nil => self.out.push_str("null"),
            Data::Str(text) => push_string(&mut self.out, text),
            other => self.out.push_str(&generate(other, &self.style)?),
        }
        Ok(())
    }

    /// Writes a text: versions and titles are numbers or texts.
    fn label(&mut self, name: &str, value: &Data) -> Result<(), RubyError> {
        match value {
            Data::Nil => self.text(name, ""),
            Data::Int(number) => self.text(name, &number.to_string()),
            other => self.value(name, other)?,
        }
        Ok(())
    }

    /// Writes a list of objects.
    fn list<T>(
        &mut self,
        name: &str,
        items: impl IntoIterator<Item = T>,
        write: impl Fn(T, &mut Self) -> Result<(), RubyError>,
    ) -> Result<(), RubyError> {
        self.name(name);
        self.out.push('[');
        for (n, item) in items.into_iter().enumerate() {
            self.out.push_str(if n > 0 { ",{" } else { "{" });
            write(item, self)?;
            self.out.push('}');
        }
        self.out.push(']');
        Ok(())
    }
}
