//! Classes and lines of data, with the number of nodes that use them.

use hyper::StatusCode;
use kukla_base::cancel::Cancel;
use kukla_store::DataUse;
use maud::{Markup, html};
use serde_json::{Value, json};

use super::data;
use super::frame::{Section, View, answer, refusal, segment};
use super::paging::Part;
use crate::agents::exchange::{AgentRequest, Answer, RouteError};
use crate::agents::pdb;
use crate::agents::server::AgentServer;

/// The most rows of one page.
const MOST_ROWS: usize = 200;

/// The things that are counted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Classes,
    Data,
}

/// Something that nodes use.
struct Use {
    name: String,
    /// File and line, of data.
    place: Option<(String, i64)>,
    nodes: i64,
}

/// A part of what nodes use.
struct Uses<'a> {
    kind: Kind,
    sought: &'a str,
    part: Part,
    rows: Vec<Use>,
}

/// Shows what is used by how many nodes.
pub(in crate::agents) fn uses(
    server: &AgentServer,
    request: &AgentRequest,
    _: &Cancel,
) -> Result<Answer, RouteError> {
    let kind = match request.path.first().map(String::as_str) {
        None | Some("classes") if request.path.len() < 2 => Ok(Kind::Classes),
        Some("data") if request.path.len() == 1 => Ok(Kind::Data),
        _ => {
            Err(RouteError::text(StatusCode::NOT_FOUND, "there are the views `classes` and `data`"))
        }
    };
    match kind.and_then(|kind| Uses::read(server, request, kind)) {
        Ok(uses) => Ok(answer(request, || uses.json(), || uses.view())),
        Err(error) => Ok(refusal(request, &error)),
    }
}

impl<'a> Uses<'a> {
    fn read(
        server: &AgentServer,
        request: &'a AgentRequest,
        kind: Kind,
    ) -> Result<Self, RouteError> {
        let sought = request.query.get("find").unwrap_or_default().trim();
        match kind {
            Kind::Classes => {
                let mut all = classes(server)?;
                all.retain(|class| class.name.to_lowercase().contains(&sought.to_lowercase()));
                all.sort_by(|a, b| b.nodes.cmp(&a.nodes).then_with(|| a.name.cmp(&b.name)));
                let part = Part::of(&request.query, all.len(), MOST_ROWS);
                let rest = all.split_off(part.start().min(all.len()));
                Ok(Self { kind, sought, part, rows: rest.into_iter().take(MOST_ROWS).collect() })
            }
            Kind::Data => {
                let store = &pdb::records(server)?.store;
                let failed = |error: kukla_store::StoreError| RouteError::Failed(error.to_string());
                let (_, total) = store.data_uses(sought, 0, 0).map_err(failed)?;
                let part = Part::of(&request.query, total, MOST_ROWS);
                let (rows, _) = store.data_uses(sought, MOST_ROWS, part.start()).map_err(failed)?;
                let row = |DataUse { file, line, name, nodes }| Use {
                    name,
                    place: Some((file, line)),
                    nodes,
                };
                Ok(Self { kind, sought, part, rows: rows.into_iter().map(row).collect() })
            }
        }
    }

    fn json(&self) -> Value {
        let row = |used: &Use| match &used.place {
            Some((file, line)) => {
                json!({ "key": used.name, "file": file, "line": line, "nodes": used.nodes })
            }
            None => json!({ "class": used.name, "nodes": used.nodes }),
        };
        json!({ "part": self.part.json(), "uses": self.rows.iter().map(row).collect::<Vec<_>>() })
    }

    fn view(&self) -> View {
        let (address, label) = match self.kind {
            Kind::Classes => ("/kukla/uses/classes", "Class"),
            Kind::Data => ("/kukla/uses/data", "Key or file"),
        };
        let link = |kind: Kind, address: &str, words: &str| {
            html! { a href=(address) aria-current=[(self.kind == kind).then_some("page")] { (words) } }
        };
        let body = html! {
            h1 { "What is used" }
            nav.tabs aria-label="what is used" {
                (link(Kind::Classes, "/kukla/uses/classes", "Classes"))
                (link(Kind::Data, "/kukla/uses/data", "Lines of data"))
            }
            form.find action=(address) role="search" {
                label for="find" { (label) }
                input #find name="find" type="search" value=(self.sought) autocomplete="off";
                button { "Find" }
            }
            @if self.rows.is_empty() { p.empty { (self.nothing()) } } @else { (self.table()) }
            (self.part.links(&format!("{address}?find={}&", segment(self.sought))))
        };
        View {
            status: StatusCode::OK,
            title: "What is used".to_owned(),
            section: Section::Uses,
            body,
        }
    }

    fn nothing(&self) -> &'static str {
        match self.kind {
            _ if !self.sought.is_empty() => "Nothing is like that.",
            Kind::Classes => "No node has a catalog yet.",
            Kind::Data => "No catalog that this server compiled got a value from a data file yet.",
        }
    }

    fn table(&self) -> Markup {
        html! {
            table.uses {
                thead {
                    tr {
                        th { @if self.kind == Kind::Data { "Key" } @else { "Class" } }
                        @if self.kind == Kind::Data { th { "Place" } }
                        th.number { "Nodes" }
                    }
                }
                tbody {
                    @for used in &self.rows {
                        tr {
                            td {
                                @if used.place.is_none() {
                                    a href=(format!("/kukla?class={}", segment(&used.name))) { (used.name) }
                                } @else {
                                    code { (used.name) }
                                }
                            }
                            @if let Some((file, line)) = &used.place {
                                td { (file) @if *line > 0 { ":" (line) } }
                            }
                            td.number { (used.nodes) }
                        }
                    }
                }
            }
        }
    }
}

/// Returns all classes of active nodes' catalogs.
fn classes(server: &AgentServer) -> Result<Vec<Use>, RouteError> {
    let query = json!([
        "extract",
        ["title", ["function", "count"]],
        ["and", ["=", "type", "Class"], ["=", ["node", "active"], true]],
        ["group_by", "title"],
    ]);
    let rows = data::rows(server, "resources", &query)?;
    let class = |row: data::Row| {
        let name = data::text(&row, "title")?.to_owned();
        Some(Use { name, place: None, nodes: row.get("count")?.as_i64()? })
    };
    Ok(rows.into_iter().filter_map(class).collect())
}
