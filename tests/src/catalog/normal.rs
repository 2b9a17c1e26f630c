//! Normalization: answers without differences that have no meaning.

use serde_json::{Map, Value};

/// Keys of a catalog that differ from run to run.
const FLEETING: [&str; 3] = ["version", "catalog_uuid", "code_id"];

/// Normalizes an answer for comparison and storage: `catalog` or `error`, `exported` if requested, and `logs`.
///
/// Paths start at `root`; tags are sorted, since they are a set.
pub fn normal(answer: &Value, root: &str, displayed: &str) -> Value {
    let mut out = Map::new();
    if let Some(catalog) = answer.get("catalog").filter(|catalog| !catalog.is_null()) {
        out.insert("catalog".to_owned(), normal_catalog(catalog));
    }
    if let Some(exported) = answer.get("exported").and_then(Value::as_array) {
        out.insert("exported".to_owned(), exported.iter().map(normal_resource).collect());
    }
    if let Some(error) = answer.get("error").filter(|error| !error.is_null()) {
        out.insert("error".to_owned(), error.clone());
    }
    let logs = answer["logs"].as_array().cloned().unwrap_or_default();
    out.insert("logs".to_owned(), logs.into_iter().filter(|log| !is_timing(log)).collect());
    let mut out = Value::Object(out);
    if !root.is_empty() {
        change(&mut out, &|text| text.contains(root).then(|| text.replace(root, displayed)));
    }
    change(&mut out, &without_address);
    out
}

/// Normalizes a resource.
pub fn normal_resource(resource: &Value) -> Value {
    let mut resource = resource.clone();
    sort_tags(&mut resource);
    resource
}

fn normal_catalog(catalog: &Value) -> Value {
    let mut catalog = catalog.clone();
    sort_tags(&mut catalog);
    if let Some(catalog) = catalog.as_object_mut() {
        for key in FLEETING {
            catalog.shift_remove(key);
        }
    }
    if let Some(resources) = catalog.get_mut("resources").and_then(Value::as_array_mut) {
        resources.iter_mut().for_each(sort_tags);
    }
    catalog
}

fn sort_tags(holder: &mut Value) {
    if let Some(tags) = holder.get_mut("tags").and_then(Value::as_array_mut) {
        tags.sort_by(|left, right| left.as_str().cmp(&right.as_str()));
    }
}

/// `Compiled catalog for … in 0.12 seconds`
fn is_timing(log: &Value) -> bool {
    log["message"].as_str().is_some_and(|message| message.starts_with("Compiled catalog for "))
}

/// Removes the memory address of `#<Puppet::Resource::Type:0x00007f16a9d2dc48>`, which some messages have.
fn without_address(text: &str) -> Option<String> {
    let (before, rest) = text.split_once("#<")?;
    let (object, after) = rest.split_once('>')?;
    let (class, _) = object.split_once(":0x")?;
    Some(format!("{before}#<{class}>{after}"))
}

fn change(value: &mut Value, new: &dyn Fn(&str) -> Option<String>) {
    match value {
        Value::String(text) => {
            if let Some(new) = new(text) {
                *text = new;
            }
        }
        Value::Array(items) => items.iter_mut().for_each(|item| change(item, new)),
        Value::Object(entries) => entries.values_mut().for_each(|item| change(item, new)),
        _ => {}
    }
}
