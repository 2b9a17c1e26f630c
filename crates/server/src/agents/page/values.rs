//! Where each value of a node comes from: its catalog is compiled again, and its origins are shown.

mod recompiled;
mod show;

use hyper::StatusCode;
use kukla_base::cancel::Cancel;
use kukla_catalog::Resource;
use kukla_catalog::origins::{TracedParameter, traced};
use serde_json::{Value, json};

use self::recompiled::Recompiled;
use super::frame::{Section, View, answer, refusal};
use super::node::named;
use super::paging::Part;
use crate::agents::exchange::{AgentRequest, Answer, RouteError};
use crate::agents::records::push_plain;
use crate::agents::server::AgentServer;

/// The most resources of one page.
const MOST_RESOURCES: usize = 50;
/// The most bytes of a value in JSON.
const MOST_BYTES: usize = 64 << 10;
/// The text that stands for a secret.
const SECRET: &str = "secret, not shown";

/// A parameter with its origin.
struct Shown {
    name: String,
    /// JSON; none for a secret.
    value: Option<String>,
    origin: Value,
}

/// The resources of one page.
struct Values<'a> {
    recompiled: &'a Recompiled,
    /// A text that references or files of resources have.
    sought: &'a str,
    part: Part,
    resources: Vec<(&'a Resource, Vec<Shown>)>,
}

/// Shows where the values of a node come from.
pub(in crate::agents) fn values(
    server: &AgentServer,
    request: &AgentRequest,
    cancel: &Cancel,
) -> Result<Answer, RouteError> {
    let recompiled = named(request).and_then(|name| Recompiled::of(server, name, cancel));
    match recompiled {
        Ok(recompiled) => {
            let values = Values::of(&recompiled, request);
            Ok(answer(request, || values.json(), || values.view()))
        }
        Err(error) => Ok(refusal(request, &error)),
    }
}

impl<'a> Values<'a> {
    fn of(recompiled: &'a Recompiled, request: &'a AgentRequest) -> Self {
        let catalog = &recompiled.catalog;
        let sought = request.query.get("find").unwrap_or_default().trim();
        let lower = sought.to_lowercase();
        let is_sought = |resource: &Resource| {
            lower.is_empty()
                || resource.reference().to_lowercase().contains(&lower)
                || resource.file.as_ref().is_some_and(|file| file.to_lowercase().contains(&lower))
        };
        // In the order of the catalog. Stages and the main class have a name alone, which says nothing.
        let is_telling = |resource: &Resource| {
            let is_frame =
                resource.type_.as_str() == "Stage" || resource.reference() == "Class[main]";
            !is_frame && !resource.parameters.is_empty()
        };
        let numbers: Vec<usize> = (0..catalog.resources.len())
            .filter(|&n| is_telling(&catalog.resources[n]))
            .filter(|&n| is_sought(&catalog.resources[n]))
            .collect();
        let part = Part::of(&request.query, numbers.len(), MOST_RESOURCES);
        let numbers = part.slice(&numbers);
        let resources = numbers.iter().zip(traced(catalog, numbers)).map(|(&n, parameters)| {
            let resource = &catalog.resources[n];
            let shown = parameters.into_iter().filter_map(|traced| Shown::of(resource, traced));
            (resource, shown.collect())
        });
        Self { recompiled, sought, part, resources: resources.collect() }
    }

    fn json(&self) -> Value {
        let resource = |(resource, parameters): &(&Resource, Vec<Shown>)| {
            let parameter = |shown: &Shown| {
                let text = shown.value.as_deref().unwrap_or_default();
                let is_cut = text.len() > MOST_BYTES;
                let value = if is_cut { None } else { serde_json::from_str(text).ok() };
                json!({
                    "name": shown.name, "value": value.unwrap_or(Value::Null),
                    "secret": shown.value.is_none(), "too_large": is_cut, "from": shown.origin,
                })
            };
            json!({
                "type": resource.type_.as_str(), "title": resource.title.as_str(),
                "file": resource.file.as_deref(), "line": resource.line,
                "parameters": parameters.iter().map(parameter).collect::<Vec<_>>(),
            })
        };
        let resources: Vec<Value> = self.resources.iter().map(resource).collect();
        let mut json = self.recompiled.json();
        json["part"] = self.part.json();
        json["resources"] = resources.into();
        json
    }

    fn view(&self) -> View {
        View {
            status: StatusCode::OK,
            title: format!("Values of {}", self.recompiled.name),
            section: Section::Node,
            body: show::body(self),
        }
    }
}

impl Shown {
    fn of(resource: &Resource, traced: TracedParameter) -> Option<Self> {
        let (name, value) = resource.parameters.get(traced.parameter)?;
        let shown = (!traced.is_secret && !recompiled::is_sensitive(value)).then(|| {
            let mut text = String::new();
            push_plain(value, &mut text);
            text
        });
        Some(Self { name: name.as_str().to_owned(), value: shown, origin: traced.origin })
    }
}
