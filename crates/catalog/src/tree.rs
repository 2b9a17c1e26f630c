//! Containment as an indented tree, for people.

use std::collections::HashSet;

use kukla_base::render::printable;

use crate::Catalog;

/// The maximum nesting of containers that are shown.
const MAX_DEPTH: usize = 64;

/// Formats a catalog, one resource per line, indented by its depth.
pub fn write(catalog: &Catalog) -> String {
    let mut contents = vec![Vec::new(); catalog.resources.len()];
    let mut is_contained = vec![false; catalog.resources.len()];
    for &(source, target) in &catalog.edges {
        contents[source as usize].push(target as usize);
        is_contained[target as usize] = true;
    }
    let mut tree = Tree { catalog, contents, visited: HashSet::new(), out: String::new() };
    for (root, _) in is_contained.iter().enumerate().filter(|(_, is_contained)| !**is_contained) {
        tree.add(root, 0);
    }
    tree.out
}

struct Tree<'a> {
    catalog: &'a Catalog,
    contents: Vec<Vec<usize>>,
    visited: HashSet<usize>,
    out: String,
}

impl Tree<'_> {
    fn add(&mut self, at: usize, depth: usize) {
        self.out.push_str(&"  ".repeat(depth));
        self.out.push_str(&printable(&self.catalog.resources[at].reference()));
        self.out.push('\n');
        // A resource in two containers is shown in full only once.
        if !self.visited.insert(at) || depth >= MAX_DEPTH {
            return;
        }
        for content in self.contents[at].clone() {
            self.add(content, depth + 1);
        }
    }
}
