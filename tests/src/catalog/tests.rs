//! Tests of the comparison itself.

use serde_json::{Value, json};

use super::blank::blank;
use super::difference::differences;
use super::normal;

fn answer() -> Value {
    json!({
        "catalog": {
            "tags": ["settings", "b", "a"], "name": "n", "version": 7, "code_id": null, "catalog_uuid": "u",
            "resources": [
                {"type": "Class", "title": "main", "tags": ["class"], "file": "/tmp/x/a.pp", "line": 3},
                {"type": "File", "title": "/a", "tags": ["file", "class"], "parameters": {"mode": "1", "owner": "o"}},
            ],
            "edges": [{"source": "Class[main]", "target": "File[/a]"}],
            "classes": ["settings"],
        },
        "logs": [{"level": "notice", "message": "Compiled catalog for n in environment e in 0.01 seconds"}],
    })
}

fn kinds(change: impl FnOnce(&mut Value)) -> Vec<String> {
    let mut other = answer();
    change(&mut other);
    let normal = |answer| normal(&answer, "/tmp/x", "/envs");
    let found = differences(&normal(answer()), &normal(other));
    found.into_iter().map(|cause| cause.kind).collect()
}

#[test]
fn what_differs_by_itself_is_ignored() {
    let found = kinds(|other| {
        other["catalog"]["version"] = json!(8);
        other["catalog"]["catalog_uuid"] = json!("v");
        other["catalog"]["tags"] = json!(["a", "b", "settings"]);
        other["catalog"]["resources"][1]["tags"] = json!(["class", "file"]);
        other["logs"] = json!([]);
    });
    assert!(found.is_empty(), "{found:?}");
}

#[test]
fn everything_else_is_a_difference() {
    let resource = |key: &'static str, value: Value| {
        move |other: &mut Value| other["catalog"]["resources"][1][key] = value
    };
    assert_eq!(kinds(resource("tags", json!(["file"]))), ["tags of a resource (too few)"]);
    assert_eq!(kinds(resource("line", json!(4))), ["line of File"]);
    assert_eq!(kinds(resource("exported", json!(true))), ["exported of File"]);
    let mode = json!({"mode": "2", "owner": "o"});
    assert_eq!(kinds(resource("parameters", mode)), ["parameter File.mode"]);
    let order = json!({"owner": "o", "mode": "1"});
    assert_eq!(kinds(resource("parameters", order)), ["order of parameters of File"]);
    let fewer = json!({"mode": "1"});
    assert_eq!(kinds(resource("parameters", fewer)), ["parameter File.owner missing"]);
    assert_eq!(kinds(|other| other["catalog"]["edges"] = json!([])), ["missing edge"]);
    assert_eq!(kinds(|other| other["catalog"]["classes"] = json!([])), ["catalog's classes"]);
    assert_eq!(kinds(|other| other["catalog"]["name"] = json!("m")), ["catalog's name"]);
}

#[test]
fn order_of_resources_matters() {
    let found = kinds(|other| {
        other["catalog"]["resources"].as_array_mut().expect("a list").reverse();
    });
    assert_eq!(found, ["order of resources"]);
}

#[test]
fn missing_and_extra_resources_are_told() {
    let found = kinds(|other| other["catalog"]["resources"][1]["title"] = json!("/b"));
    assert_eq!(found, ["missing resource File", "extra resource File"]);
    let found = kinds(|other| {
        let list = other["catalog"]["resources"].as_array_mut().expect("a list");
        let double = list[1].clone();
        list.push(double);
    });
    assert_eq!(found, ["extra resource File"]);
}

#[test]
fn failures_are_told() {
    let found = kinds(|other| *other = json!({"error": "no class a::b", "logs": []}));
    assert_eq!(found, ["kukla fails: no class …"]);
}

#[test]
fn names_are_blanked() {
    let message =
        "Could not find class ::a::b for n.example.com (file: /x/y.pp, line: 12) on 'x y'";
    assert_eq!(blank(message), "Could not find class ::… for … (file: …, line: ##) on '…'");
}
