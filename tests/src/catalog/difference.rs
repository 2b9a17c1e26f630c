//! Differences between two answers, described so that one mistake in many catalogs is one cause.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

use serde_json::{Map, Value};

use super::blank::blank;

/// One difference between two answers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Cause {
    /// Kind of difference without names, for grouping: `parameter File.mode`.
    pub kind: String,
    /// The place: `File[/etc/motd]`.
    pub at: String,
    /// Puppet's value.
    pub puppet: String,
    /// Kukla's value.
    pub kukla: String,
}

impl fmt::Display for Cause {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { kind, at, puppet, kukla } = self;
        write!(out, "{kind} at {at}\n  puppet {puppet}\n  kukla  {kukla}")
    }
}

/// Returns the first difference between two [`normal`](super::normal()) answers.
pub fn difference(puppet: &Value, kukla: &Value) -> Option<Cause> {
    differences(puppet, kukla).into_iter().next()
}

/// Returns all differences between two [`normal`](super::normal()) answers except in logs; one of each kind.
pub fn differences(puppet: &Value, kukla: &Value) -> Vec<Cause> {
    let mut causes = Causes::default();
    match (puppet.get("catalog"), kukla.get("catalog")) {
        (Some(puppet), Some(kukla)) => catalogs(puppet, kukla, &mut causes),
        (None, None) => causes.messages(&puppet["error"], &kukla["error"]),
        (Some(_), None) => {
            let message = text(&kukla["error"]);
            causes.add(format!("kukla fails: {}", blank(&message)), "catalog", "", &message);
        }
        (None, Some(_)) => {
            let message = text(&puppet["error"]);
            causes.add(format!("only puppet fails: {}", blank(&message)), "catalog", &message, "");
        }
    }
    causes.found
}

#[derive(Default)]
struct Causes {
    found: Vec<Cause>,
    kinds: BTreeSet<String>,
}

impl Causes {
    fn add(&mut self, kind: String, at: &str, puppet: &str, kukla: &str) {
        if self.kinds.insert(kind.clone()) {
            let owned = str::to_owned;
            self.found.push(Cause {
                kind,
                at: owned(at),
                puppet: owned(puppet),
                kukla: owned(kukla),
            });
        }
    }

    fn compare(&mut self, kind: String, at: &str, puppet: Option<&Value>, kukla: Option<&Value>) {
        let (puppet, kukla) = (optional(puppet), optional(kukla));
        if puppet != kukla {
            self.add(kind, at, &puppet, &kukla);
        }
    }

    fn messages(&mut self, puppet: &Value, kukla: &Value) {
        let (puppet, kukla) = (text(puppet), text(kukla));
        if puppet != kukla {
            let kind = format!("message: {} / {}", blank(&puppet), blank(&kukla));
            self.add(kind, "error", &puppet, &kukla);
        }
    }
}

fn catalogs(puppet: &Value, kukla: &Value, causes: &mut Causes) {
    resources(&puppet["resources"], &kukla["resources"], causes);
    edges(&puppet["edges"], &kukla["edges"], causes);
    for (key, value) in puppet.as_object().into_iter().flatten() {
        if key != "resources" && key != "edges" {
            causes.compare(format!("catalog's {key}"), "catalog", Some(value), kukla.get(key));
        }
    }
    let order = |catalog: &Value| keys(catalog.as_object());
    if order(puppet) != order(kukla) {
        causes.add("catalog's keys".to_owned(), "catalog", &order(puppet), &order(kukla));
    }
}

fn resources(puppet: &Value, kukla: &Value, causes: &mut Causes) {
    let (puppet, kukla) = (by_reference(puppet), by_reference(kukla));
    let (theirs, ours): (BTreeMap<_, _>, BTreeMap<_, _>) =
        (puppet.iter().cloned().collect(), kukla.iter().cloned().collect());
    for (reference, _) in puppet.iter().filter(|(reference, _)| !ours.contains_key(reference)) {
        causes.add(format!("missing resource {}", kind_of(reference)), reference, reference, "");
    }
    for (reference, _) in kukla.iter().filter(|(reference, _)| !theirs.contains_key(reference)) {
        causes.add(format!("extra resource {}", kind_of(reference)), reference, "", reference);
    }
    for (reference, resource) in &puppet {
        if let Some(other) = ours.get(reference) {
            self::resource(reference, resource, other, causes);
        }
    }
    let order = |list: &[(String, &Value)], others: &BTreeMap<String, &Value>| -> Vec<String> {
        list.iter().map(|(name, _)| name.clone()).filter(|name| others.contains_key(name)).collect()
    };
    compare_order("order of resources", &order(&puppet, &ours), &order(&kukla, &theirs), causes);
}

fn resource(reference: &str, puppet: &Value, kukla: &Value, causes: &mut Causes) {
    // Compared as text: two JSON objects with different key order are equal, and that order matters.
    let (theirs, ours) = (puppet.to_string(), kukla.to_string());
    if theirs == ours {
        return;
    }
    let kind = kind_of(reference);
    let all = union(puppet.as_object(), kukla.as_object());
    for key in all.iter().filter(|key| *key != "parameters") {
        let word = match key.as_str() {
            "tags" => extent(&puppet[key], &kukla[key]),
            _ => "",
        };
        let kind = format!("{key} of {}{word}", if key == "tags" { "a resource" } else { kind });
        causes.compare(kind, reference, puppet.get(key), kukla.get(key));
    }
    let theirs = puppet["parameters"].as_object();
    let ours = kukla["parameters"].as_object();
    for name in union(theirs, ours) {
        let (one, other) = (theirs.and_then(|p| p.get(&name)), ours.and_then(|p| p.get(&name)));
        let word = match (one, other) {
            (Some(_), None) => " missing",
            (None, Some(_)) => " extra",
            _ => "",
        };
        causes.compare(format!("parameter {kind}.{name}{word}"), reference, one, other);
    }
    if causes.found.is_empty() {
        let order = match keys(puppet.as_object()) == keys(kukla.as_object()) {
            true => format!("order of parameters of {kind}"),
            false => "order of a resource's keys".to_owned(),
        };
        causes.add(order, reference, &puppet.to_string(), &kukla.to_string());
    }
}

fn edges(puppet: &Value, kukla: &Value, causes: &mut Causes) {
    let list = |edges: &Value| -> Vec<String> {
        let edges = edges.as_array().into_iter().flatten();
        edges
            .map(|edge| format!("{} -> {}", text(&edge["source"]), text(&edge["target"])))
            .collect()
    };
    let (puppet, kukla) = (list(puppet), list(kukla));
    let (theirs, ours): (BTreeSet<_>, BTreeSet<_>) =
        (puppet.iter().collect(), kukla.iter().collect());
    for edge in puppet.iter().filter(|edge| !ours.contains(edge)) {
        causes.add("missing edge".to_owned(), edge, edge, "");
    }
    for edge in kukla.iter().filter(|edge| !theirs.contains(edge)) {
        causes.add("extra edge".to_owned(), edge, "", edge);
    }
    let order = |list: &[String], others: &BTreeSet<&String>| -> Vec<String> {
        list.iter().filter(|edge| others.contains(edge)).cloned().collect()
    };
    compare_order("order of edges", &order(&puppet, &ours), &order(&kukla, &theirs), causes);
}

fn compare_order(kind: &str, puppet: &[String], kukla: &[String], causes: &mut Causes) {
    if let Some(at) = puppet.iter().zip(kukla).position(|(one, other)| one != other) {
        let (one, other) = (&puppet[at], &kukla[at]);
        causes.add(kind.to_owned(), &format!("position {at}"), one, other);
    } else if puppet.len() != kukla.len() {
        let (one, other) = (puppet.len().to_string(), kukla.len().to_string());
        causes.add(format!("{kind}: doubles"), "the end", &one, &other);
    }
}

/// Returns resources in order; repeated references are numbered.
fn by_reference(resources: &Value) -> Vec<(String, &Value)> {
    let mut seen: BTreeMap<String, usize> = BTreeMap::new();
    let resources = resources.as_array().into_iter().flatten();
    let reference =
        |resource: &Value| format!("{}[{}]", text(&resource["type"]), text(&resource["title"]));
    resources
        .map(|resource| {
            let reference = reference(resource);
            let number = seen.entry(reference.clone()).or_default();
            *number += 1;
            let name = if *number > 1 { format!("{reference} ({number})") } else { reference };
            (name, resource)
        })
        .collect()
}

fn kind_of(reference: &str) -> &str {
    reference.split('[').next().unwrap_or(reference)
}

fn extent(puppet: &Value, kukla: &Value) -> &'static str {
    let set = |tags: &Value| -> BTreeSet<String> {
        tags.as_array().into_iter().flatten().map(text).collect()
    };
    let (puppet, kukla) = (set(puppet), set(kukla));
    match (puppet.is_subset(&kukla), kukla.is_subset(&puppet)) {
        (true, false) => " (too many)",
        (false, true) => " (too few)",
        _ => "",
    }
}

fn union(one: Option<&Map<String, Value>>, other: Option<&Map<String, Value>>) -> Vec<String> {
    let mut all: Vec<String> = one.into_iter().flat_map(Map::keys).cloned().collect();
    for key in other.into_iter().flat_map(Map::keys) {
        if !all.contains(key) {
            all.push(key.clone());
        }
    }
    all
}

fn keys(object: Option<&Map<String, Value>>) -> String {
    object.into_iter().flat_map(Map::keys).cloned().collect::<Vec<_>>().join(" ")
}

fn optional(value: Option<&Value>) -> String {
    value.map(ToString::to_string).unwrap_or_default()
}

fn text(value: &Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), str::to_owned)
}
