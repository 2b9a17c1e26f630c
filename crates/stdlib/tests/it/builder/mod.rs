//! The catalog builder: small programs, and what real Puppet 7.23 makes of them.
//!
//! The expected lines were printed from catalogs that Puppet compiled; only [`origins`] has no counterpart there.

mod collectors;
mod defaults;
mod order;
mod origins;
mod overrides;
mod parameters;
mod relationships;
mod tags;

use kukla_catalog::{Catalog, Resource, json};

/// Resources that every catalog has.
const ALWAYS: [&str; 3] = ["Stage[main]", "Class[Settings]", "Class[main]"];

/// Returns the resources that the code declares, in order, as `Type[title] name=value …`, sorted by name.
fn resources(catalog: &Catalog) -> Vec<String> {
    declared(catalog)
        .map(|resource| {
            let mut parameters: Vec<String> = resource
                .parameters
                .iter()
                .map(|(name, value)| parameter(name.as_str(), value))
                .collect();
            parameters.sort();
            parameters.insert(0, resource.reference());
            parameters.join(" ")
        })
        .collect()
}

fn parameter(name: &str, value: &kukla_pcore::Value) -> String {
    let mut text = format!("{name}=");
    json::value(value, &mut text);
    text
}

/// Returns the resources that the code declares with their tags, as `Type[title]: tag tag …`, sorted.
fn tags(catalog: &Catalog) -> Vec<String> {
    declared(catalog)
        .map(|resource| {
            let names = resource.tags.iter().map(|&tag| catalog.tag_names[tag as usize].as_str());
            let mut names: Vec<&str> = names.collect();
            names.sort_unstable();
            format!("{}: {}", resource.reference(), names.join(" "))
        })
        .collect()
}

/// Returns what contains what, as `Container[title] > Content[title]`.
fn edges(catalog: &Catalog) -> Vec<String> {
    let reference = |number: u32| catalog.resources[number as usize].reference();
    let edges = catalog.edges.iter();
    edges.map(|&(from, to)| format!("{} > {}", reference(from), reference(to))).collect()
}

fn declared(catalog: &Catalog) -> impl Iterator<Item = &Resource> {
    catalog.resources.iter().filter(|resource| !ALWAYS.contains(&&*resource.reference()))
}
