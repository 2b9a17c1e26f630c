//! The command `store report`.

use serde_json::Value;

use super::Fields;
use crate::{CommandError, json};

/// A report of an agent.
#[derive(Clone, Debug, PartialEq)]
pub struct Report {
    /// Its environment.
    pub environment: Option<String>,
    /// The server.
    pub producer: Option<String>,
    /// `agent`
    pub type_: String,
    /// The version of Puppet.
    pub puppet_version: String,
    /// The version of the format.
    pub report_format: i64,
    /// The version of the catalog.
    pub configuration_version: String,
    /// The beginning of the run.
    pub start_time: i64,
    /// The end of the run.
    pub end_time: i64,
    /// The run.
    pub transaction_uuid: Option<String>,
    /// The catalog.
    pub catalog_uuid: Option<String>,
    /// The version of the code.
    pub code_id: Option<String>,
    /// The job that asked for the run.
    pub job_id: Option<String>,
    /// Whether the catalog was an old one.
    pub cached_catalog_status: Option<String>,
    /// `changed`, `unchanged` or `failed`
    pub status: Option<String>,
    /// Whether nothing was to be changed.
    pub noop: Option<bool>,
    /// Whether something would have been changed.
    pub noop_pending: Option<bool>,
    /// The log, a JSON array.
    pub logs: String,
    /// Measurements, a JSON array.
    pub metrics: String,
    /// The events of all resources.
    pub events: Vec<Event>,
}

/// A change of a property of a resource, or the lack of one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Event {
    /// `success`, `failure`, `noop` or `skipped`
    pub status: String,
    /// When it happened.
    pub timestamp: i64,
    /// The type of the resource.
    pub resource_type: String,
    /// Its title.
    pub resource_title: String,
    /// The property; none if the resource was skipped.
    pub property: Option<String>,
    /// The name of the event.
    pub name: Option<String>,
    /// The new value as JSON.
    pub new_value: Option<String>,
    /// The old value as JSON.
    pub old_value: Option<String>,
    /// The words of the agent.
    pub message: Option<String>,
    /// The manifest that declares the resource.
    pub file: Option<String>,
    /// The line there.
    pub line: Option<i64>,
    /// The containers of the resource.
    pub containment_path: Option<Vec<String>>,
}

impl Event {
    /// Returns the innermost class that contains the resource.
    pub fn containing_class(&self) -> Option<&str> {
        let is_reference = |name: &str| name.contains('[') && name.ends_with(']');
        let is_class = |name: &&String| !name.is_empty() && !is_reference(name);
        self.containment_path.as_ref()?.iter().rfind(is_class).map(String::as_str)
    }
}

impl Report {
    pub(super) fn read(fields: &Fields<'_>) -> Result<Self, CommandError> {
        let time = |name: &str| fields.time(name)?.ok_or_else(|| fields.wrong(name, "a time"));
        let mut events = Vec::new();
        for resource in fields.each("resources", of_resource)? {
            for event in resource {
                // As in PuppetDB, events that are equal in everything are one.
                if events.last() != Some(&event) {
                    events.push(event);
                }
            }
        }
        Ok(Self {
            environment: fields.name("environment")?,
            producer: fields.name("producer")?,
            type_: fields.name("type")?.unwrap_or_else(|| "agent".to_owned()),
            puppet_version: fields.required("puppet_version")?,
            report_format: fields.int("report_format")?.unwrap_or(0),
            configuration_version: fields.label("configuration_version")?.unwrap_or_default(),
            start_time: time("start_time")?,
            end_time: time("end_time")?,
            transaction_uuid: fields.name("transaction_uuid")?,
            catalog_uuid: fields.name("catalog_uuid")?,
            code_id: fields.text("code_id")?,
            job_id: fields.text("job_id")?,
            cached_catalog_status: fields.text("cached_catalog_status")?,
            status: fields.text("status")?,
            noop: fields.flag("noop")?,
            noop_pending: fields.flag("noop_pending")?,
            logs: list(fields, "logs")?,
            metrics: list(fields, "metrics")?,
            events,
        })
    }
}

/// Returns a list of objects as JSON.
fn list(fields: &Fields<'_>, name: &str) -> Result<String, CommandError> {
    let elements = fields.list(name)?;
    if !elements.iter().all(Value::is_object) {
        return Err(fields.wrong(name, "an array of objects"));
    }
    let mut text = String::new();
    json::array(elements, &mut text);
    Ok(text)
}

/// Returns the events of a resource; one that was skipped has an event without a property.
fn of_resource(fields: &Fields<'_>) -> Result<Vec<Event>, CommandError> {
    let timestamp = fields.time("timestamp")?;
    let blank = Event {
        status: "skipped".to_owned(),
        timestamp: timestamp.ok_or_else(|| fields.wrong("timestamp", "a time"))?,
        resource_type: fields.short("resource_type")?,
        resource_title: fields.label("resource_title")?.unwrap_or_default(),
        property: None,
        name: None,
        new_value: None,
        old_value: None,
        message: None,
        file: fields.text("file")?,
        line: fields.int("line")?,
        containment_path: match fields.get("containment_path") {
            None => None,
            Some(_) => Some(fields.texts("containment_path")?),
        },
    };
    if fields.flag("skipped")?.unwrap_or(false) {
        return Ok(vec![blank]);
    }
    fields.each("events", |event| {
        let value = |name: &str| event.get(name).map(json::text);
        Ok(Event {
            status: event.short("status")?,
            timestamp: event.time("timestamp")?.unwrap_or(blank.timestamp),
            property: event.text("property")?,
            name: event.text("name")?,
            new_value: value("new_value"),
            old_value: value("old_value"),
            message: event.text("message")?,
            ..blank.clone()
        })
    })
}
