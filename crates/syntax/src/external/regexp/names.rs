//! What names of groups do to the groups without a name.
//!
//! As soon as one group has a name, parentheses without a name capture nothing and numbers refer to
//! nothing.

use super::problem::{self, Problem};
use super::tree::{Backref, GroupKind, Node, NodeId, Tree};

/// Removes the groups without a name if there are names, and refuses references by number then.
pub(super) fn check(tree: &mut Tree<'_>) -> Result<(), Problem> {
    if tree.n_named == 0 {
        return Ok(());
    }
    let is_mixed = tree.n_named != tree.n_groups();
    let mut pending = vec![tree.root];
    while let Some(id) = pending.pop() {
        match &tree.nodes[id] {
            Node::Backref { to: Backref::Number(_), .. } => {
                return Err(problem::NUMBER_BESIDE_NAMES);
            }
            // Ruby meets these here only if it has to renumber.
            Node::Group { kind: GroupKind::Condition { number, .. }, .. }
                if is_mixed && *number > tree.n_groups() =>
            {
                return Err(problem::BACKREF);
            }
            node => pending.extend(node.children().iter().rev()),
        }
    }
    if is_mixed {
        remove_unnamed(tree);
        renumber(tree);
    }
    Ok(())
}

/// Puts the content of each group without a name in the group's place.
fn remove_unnamed(tree: &mut Tree<'_>) {
    let mut replacements: Vec<NodeId> = Vec::with_capacity(tree.nodes.len());
    for (id, node) in tree.nodes.iter_mut().enumerate() {
        for child in node.children_mut() {
            *child = replacements[*child];
        }
        replacements.push(match *node {
            Node::Group { kind: GroupKind::Capture { number: 1.., name: None }, body } => body,
            _ => id,
        });
    }
    tree.root = replacements[tree.root];
}

/// Numbers the named groups anew.
fn renumber(tree: &mut Tree<'_>) {
    let mut numbers = vec![0; tree.groups.len()];
    let mut groups = vec![tree.groups[0]];
    for (old, group) in tree.groups.iter().enumerate().skip(1) {
        let is_named = group.is_some_and(|group| {
            matches!(
                tree.nodes[group],
                Node::Group { kind: GroupKind::Capture { name: Some(_), .. }, .. }
            )
        });
        if is_named {
            numbers[old] = groups.len();
            groups.push(*group);
        }
    }
    tree.groups = groups;
    for node in &mut tree.nodes {
        if let Node::Group {
            kind: GroupKind::Capture { number, .. } | GroupKind::Condition { number, .. },
            ..
        } = node
        {
            *number = numbers[*number];
        }
    }
    for number in tree.names.iter_mut().flat_map(|name| &mut name.groups) {
        *number = numbers[*number];
    }
}
