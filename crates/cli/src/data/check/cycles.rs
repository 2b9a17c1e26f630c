//! Keys whose values need themselves: `a: "%{lookup('b')}"`, `b: "%{lookup('a')}"`.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use ecow::EcoString;
use kukla_base::Severity;
use kukla_lookup::{DataEntry, Key, Piece, pieces};

use super::Check;
use super::keys::{ParsedFile, collect, line_of};

/// The keys that each key looks up.
type Graph<'a> = BTreeMap<&'a str, BTreeSet<String>>;

impl Check<'_> {
    /// Reports cycles: an error if all values of the keys are part of it, a warning if only some are.
    pub(super) fn cycles(&mut self, files: &[ParsedFile<'_>]) {
        let (mut always, mut sometimes) = (Graph::new(), Graph::new());
        for (key, looked_up) in files.iter().flat_map(|file| &file.data.entries).map(edges) {
            always
                .entry(key)
                .and_modify(|common| common.retain(|other| looked_up.contains(other)))
                .or_insert_with(|| looked_up.clone());
            sometimes.entry(key).or_default().extend(looked_up);
        }
        let mut reported = BTreeSet::new();
        for (graph, severity) in [(&always, Severity::Error), (&sometimes, Severity::Warning)] {
            for cycle in cycles(graph) {
                if reported.insert(cycle.iter().cloned().collect::<BTreeSet<String>>()) {
                    self.cycle(&cycle, severity, files);
                }
            }
        }
    }

    fn cycle(&mut self, cycle: &[String], severity: Severity, files: &[ParsedFile<'_>]) {
        let Some(first) = cycle.first() else { return };
        let way = [cycle, std::slice::from_ref(first)].concat().join(" -> ");
        let message = match severity {
            Severity::Error => format!("`{first}` is needed to make itself: {way}"),
            _ => format!("`{first}` may be needed to make itself: {way}"),
        };
        let next = cycle.get(1).unwrap_or(first);
        let places = files.iter().flat_map(|file| {
            let entries = file.data.entries.iter().filter(|entry| entry.key == *first);
            entries.map(move |entry| (file, entry))
        });
        for (file, entry) in places.filter(|(_, entry)| edges(entry).1.contains(next)) {
            let line = line_of(&file.text, next, entry.line);
            let (code, path) = ("data-interpolation", &file.reached.path);
            self.findings.add(code, severity, path, line, message.clone(), None);
        }
    }
}

/// Returns a key and the keys that its value looks up.
fn edges(entry: &DataEntry) -> (&str, BTreeSet<String>) {
    let mut texts = Vec::new();
    if entry.key != "lookup_options" {
        collect(&entry.value, &mut texts);
    }
    let pieces = texts.into_iter().filter_map(|text| pieces(text).ok()).flatten();
    let looked_up = pieces.filter_map(|piece| match piece {
        // The whole value is interpolated before a part of it is selected.
        Piece::Lookup(key) | Piece::Alias(key) => Key::new(&EcoString::from(key)).ok(),
        Piece::Text(_) | Piece::Variable(_) => None,
    });
    (&entry.key, looked_up.map(|key| key.root().to_string()).collect())
}

/// Returns a shortest cycle through each key that is on one, starting with its first key by name.
fn cycles(graph: &Graph<'_>) -> Vec<Vec<String>> {
    let mut cycles: Vec<Vec<String>> =
        graph.keys().filter_map(|key| way_back(graph, key)).collect();
    for cycle in &mut cycles {
        let first = (0..cycle.len()).min_by_key(|index| &cycle[*index]).unwrap_or(0);
        cycle.rotate_left(first);
    }
    cycles
}

/// Returns a shortest path from a key to itself.
fn way_back(graph: &Graph<'_>, start: &str) -> Option<Vec<String>> {
    let mut came_from: BTreeMap<&str, &str> = BTreeMap::new();
    let mut queue = VecDeque::from([start]);
    while let Some(key) = queue.pop_front() {
        for next in graph.get(key).into_iter().flatten() {
            if next == start {
                let mut way = vec![key.to_owned()];
                let mut last = key;
                while let Some(before) = came_from.get(last) {
                    way.push((*before).to_owned());
                    last = before;
                }
                way.reverse();
                return Some(way);
            }
            if !came_from.contains_key(next.as_str()) {
                came_from.insert(next, key);
                queue.push_back(next);
            }
        }
    }
    None
}
