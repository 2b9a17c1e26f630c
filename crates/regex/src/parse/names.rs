//! The effect of named groups on those without a name.
//!
//! As soon as one group has a name, parentheses without a name capture nothing and numbers refer to
//! nothing.

use super::problem::{self, Problem};
use super::reduce::reduce;
use super::tree::{Backref, GroupKind, Node, NodeId, Reference, Repeat, Tree};

/// Removes the groups without a name if there are names, and refuses references by number then.
pub(super) fn check(tree: &mut Tree<'_>) -> Result<(), Problem> {
    if tree.n_named == 0 {
        return Ok(());
    }
    let is_mixed = tree.n_named != tree.n_groups();
    let mut pending = vec![tree.root];
    while let Some(id) = pending.pop() {
        match &tree.nodes[id] {
            Node::Backref(Reference { to: Backref::Number(_), .. }) => {
                return Err(problem::NUMBER_BESIDE_NAMES);
            }
            // Ruby checks these here only if it has to renumber.
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
    for id in 0..tree.nodes.len() {
        let before = tree.nodes[id].children().first().copied();
        for child in tree.nodes[id].children_mut() {
            *child = replacements[*child];
        }
        replacements.push(match tree.nodes[id] {
            Node::Group { kind: GroupKind::Capture { number: 1.., name: None }, body } => body,
            Node::Repeat(repeat) if before != Some(repeat.body) => {
                reduce_repeat(tree, id, repeat);
                id
            }
            _ => id,
        });
    }
    tree.root = replacements[tree.root];
}

/// Combines a quantifier with the one that it has come to apply to.
fn reduce_repeat(tree: &mut Tree<'_>, id: NodeId, outer: Repeat) {
    if let Node::Repeat(inner) = tree.nodes[outer.body] {
        let (outer, changed) = reduce(outer, inner);
        if outer.body != inner.body {
            tree.nodes[outer.body] = Node::Repeat(changed);
        }
        tree.nodes[id] = Node::Repeat(outer);
    }
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
