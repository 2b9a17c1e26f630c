//! Differences between two catalogs of a node.

mod diff;

use hyper::StatusCode;
use kukla_base::cancel::Cancel;
use kukla_store::{CatalogChange, StoreError, time};
use maud::{Markup, html};
use serde_json::{Value, json};

use self::diff::Differing;
use super::frame::{Section, View, answer, refusal, segment};
use super::node::{Tab, heading, known, named};
use super::paging::Part;
use super::times::ago;
use crate::agents::exchange::{AgentRequest, Answer, RouteError};
use crate::agents::pdb;
use crate::agents::server::AgentServer;

/// The most resources of one page.
const MOST_RESOURCES: usize = 100;

/// The changes of a node, and those between two of its catalogs.
struct Changes<'a> {
    name: &'a str,
    /// The newest first.
    all: Vec<CatalogChange>,
    /// The first and the last of the changes that are shown; none if there are none.
    range: Option<(i64, i64)>,
    part: Part,
    resources: Vec<Differing>,
}

/// Shows how catalogs of a node differ.
pub(in crate::agents) fn changes(
    server: &AgentServer,
    request: &AgentRequest,
    _: &Cancel,
) -> Result<Answer, RouteError> {
    match Changes::read(server, request) {
        Ok(changes) => Ok(answer(request, || changes.json(), || changes.view())),
        Err(error) => Ok(refusal(request, &error)),
    }
}

impl<'a> Changes<'a> {
    fn read(server: &AgentServer, request: &'a AgentRequest) -> Result<Self, RouteError> {
        let name = named(request)?;
        known(server, name)?;
        let store = &pdb::records(server)?.store;
        let failed = |error: StoreError| RouteError::Failed(error.to_string());
        let all = store.catalog_changes(name).map_err(failed)?;
        let asked = |name: &str| request.query.get(name).and_then(|text| text.parse::<i64>().ok());
        let is_known = |id: &i64| all.iter().any(|change| change.id == *id);
        let newest = all.first().map(|change| change.id);
        let last = asked("to").filter(is_known).or(newest);
        let first = asked("from").filter(is_known).or(last);
        let range = first.zip(last).map(|(a, b)| (a.min(b), a.max(b)));
        let differences = match range {
            Some((first, last)) => store.catalog_difference(name, first, last).map_err(failed)?,
            None => Vec::new(),
        };
        let part = Part::of(&request.query, differences.len(), MOST_RESOURCES);
        let resources = part.slice(&differences).iter().map(Differing::of).collect();
        Ok(Self { name, all, range, part, resources })
    }

    fn json(&self) -> Value {
        let change = |change: &CatalogChange| {
            json!({
                "id": change.id, "time": time::written(change.time), "version": change.version,
                "code_id": change.code_id, "environment": change.environment,
                "resources_added": change.added, "resources_removed": change.removed,
            })
        };
        json!({
            "certname": self.name, "changes": self.all.iter().map(change).collect::<Vec<_>>(),
            "from": self.range.map(|(first, _)| first), "to": self.range.map(|(_, last)| last),
            "part": self.part.json(),
            "resources": self.resources.iter().map(Differing::json).collect::<Vec<_>>(),
        })
    }

    fn view(&self) -> View {
        let address = format!("/kukla/changes/{}", segment(self.name));
        let body = html! {
            (heading(self.name, Tab::Changes))
            @match self.range {
                None => {
                    p.empty {
                        "No change of its catalog is kept. The setting " code { "past_catalogs" }
                        " says how many are; the first catalog of a node is no change."
                    }
                }
                Some(range) => {
                    (self.choice(&address, range))
                    p.note {
                        "The catalog that came " (self.moment(range.1)) " beside the one before "
                        @if range.0 == range.1 { "it" } @else { "that of " (self.moment(range.0)) }
                        ". Secret parameters are not stored, so a change of one is not seen."
                    }
                    @if self.resources.is_empty() { p.empty { "No resource differs; an edge does, or something came and went." } }
                    @for resource in &self.resources { (resource.show()) }
                    (self.part.links(&format!("{address}?from={}&to={}&", range.0, range.1)))
                }
            }
        };
        let title = format!("Changes of {}", self.name);
        View { status: StatusCode::OK, title, section: Section::Node, body }
    }

    fn moment(&self, id: i64) -> Markup {
        let now = time::now();
        ago(now, self.all.iter().find(|change| change.id == id).map(|change| change.time))
    }

    /// Shows the changes, from which two can be chosen.
    fn choice(&self, address: &str, (first, last): (i64, i64)) -> Markup {
        let now = time::now();
        let radio = |name: &str, words: &str, change: &CatalogChange, chosen: i64| {
            html! {
                label {
                    input type="radio" name=(name) value=(change.id) checked[change.id == chosen];
                    span.spoken { (words) }
                }
            }
        };
        let has_choice = self.all.len() > 1;
        html! {
            form action=(address) {
                table {
                    thead { tr { @if has_choice { th { "From" } th { "To" } } th { "Catalog" } th { "Version" } th { "Resources" } } }
                    tbody {
                        @for change in &self.all {
                            tr {
                                @if has_choice {
                                    td { (radio("from", "from the one before this", change, first)) }
                                    td { (radio("to", "to this", change, last)) }
                                }
                                td { (ago(now, Some(change.time))) }
                                td { code { (change.code_id.as_deref().unwrap_or(&change.version)) } }
                                td { "+" (change.added) " −" (change.removed) }
                            }
                        }
                    }
                }
                @if has_choice { p { button { "Compare" } } }
            }
        }
    }
}
