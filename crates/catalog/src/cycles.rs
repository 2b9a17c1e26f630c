//! Dependency cycles.
//!
//! The graph is that of an agent: a container begins before and ends after everything that it contains, and a resource before a
//! container comes before the container's beginning.

use std::collections::{BTreeMap, HashMap, VecDeque};

use kukla_base::render::printable;
use kukla_pcore::Value;

use crate::components::components;
use crate::{Catalog, Resource};

/// The number of steps in the search for shorter cycles.
const MAX_STEPS: usize = 500_000;

/// A dependency cycle.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Cycle {
    /// Numbers of resources, each before the next, and the last before the first.
    pub resources: Vec<u32>,
}

impl Cycle {
    /// Formats the cycle: `File[/a] => File[/b] => File[/a]`.
    pub fn path(&self, catalog: &Catalog) -> String {
        let around = self.resources.iter().chain(self.resources.first());
        let names: Vec<String> =
            around.map(|&n| printable(&catalog.resources[n as usize].reference()).into()).collect();
        names.join(" => ")
    }

    /// Returns the places of its declarations, where known: `File[/a] (site.pp:3)`.
    pub fn places(&self, catalog: &Catalog) -> Vec<String> {
        let resources = self.resources.iter().map(|&n| &catalog.resources[n as usize]);
        let place = |resource: &Resource| {
            let reference = resource.reference();
            Some(format!("{} ({})", printable(&reference), resource.place()?))
        };
        resources.filter_map(place).collect()
    }
}

/// Returns the shortest cycle of each component of resources that depend on each other.
pub fn find(catalog: &Catalog) -> Vec<Cycle> {
    let relationships: Vec<(usize, usize)> =
        relationships(catalog).iter().map(Relationship::ordered).collect();
    // Containment is a tree, without cycles of its own.
    if relationships.is_empty() {
        return Vec::new();
    }
    let graph = graph(catalog, &relationships);
    let mut steps = MAX_STEPS;
    let mut cycles: Vec<Cycle> = components(&graph)
        .iter()
        .filter_map(|component| shortest(&graph, component, &mut steps))
        .collect();
    cycles.sort_by(|a, b| a.resources.cmp(&b.resources));
    cycles
}

/// A relationship that a parameter of a resource names.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Relationship {
    /// The number of the resource that has the parameter.
    pub own: u32,
    /// The number of the resource that it names.
    pub other: u32,
    /// `before`, `notify`, `require` or `subscribe`
    pub parameter: &'static str,
}

impl Relationship {
    /// Returns the resource that comes first, and the one that comes second.
    fn ordered(&self) -> (usize, usize) {
        let (own, other) = (self.own as usize, self.other as usize);
        match self.parameter {
            "before" | "notify" => (own, other),
            _ => (other, own),
        }
    }
}

/// Returns the relationships that parameters name, among resources of the catalog.
pub fn relationships(catalog: &Catalog) -> Vec<Relationship> {
    let mut found = Vec::new();
    let mut names = None;
    for (own, resource) in (0..).zip(&catalog.resources) {
        for (name, value) in &resource.parameters {
            let known = ["before", "notify", "require", "subscribe"];
            let Some(parameter) = known.into_iter().find(|known| *known == name.as_str()) else {
                continue;
            };
            let names = names.get_or_insert_with(|| self::names(catalog));
            each_reference(value, &mut |reference| {
                if let Some(&other) = names.get(key(reference)) {
                    let other = u32::try_from(other).unwrap_or(u32::MAX);
                    found.push(Relationship { own, other, parameter });
                }
            });
        }
    }
    found
}

/// Returns resources by reference; an alias, a name or the path of a file is an alternative to the title.
fn names(catalog: &Catalog) -> HashMap<String, usize> {
    let mut names = HashMap::with_capacity(catalog.resources.len());
    for (n, resource) in catalog.resources.iter().enumerate() {
        names.insert(key(&resource.reference()).to_owned(), n);
    }
    for (n, resource) in catalog.resources.iter().enumerate() {
        for (name, value) in &resource.parameters {
            let is_name = match name.as_str() {
                "alias" | "name" => true,
                "path" => resource.type_.as_str() == "File",
                _ => false,
            };
            if is_name {
                each_reference(value, &mut |text| {
                    let reference = format!("{}[{text}]", resource.type_);
                    names.entry(key(&reference).to_owned()).or_insert(n);
                });
            }
        }
    }
    names
}

/// Normalizes a reference, so that `File[/tmp]` and `File[/tmp/]` are equal.
fn key(reference: &str) -> &str {
    match reference.strip_suffix(']') {
        Some(open) if reference.starts_with("File[") => open.trim_end_matches('/'),
        Some(open) => open,
        None => reference,
    }
}

fn each_reference(value: &Value, see: &mut impl FnMut(&str)) {
    match value {
        Value::String(text) => see(text),
        Value::Array(values) => {
            for value in values.iter() {
                if let Value::String(text) = value {
                    see(text);
                }
            }
        }
        _ => (),
    }
}

/// Returns the successors of each point; resource `n` begins at point `2n` and ends at `2n + 1`, which is the same point
/// unless it is a container.
fn graph(catalog: &Catalog, relationships: &[(usize, usize)]) -> Vec<Vec<usize>> {
    let mut graph = vec![Vec::new(); catalog.resources.len() * 2];
    let mut is_container = vec![false; catalog.resources.len()];
    for &(container, _) in &catalog.edges {
        is_container[container as usize] = true;
    }
    let end = |n: usize| 2 * n + usize::from(is_container[n]);
    for &(container, content) in &catalog.edges {
        let (container, content) = (container as usize, content as usize);
        graph[2 * container].push(2 * content);
        graph[end(content)].push(end(container));
    }
    for &(first, second) in relationships {
        graph[end(first)].push(2 * second);
    }
    graph
}

/// Returns the shortest cycle of a component; once the steps are used up, the shortest so far.
fn shortest(graph: &[Vec<usize>], component: &[usize], steps: &mut usize) -> Option<Cycle> {
    let mut best: Option<Vec<usize>> = None;
    for &start in component {
        if best.is_some() && *steps == 0 {
            break;
        }
        let limit = best.as_ref().map_or(usize::MAX, Vec::len);
        if let Some(way) = around(graph, component, start, limit, steps) {
            best = Some(way);
        }
    }
    Some(Cycle { resources: resources(&best?) })
}

/// Returns a cycle through a point that is shorter than a limit.
fn around(
    graph: &[Vec<usize>],
    component: &[usize],
    start: usize,
    limit: usize,
    steps: &mut usize,
) -> Option<Vec<usize>> {
    let mut from: BTreeMap<usize, usize> = BTreeMap::new();
    let mut queue = VecDeque::from([(start, 1)]);
    while let Some((at, length)) = queue.pop_front() {
        if length >= limit {
            return None;
        }
        for &next in &graph[at] {
            *steps = steps.saturating_sub(1);
            if next == start {
                let mut way = vec![at];
                let mut at = at;
                while let Some(&before) = from.get(&at) {
                    way.push(before);
                    at = before;
                }
                way.reverse();
                return Some(way);
            }
            if !from.contains_key(&next) && component.binary_search(&next).is_ok() {
                from.insert(next, at);
                queue.push_back((next, length + 1));
            }
        }
    }
    None
}

/// Returns the resources of points, beginning with the one that was declared first.
fn resources(way: &[usize]) -> Vec<u32> {
    let mut resources: Vec<u32> =
        way.iter().filter_map(|point| u32::try_from(point / 2).ok()).collect();
    let first = (0..resources.len()).min_by_key(|&n| resources[n]).unwrap_or(0);
    resources.rotate_left(first);
    resources.dedup();
    while resources.len() > 1 && resources.first() == resources.last() {
        resources.pop();
    }
    resources
}

#[cfg(test)]
mod tests;
