//! The HTML of values and their origins.

use maud::{Markup, html};
use serde_json::Value;

use super::super::frame::segment;
use super::super::node::{Tab, heading};
use super::super::times::ago;
use super::{Recompiled, SECRET, Shown, Values};
use kukla_catalog::Resource;

/// The most characters of a value.
const MOST_CHARACTERS: usize = 300;
/// The most sources of one value.
const MOST_SOURCES: usize = 12;

pub(super) fn body(values: &Values<'_>) -> Markup {
    let Values { recompiled, sought, part, resources } = values;
    let address = format!("/kukla/values/{}", segment(&recompiled.name));
    let find = format!("{address}?find={}&", segment(sought));
    html! {
        (heading(&recompiled.name, Tab::Values))
        (provenance(recompiled))
        form.find action=(address) role="search" {
            label for="find" { "Resource or file" }
            input #find name="find" type="search" value=(sought) autocomplete="off"
                placeholder="Class[Ntp]";
            button { "Find" }
        }
        @if resources.is_empty() { p.empty { "No resource with a parameter is like that." } }
        @for (resource, parameters) in resources { (one(resource, parameters)) }
        (part.links(&find))
    }
}

/// Shows of what the catalog was made.
fn provenance(recompiled: &Recompiled) -> Markup {
    let Recompiled { now, facts, former, code, former_code, former_environment, .. } = recompiled;
    let environment = recompiled.catalog.environment.as_str();
    html! {
        p.note {
            "Compiled for this page in " (recompiled.took.as_millis()) " ms: facts that came "
            (ago(*now, *facts)) ", environment " b { (environment) } ", the code of now"
            @if let Some(code) = code { " (" code { (code) } ")" }
            ". "
            @if let Some(former) = former {
                "The agent’s catalog came " (ago(*now, Some(*former)))
                @if let Some(version) = former_code { ", version " code { (version) } }
                @if former_environment.as_deref().is_some_and(|former| former != environment) {
                    ", environment " b { (former_environment.as_deref().unwrap_or_default()) }
                }
                "; it may differ."
            }
        }
    }
}

fn one(resource: &Resource, parameters: &[Shown]) -> Markup {
    html! {
        section.resource {
            h2 { (resource.reference())
                @if let Some(file) = &resource.file {
                    " " span.quiet { "declared in " (place(file, resource.line.map(u64::from))) }
                }
            }
            table.values {
                thead { tr { th { "Parameter" } th { "Value" } th { "Comes from" } } }
                tbody {
                    @for shown in parameters {
                        tr {
                            td { code { (shown.name) } }
                            td { (value(shown.value.as_deref())) }
                            td { (origin(&shown.origin, 0)) (sources(&shown.origin)) }
                        }
                    }
                }
            }
        }
    }
}

fn value(value: Option<&str>) -> Markup {
    let Some(value) = value else { return html! { em.quiet { (SECRET) } } };
    let cut = value.char_indices().nth(MOST_CHARACTERS).map(|(at, _)| at);
    html! {
        @match cut {
            None => { code { (value) } }
            Some(at) => {
                code { (value[..at]) } " " span.quiet { "… and " (value[at..].chars().count()) " characters more" }
            }
        }
    }
}

/// Shows an origin: its kind and its place.
fn origin(origin: &Value, depth: usize) -> Markup {
    let kind = origin["origin"].as_str().unwrap_or_default();
    html! {
        span.kind { (words(kind)) }
        @match kind {
            "data" => { " " (data(origin)) }
            "inherited" => { " " (origin["container"].as_str().unwrap_or_default()) }
            "exported" => { " " (origin["exporter"].as_str().unwrap_or_default()) }
            "parts" => {
                @if depth < 2 {
                    ul { @for part in origin["parts"].as_array().into_iter().flatten().take(MOST_SOURCES) {
                        li { (self::origin(part, depth + 1)) }
                    } }
                }
            }
            _ => { @if let Some(file) = origin["file"].as_str() { " " (place(file, origin["line"].as_u64())) } }
        }
    }
}

/// Shows the ends of the chain that leads to a value, where they say more than the origin itself.
fn sources(origin: &Value) -> Markup {
    let leaves = origin["leaves"].as_array().map(Vec::as_slice).unwrap_or_default();
    let is_same = |leaf: &&Value| {
        leaf["file"] == origin["file"]
            && leaf["line"] == origin["line"]
            && leaf["key"] == origin["key"]
            && leaf["name"].is_null()
    };
    let others: Vec<&Value> = leaves.iter().filter(|leaf| !is_same(leaf)).collect();
    html! {
        @if !others.is_empty() {
            ul.sources {
                @for leaf in others.iter().take(MOST_SOURCES) { li { (source(leaf)) } }
                @if others.len() > MOST_SOURCES { li.quiet { "and " (others.len() - MOST_SOURCES) " more" } }
            }
        }
    }
}

fn source(leaf: &Value) -> Markup {
    let kind = leaf["leaf"].as_str().unwrap_or_default();
    html! {
        "← " span.kind { (words(kind)) }
        @match kind {
            "data" => { " " (data(leaf)) }
            _ => {
                @if let Some(name) = leaf["name"].as_str().or(leaf["exporter"].as_str()) { " " code { (name) } }
                @if let Some(file) = leaf["file"].as_str() { " " (place(file, leaf["line"].as_u64())) }
            }
        }
    }
}

fn data(origin: &Value) -> Markup {
    let places = origin["places"].as_array().map(Vec::as_slice).unwrap_or_default();
    html! {
        code { (origin["key"].as_str().unwrap_or_default()) }
        @for place in places.iter().take(MOST_SOURCES) {
            " in " (self::place(place["file"].as_str().unwrap_or_default(), place["line"].as_u64()))
            @if let Some(level) = place["level"].as_str().filter(|level| !level.is_empty()) {
                " " span.quiet { "(" (level) ")" }
            }
        }
    }
}

/// Shows a place by the end of its path; the whole path is its title.
fn place(file: &str, line: Option<u64>) -> Markup {
    let mut starts = file.rmatch_indices('/').map(|(at, _)| at + 1);
    let short = starts.nth(2).map_or(file, |at| &file[at..]);
    html! {
        span.place title=(file) { (short) @if let Some(line) = line.filter(|line| *line > 0) { ":" (line) } }
    }
}

/// Returns the name of an origin for people.
fn words(kind: &str) -> &str {
    match kind {
        "data" => "data",
        "parts" => "several",
        "inherited" => "its container",
        "exported" => "another node",
        "classifier" => "the classifier",
        "title" => "its title",
        "type" => "its type",
        "compiler" => "the compiler",
        "fact" => "fact",
        "setting" => "setting",
        "unknown" => "not traced",
        "default" | "parameter_default" => "default",
        "body_default" | "resource_default" => "default of the resource",
        "literal" | "expression" => "code",
        "call" => "function call",
        other => other,
    }
}
