//! One node: when it ran, and the ways to its values.

use hyper::StatusCode;
use kukla_base::cancel::Cancel;
use kukla_store::time;
use maud::{Markup, html};
use serde_json::json;

use super::data;
use super::fleet::{FIELDS, Member};
use super::frame::{Section, View, answer, refusal, segment};
use super::times::ago;
use crate::agents::exchange::{AgentRequest, Answer, RouteError};
use crate::agents::server::AgentServer;

/// Shows a node.
pub(in crate::agents) fn node(
    server: &AgentServer,
    request: &AgentRequest,
    _: &Cancel,
) -> Result<Answer, RouteError> {
    match named(request).and_then(|name| known(server, name)) {
        Ok(member) => Ok(answer(request, || member.json(), || view(&member))),
        Err(error) => Ok(refusal(request, &error)),
    }
}

/// Returns the name in the address.
pub(super) fn named(request: &AgentRequest) -> Result<&str, RouteError> {
    match request.path.as_slice() {
        [name] => Ok(name),
        _ => Err(RouteError::text(StatusCode::NOT_FOUND, "the address has no name of a node")),
    }
}

/// Returns a node that the store knows.
pub(super) fn known(server: &AgentServer, name: &str) -> Result<Member, RouteError> {
    let query = json!(["extract", FIELDS, ["=", "certname", name]]);
    let rows = data::rows(server, "nodes", &query)?;
    let unknown = || {
        let words = format!("the store knows no active node `{name}`");
        RouteError::text(StatusCode::NOT_FOUND, words)
    };
    rows.first().map(Member::of).ok_or_else(unknown)
}

fn view(member: &Member) -> View {
    let now = time::now();
    let body = html! {
        (heading(&member.name, Tab::Overview))
        p.state {
            span.cell.(member.state.class()) aria-hidden="true" { (member.state.sign()) }
            b { (member.state.words()) } ", " (ago(now, member.report))
            @if member.is_noop { " (a run that was to change nothing)" }
        }
        dl {
            dt { "Last report" } dd { (ago(now, member.report)) }
            dt { "Catalog" } dd { (ago(now, member.catalog)) }
            dt { "Facts" } dd { (ago(now, member.facts)) }
            dt { "Environment" } dd { (member.environment) }
        }
    };
    View { status: StatusCode::OK, title: member.name.clone(), section: Section::Node, body }
}

/// The views of a node.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Tab {
    Overview,
    Values,
    Changes,
    Facts,
}

/// Shows the name of a node above links to its views.
pub(super) fn heading(name: &str, tab: Tab) -> Markup {
    let segment = segment(name);
    let link = |own: Tab, view: &str, words: &str| {
        html! {
            a href=(format!("/kukla/{view}/{segment}")) aria-current=[(own == tab).then_some("page")] { (words) }
        }
    };
    html! {
        h1 { (name) }
        nav.tabs aria-label="node" {
            (link(Tab::Overview, "node", "Overview"))
            (link(Tab::Values, "values", "Where values come from"))
            (link(Tab::Changes, "changes", "What changed"))
            (link(Tab::Facts, "facts", "Facts that changed"))
        }
    }
}
