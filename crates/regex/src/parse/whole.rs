//! Ruby's last checks, on the whole tree: references refer to groups, look-behinds have a known length, conditions have two
//! branches.

use super::lengths::{Lengths, Varies};
use super::problem::{self, Problem};
use super::tree::{Anchor, Backref, GroupKind, LookKind, Node, NodeId, Reference, Tree};

/// Refuses a tree that can't be compiled.
pub(super) fn check(tree: &Tree<'_>) -> Result<(), Problem> {
    let has_look_behind = |node: &Node<'_>| {
        matches!(node, Node::Look { kind: LookKind::Behind | LookKind::NotBehind, .. })
    };
    let mut check = TreeCheck {
        tree,
        lengths: Lengths::new(tree),
        fits_look_behind: match tree.nodes.iter().any(has_look_behind) {
            true => fits_look_behind(tree),
            false => Vec::new(),
        },
        has_wrong_backref: tree.nodes.iter().any(|node| refers_to_nothing(tree, node)),
    };
    check.node(tree.root)?;
    conditions(tree)
}

struct TreeCheck<'t, 'p> {
    tree: &'t Tree<'p>,
    lengths: Lengths<'t, 'p>,
    /// For each node, whether it may be in `(?<=…)` and in `(?<!…)`; empty if there are no look-behinds.
    fits_look_behind: Vec<(bool, bool)>,
    has_wrong_backref: bool,
}

impl TreeCheck<'_, '_> {
    fn node(&mut self, id: NodeId) -> Result<(), Problem> {
        stacker::maybe_grow(64 << 10, 1 << 20, || match &self.tree.nodes[id] {
            Node::List(children) | Node::Alternatives(children) => {
                children.iter().try_for_each(|&child| self.node(child))
            }
            node @ Node::Backref(_) if refers_to_nothing(self.tree, node) => Err(problem::BACKREF),
            Node::Repeat(repeat) => {
                // Ruby computes the length first, and meets wrong back-references there.
                if self.has_wrong_backref && !repeat.is_never() {
                    self.lengths.consumes(repeat.body)?;
                }
                self.node(repeat.body)
            }
            Node::Group { kind: GroupKind::Condition { number, by_name }, body } => {
                if !by_name && self.tree.n_named > 0 {
                    return Err(problem::NUMBER_BESIDE_NAMES);
                }
                if *number > self.tree.n_groups() {
                    return Err(problem::BACKREF);
                }
                self.node(*body)
            }
            Node::Group { body, .. }
            | Node::Look { kind: LookKind::Ahead | LookKind::NotAhead, body } => self.node(*body),
            Node::Look { kind, body } => self.look_behind(*kind, *body),
            Node::Text { .. }
            | Node::Any { .. }
            | Node::Set(_)
            | Node::LineBreak
            | Node::Cluster
            | Node::Backref(_)
            | Node::Call(_)
            | Node::Anchor(_) => Ok(()),
        })
    }

    fn look_behind(&mut self, kind: LookKind, body: NodeId) -> Result<(), Problem> {
        let (fits, fits_negated) = self.fits_look_behind[body];
        if !(if kind == LookKind::NotBehind { fits_negated } else { fits }) {
            return Err(problem::LOOK_BEHIND);
        }
        self.node(body)?;
        match self.lengths.n_characters(body) {
            // Ruby makes a look-behind of each alternative.
            Ok(_) | Err(Varies::InAlternatives) => Ok(()),
            Err(Varies::Otherwise) => Err(problem::LOOK_BEHIND),
        }
    }
}

/// Returns true for a back-reference to a number that no group has.
fn refers_to_nothing(tree: &Tree<'_>, node: &Node<'_>) -> bool {
    matches!(
        node,
        Node::Backref(Reference { to: Backref::Number(number), .. }) if *number > tree.n_groups()
    )
}

/// Returns for each node whether it may be in `(?<=…)` and in `(?<!…)`.
fn fits_look_behind(tree: &Tree<'_>) -> Vec<(bool, bool)> {
    let mut fits: Vec<(bool, bool)> = Vec::with_capacity(tree.nodes.len());
    for node in &tree.nodes {
        let both = |a: (bool, bool), b: (bool, bool)| (a.0 && b.0, a.1 && b.1);
        fits.push(match node {
            Node::Backref(_)
            | Node::LineBreak
            | Node::Cluster
            | Node::Anchor(Anchor::TextEnd | Anchor::LastLineEnd) => (false, false),
            Node::Text { .. } | Node::Any { .. } | Node::Set(_) | Node::Call(_) => (true, true),
            Node::Anchor(_) => (true, true),
            Node::List(children) | Node::Alternatives(children) => {
                children.iter().fold((true, true), |all, &child| both(all, fits[child]))
            }
            Node::Repeat(repeat) => fits[repeat.body],
            Node::Group { kind, body } => match kind {
                GroupKind::Capture { .. } => (fits[*body].0, false),
                GroupKind::Options => fits[*body],
                GroupKind::Atomic | GroupKind::Condition { .. } | GroupKind::Absent => {
                    (false, false)
                }
            },
            Node::Look { kind: LookKind::Ahead | LookKind::NotAhead, .. } => (false, false),
            Node::Look { body, .. } => fits[*body],
        });
    }
    fits
}

/// Refuses conditions of more than two branches.
fn conditions(tree: &Tree<'_>) -> Result<(), Problem> {
    for node in &tree.nodes {
        if let Node::Group { kind: GroupKind::Condition { .. }, body } = node {
            match &tree.nodes[*body] {
                Node::Alternatives(branches) if branches.len() == 2 => {}
                _ => return Err(problem::CONDITION),
            }
        }
    }
    Ok(())
}
