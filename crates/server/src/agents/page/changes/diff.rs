//! One resource before and after.

use std::collections::BTreeSet;

use kukla_store::{ResourceDifference, ResourceState};
use maud::{Markup, html};
use serde_json::{Value, json};

/// The most characters of a value.
const MOST_CHARACTERS: usize = 400;

/// A resource that differs.
pub(super) struct Differing {
    name: String,
    kind: &'static str,
    place: Option<String>,
    parts: Vec<DifferingPart>,
}

/// A part of a resource that differs: a parameter, or the place, the tags or whether it is exported.
struct DifferingPart {
    name: String,
    is_parameter: bool,
    before: Option<Value>,
    after: Option<Value>,
}

impl Differing {
    pub(super) fn of(difference: &ResourceDifference) -> Self {
        let ResourceDifference { type_, title, before, after } = difference;
        let (before, after) = (before.as_ref(), after.as_ref());
        let kind = match (before, after) {
            (None, _) => "new",
            (_, None) => "gone",
            _ => "changed",
        };
        let empty = serde_json::Map::new();
        let of =
            |state: Option<&ResourceState>| state.map_or(empty.clone(), |it| it.parameters.clone());
        let (old, new) = (of(before), of(after));
        let names: BTreeSet<&String> = old.keys().chain(new.keys()).collect();
        let mut parts: Vec<DifferingPart> = names
            .into_iter()
            .map(|name| DifferingPart {
                name: name.clone(),
                is_parameter: true,
                before: old.get(name).cloned(),
                after: new.get(name).cloned(),
            })
            .collect();
        if let (Some(before), Some(after)) = (before, after) {
            for (name, before, after) in [
                ("declared in", place(before).into(), place(after).into()),
                ("tags", json!(before.tags), json!(after.tags)),
                ("exported", before.is_exported.into(), after.is_exported.into()),
            ] {
                parts.push(DifferingPart {
                    name: name.to_owned(),
                    is_parameter: false,
                    before: Some(before),
                    after: Some(after),
                });
            }
        }
        parts.retain(|part| part.before != part.after);
        let name = format!("{type_}[{title}]");
        Self {
            name,
            kind,
            place: after.or(before).map(place).filter(|text| !text.is_empty()),
            parts,
        }
    }

    pub(super) fn json(&self) -> Value {
        let part = |part: &DifferingPart| {
            json!({
                "name": part.name, "parameter": part.is_parameter,
                "before": part.before, "after": part.after,
            })
        };
        json!({
            "resource": self.name, "kind": self.kind, "place": self.place,
            "parts": self.parts.iter().map(part).collect::<Vec<_>>(),
        })
    }

    pub(super) fn show(&self) -> Markup {
        html! {
            section.resource {
                h2 {
                    span.tag.(self.kind) { (self.kind) } " " (self.name)
                    @if let Some(place) = &self.place { " " span.quiet { (place) } }
                }
                @if !self.parts.is_empty() {
                    table.changes {
                        thead { tr { th { "Parameter" } th { "Before" } th { "After" } } }
                        tbody {
                            @for part in &self.parts {
                                tr {
                                    td { @if part.is_parameter { code { (part.name) } } @else { (part.name) } }
                                    td { (value(part.before.as_ref(), false)) }
                                    td { (value(part.after.as_ref(), true)) }
                                }
                            }
                        }
                    }
                }
            }
        }
    }
}

fn place(state: &ResourceState) -> String {
    match (&state.file, state.line) {
        (Some(file), Some(line)) => format!("{file}:{line}"),
        (Some(file), None) => file.clone(),
        _ => String::new(),
    }
}

fn value(value: Option<&Value>, is_after: bool) -> Markup {
    let Some(value) = value else { return html! { span.quiet { "not set" } } };
    let text = match value {
        Value::String(text) => text.clone(),
        other => other.to_string(),
    };
    let shown: String = text.chars().take(MOST_CHARACTERS).collect();
    let n_more = text.chars().count() - shown.chars().count();
    html! {
        @if is_after { ins { (shown) } } @else { del { (shown) } }
        @if n_more > 0 { " " span.quiet { "… and " (n_more) " characters more" } }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn state(parameters: &Value, line: i64) -> ResourceState {
        ResourceState {
            file: Some("site.pp".to_owned()),
            line: Some(line),
            is_exported: false,
            tags: vec!["file".to_owned()],
            parameters: parameters.as_object().expect("an object").clone(),
        }
    }

    #[test]
    fn only_what_differs_is_shown() {
        let difference = |before: Option<ResourceState>, after: Option<ResourceState>| {
            let (type_, title) = ("File".to_owned(), "/a".to_owned());
            Differing::of(&ResourceDifference { type_, title, before, after }).json()
        };
        let old = state(&json!({ "mode": "0644", "owner": "root" }), 1);
        let new = state(&json!({ "mode": "0600", "owner": "root", "group": "x" }), 1);
        let changed = difference(Some(old.clone()), Some(new.clone()));
        assert_eq!(changed["kind"], "changed");
        assert_eq!(
            changed["parts"],
            json!([
                { "name": "group", "parameter": true, "before": null, "after": "x" },
                { "name": "mode", "parameter": true, "before": "0644", "after": "0600" },
            ])
        );
        assert_eq!(difference(None, Some(new))["kind"], "new");
        assert_eq!(difference(Some(old.clone()), None)["kind"], "gone");
        let moved =
            difference(Some(old), Some(state(&json!({ "mode": "0644", "owner": "root" }), 9)));
        assert_eq!(moved["parts"][0]["after"], "site.pp:9");
    }
}
