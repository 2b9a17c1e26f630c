//! The first view: a map of the fleet by last run and what that run did.

mod map;
mod member;

use hyper::StatusCode;
use kukla_base::cancel::Cancel;
use kukla_store::time;
use maud::{Markup, html};
use serde_json::{Value, json};

use super::frame::{self, Section, View, answer, segment};
use super::paging::Part;
use super::times::ago;
use super::{data, frame::refusal};
use crate::agents::exchange::{AgentRequest, Answer, RouteError};
use crate::agents::server::AgentServer;

pub(super) use member::{FIELDS, Member, State};

/// The most nodes of one page of the map.
const MOST_CELLS: usize = 10_000;
/// The most nodes of one page of the list.
const MOST_ROWS: usize = 100;

/// The fleet, or the part of it that was asked for.
struct Fleet<'a> {
    now: i64,
    /// The number of nodes in each state, whatever state and name were asked for.
    counts: Vec<(State, usize)>,
    /// The nodes that were asked for, in the order of the map.
    members: Vec<Member>,
    part: Part,
    asked: Asked<'a>,
}

/// The part of the fleet that a request asks for.
#[derive(Clone, Copy)]
struct Asked<'a> {
    state: Option<State>,
    /// A part of the name.
    name: &'a str,
    /// A class that the catalog has; empty for all nodes.
    class: &'a str,
    is_list: bool,
}

/// Shows the fleet.
pub(in crate::agents) fn fleet(
    server: &AgentServer,
    request: &AgentRequest,
    _: &Cancel,
) -> Result<Answer, RouteError> {
    if !request.path.is_empty() {
        let words = format!("there is no view `{}`", request.path.join("/"));
        return Ok(refusal(request, &RouteError::text(StatusCode::NOT_FOUND, words)));
    }
    match Fleet::read(server, request) {
        Ok(fleet) => Ok(answer(request, || fleet.json(), || fleet.view())),
        Err(error) => Ok(refusal(request, &error)),
    }
}

impl<'a> Fleet<'a> {
    fn read(server: &AgentServer, request: &'a AgentRequest) -> Result<Self, RouteError> {
        let query = &request.query;
        let asked = Asked {
            state: query.get("state").and_then(State::named),
            name: query.get("name").unwrap_or_default().trim(),
            class: query.get("class").unwrap_or_default().trim(),
            is_list: query.get("view") == Some("list"),
        };
        let has_class = json!([
            "in",
            "certname",
            [
                "extract",
                "certname",
                ["select_resources", ["and", ["=", "type", "Class"], ["=", "title", asked.class]]]
            ]
        ]);
        let question = match asked.class {
            "" => json!(["extract", FIELDS]),
            _ => json!(["extract", FIELDS, has_class]),
        };
        let rows = data::rows(server, "nodes", &question)?;
        let now = time::now();
        let mut members: Vec<Member> = rows.iter().map(Member::of).collect();
        let counts = State::ALL
            .map(|state| (state, members.iter().filter(|member| member.state == state).count()));
        members.retain(|member| {
            asked.state.is_none_or(|state| state == member.state)
                && member.name.contains(asked.name)
        });
        members.sort_by(|a, b| a.key(now).cmp(&b.key(now)));
        let size = if asked.is_list { MOST_ROWS } else { MOST_CELLS };
        let part = Part::of(query, members.len(), size);
        Ok(Self { now, counts: counts.to_vec(), members, part, asked })
    }

    fn json(&self) -> Value {
        let counts: serde_json::Map<String, Value> =
            self.counts.iter().map(|(state, n)| (state.name().to_owned(), (*n).into())).collect();
        let nodes: Vec<Value> = self.part.slice(&self.members).iter().map(Member::json).collect();
        json!({ "counts": counts, "part": self.part.json(), "nodes": nodes })
    }

    fn view(&self) -> View {
        let shown = self.part.slice(&self.members);
        let body = html! {
            h1 { "Fleet" @if !self.asked.class.is_empty() { ": nodes with Class[" (self.asked.class) "]" } }
            (self.summary())
            (self.form())
            @if shown.is_empty() {
                p.empty { (self.nothing()) }
            } @else if self.asked.is_list {
                (self.list(shown))
            } @else {
                (map::map(shown, self.now))
            }
            (self.part.links(&self.address(self.asked.state, self.asked.is_list)))
        };
        View { status: StatusCode::OK, title: "Fleet".to_owned(), section: Section::Fleet, body }
    }

    fn nothing(&self) -> &'static str {
        match self.asked.class.is_empty() && self.counts.iter().all(|(_, n)| *n == 0) {
            true => "No node has said anything yet. Run an agent: it appears here after its run.",
            false => "No node is like that.",
        }
    }

    /// Shows how many nodes are in which state; each is a link to these.
    fn summary(&self) -> Markup {
        let total: usize = self.counts.iter().map(|(_, n)| n).sum();
        html! {
            ul.counts {
                li { a href=(self.address(None, self.asked.is_list)) aria-current=[self.asked.state.is_none().then_some("true")] {
                    b { (total) } " nodes"
                } }
                @for (state, n) in self.counts.iter().filter(|(_, n)| *n > 0) {
                    li { a href=(self.address(Some(*state), self.asked.is_list))
                        aria-current=[(self.asked.state == Some(*state)).then_some("true")] {
                        span.cell.(state.class()) aria-hidden="true" { (state.sign()) }
                        b { (n) } " " (state.words())
                    } }
                }
            }
        }
    }

    fn form(&self) -> Markup {
        let Asked { state, name, class, is_list } = self.asked;
        html! {
            form.find action="/kukla" role="search" {
                label for="name" { "Name" }
                input #name name="name" type="search" value=(name) autocomplete="off";
                @if let Some(state) = state { input type="hidden" name="state" value=(state.name()); }
                @if is_list { input type="hidden" name="view" value="list"; }
                @if !class.is_empty() { input type="hidden" name="class" value=(class); }
                button { "Find" }
                @if is_list {
                    a href=(self.address(state, false)) { "Map" }
                } @else {
                    a href=(self.address(state, true)) { "List" }
                }
            }
        }
    }

    fn list(&self, shown: &[Member]) -> Markup {
        html! {
            table {
                thead { tr { th { "Node" } th { "Last run" } th { "What it did" } th { "Catalog" } th { "Environment" } } }
                tbody {
                    @for member in shown {
                        tr {
                            td { a href=(format!("/kukla/node/{}", segment(&member.name))) { (member.name) } }
                            td { (ago(self.now, member.report)) }
                            td { span.cell.(member.state.class()) aria-hidden="true" { (member.state.sign()) } (member.state.words()) }
                            td { (ago(self.now, member.catalog)) }
                            td { (member.environment) }
                        }
                    }
                }
            }
        }
    }

    /// Returns the address of a part, without its number.
    fn address(&self, state: Option<State>, is_list: bool) -> String {
        let mut address = String::from("/kukla?");
        if let Some(state) = state {
            address.extend(["state=", state.name(), "&"]);
        }
        for (parameter, text) in [("name=", self.asked.name), ("class=", self.asked.class)] {
            if !text.is_empty() {
                address.extend([parameter, &frame::segment(text), "&"]);
            }
        }
        if is_list {
            address.push_str("view=list&");
        }
        address
    }
}
