//! Changes of a node's facts.

use hyper::StatusCode;
use kukla_base::cancel::Cancel;
use kukla_store::{FactChange, StoreError, time};
use maud::{Markup, html};
use serde_json::{Map, Value, json};

use super::frame::{Section, View, answer, refusal, segment};
use super::node::{Tab, heading, known, named};
use super::paging::Part;
use super::times::ago;
use crate::agents::exchange::{AgentRequest, Answer, RouteError};
use crate::agents::pdb;
use crate::agents::server::AgentServer;

/// The most changes of one page.
const MOST_CHANGES: usize = 100;

/// A part of the changes of a node's facts, the newest first.
struct FactChanges<'a> {
    name: &'a str,
    part: Part,
    changes: Vec<FactChange>,
}

/// Shows which facts of a node have changed.
pub(in crate::agents) fn facts(
    server: &AgentServer,
    request: &AgentRequest,
    _: &Cancel,
) -> Result<Answer, RouteError> {
    match FactChanges::read(server, request) {
        Ok(changes) => Ok(answer(request, || changes.json(), || changes.view())),
        Err(error) => Ok(refusal(request, &error)),
    }
}

impl<'a> FactChanges<'a> {
    fn read(server: &AgentServer, request: &'a AgentRequest) -> Result<Self, RouteError> {
        let name = named(request)?;
        known(server, name)?;
        let store = &pdb::records(server)?.store;
        let failed = |error: StoreError| RouteError::Failed(error.to_string());
        let n_changes = store.n_fact_changes(name).map_err(failed)?.unwrap_or(0);
        let part = Part::of(&request.query, n_changes, MOST_CHANGES);
        let changes = store.fact_changes(name, MOST_CHANGES, part.start()).map_err(failed)?;
        Ok(Self { name, part, changes })
    }

    fn json(&self) -> Value {
        let change = |change: &FactChange| {
            let mut members = Map::new();
            members.insert("time".to_owned(), time::written(change.time).into());
            members.insert("path".to_owned(), change.path.clone().into());
            // A value that is null differs from one that is not there.
            for (name, value) in [("old_value", &change.before), ("new_value", &change.after)] {
                members.extend(value.clone().map(|value| (name.to_owned(), value)));
            }
            Value::Object(members)
        };
        json!({
            "certname": self.name, "part": self.part.json(),
            "changes": self.changes.iter().map(change).collect::<Vec<_>>(),
        })
    }

    fn view(&self) -> View {
        let now = time::now();
        let body = html! {
            (heading(self.name, Tab::Facts))
            @if self.changes.is_empty() {
                p.empty {
                    "No change of its facts is kept. The setting " code { "past_facts" }
                    " says how many are, none by default; the first facts of a node are no change."
                }
            } @else {
                table {
                    thead { tr { th { "Facts" } th { "Value" } th { "Before" } th { "After" } } }
                    tbody {
                        @for change in &self.changes {
                            tr {
                                td { (ago(now, Some(change.time))) }
                                td { code { (change.place()) } }
                                td { (value(change.before.as_ref())) }
                                td { (value(change.after.as_ref())) }
                            }
                        }
                    }
                }
            }
            (self.part.links(&format!("/kukla/facts/{}?", segment(self.name))))
        };
        let title = format!("Facts of {}", self.name);
        View { status: StatusCode::OK, title, section: Section::Node, body }
    }
}

fn value(value: Option<&Value>) -> Markup {
    html! {
        @match value {
            None => { span.quiet { "none" } }
            Some(value) => { code { (value.to_string()) } }
        }
    }
}
