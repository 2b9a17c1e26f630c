//! The frame of all views, and the answers with them.

use hyper::StatusCode;
use hyper::header::{
    ACCEPT, CACHE_CONTROL, CONTENT_SECURITY_POLICY, HeaderMap, HeaderName, REFERRER_POLICY, VARY,
    X_CONTENT_TYPE_OPTIONS,
};
use kukla_base::cancel::Cancel;
use maud::{DOCTYPE, Markup, html};
use serde_json::Value;

use crate::agents::exchange::{AgentRequest, Answer, RouteError};
use crate::agents::server::AgentServer;

const STYLE: &str = include_str!("page.css");
const HTML: &str = "text/html; charset=utf-8";
/// Nothing is loaded but the style, from here; there are no scripts.
const POLICY: &str = "default-src 'none'; style-src 'self'; form-action 'self'; base-uri 'none'; \
                      frame-ancestors 'none'";
const RESOURCE_POLICY: HeaderName = HeaderName::from_static("cross-origin-resource-policy");
const OPENER_POLICY: HeaderName = HeaderName::from_static("cross-origin-opener-policy");

/// A view: who it is, and what it shows.
pub(super) struct View {
    pub(super) status: StatusCode,
    pub(super) title: String,
    /// The place in the navigation.
    pub(super) section: Section,
    pub(super) body: Markup,
}

/// The places of the navigation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Section {
    Fleet,
    Uses,
    Node,
}

/// Returns the view as the client accepts it.
pub(super) fn answer(
    request: &AgentRequest,
    json: impl FnOnce() -> Value,
    view: impl FnOnce() -> View,
) -> Answer {
    match wants_json(&request.headers) {
        true => guarded(Answer::json(json().to_string())),
        false => shown(&view()),
    }
}

/// Returns an answer that is a view.
pub(super) fn shown(view: &View) -> Answer {
    guarded(Answer::new(view.status, HTML, page(view).into_string()))
}

/// Returns an answer to a request that can't be shown: in words, or as JSON.
pub(super) fn refusal(request: &AgentRequest, error: &RouteError) -> Answer {
    let (status, words) = (error.status(), error.to_string());
    if wants_json(&request.headers) {
        let body = serde_json::json!({ "error": words }).to_string();
        return guarded(Answer { status, ..Answer::json(body) });
    }
    shown(&View {
        status,
        title: "Not shown".to_owned(),
        section: Section::Node,
        body: html! { h1 { "This can’t be shown" } p.problem { (words) } },
    })
}

/// Answers with the style.
pub(in crate::agents) fn style(
    _: &AgentServer,
    _: &AgentRequest,
    _: &Cancel,
) -> Result<Answer, RouteError> {
    let answer = guarded(Answer::new(StatusCode::OK, "text/css; charset=utf-8", STYLE));
    Ok(answer.with(CACHE_CONTROL, "max-age=300"))
}

/// Returns whether a client wants data: it names JSON, and no HTML.
fn wants_json(headers: &HeaderMap) -> bool {
    let accept = headers.get(ACCEPT).and_then(|value| value.to_str().ok()).unwrap_or_default();
    accept.contains("application/json") && !accept.contains("text/html")
}

/// Adds the header fields by which a browser keeps the page to itself.
fn guarded(answer: Answer) -> Answer {
    answer
        .with(CONTENT_SECURITY_POLICY, POLICY)
        .with(X_CONTENT_TYPE_OPTIONS, "nosniff")
        .with(REFERRER_POLICY, "no-referrer")
        .with(CACHE_CONTROL, "no-store")
        .with(RESOURCE_POLICY, "same-origin")
        .with(OPENER_POLICY, "same-origin")
        .with(VARY, "Accept")
}

fn page(view: &View) -> Markup {
    let link = |section: Section, address: &str, words: &str| {
        html! {
            a href=(address) aria-current=[(view.section == section).then_some("page")] { (words) }
        }
    };
    html! {
        (DOCTYPE)
        html lang="en" {
            head {
                meta charset="utf-8";
                meta name="viewport" content="width=device-width, initial-scale=1";
                meta name="color-scheme" content="light dark";
                title { (view.title) " · Kukla" }
                link rel="stylesheet" href="/kukla/page.css";
            }
            body {
                a.skip href="#main" { "Skip to content" }
                header.top {
                    a.brand href="/kukla" { "Kukla" }
                    nav aria-label="views" {
                        (link(Section::Fleet, "/kukla", "Fleet"))
                        (link(Section::Uses, "/kukla/uses/classes", "What is used"))
                    }
                }
                main #main { (view.body) }
                footer { "Read-only. Times are UTC; hover over one to see it whole." }
            }
        }
    }
}

/// Returns a text as a segment of an address.
pub(super) fn segment(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for byte in text.bytes() {
        match byte.is_ascii_alphanumeric() || b"-._~".contains(&byte) {
            true => out.push(char::from(byte)),
            false => {
                use std::fmt::Write as _;
                let _ = write!(out, "%{byte:02X}");
            }
        }
    }
    out
}
