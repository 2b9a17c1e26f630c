//! Lengths: how much a part of a regular expression consumes.

use super::problem::{self, Problem};
use super::tree::{GroupKind, Node, NodeId, Reference, Repeat, Tree};
use crate::resolve::resolve;
use crate::unicode::folded;

/// Computes lengths, and caches those of groups.
#[derive(Debug)]
pub(crate) struct Lengths<'t, 'p> {
    tree: &'t Tree<'p>,
    /// For each group, whether it consumes something, once computed.
    consumes: Vec<Option<bool>>,
    /// The groups whose length is being computed.
    is_open: Vec<bool>,
    /// The number of characters of each group, once computed.
    n_characters: Vec<Option<u64>>,
}

/// The reason why a part has no fixed number of characters.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Varies {
    /// It is an alternative of parts that each have one.
    InAlternatives,
    Otherwise,
}

impl<'t, 'p> Lengths<'t, 'p> {
    pub(crate) fn new(tree: &'t Tree<'p>) -> Self {
        let n_nodes = tree.nodes.len();
        Self {
            tree,
            consumes: vec![None; n_nodes],
            is_open: vec![false; n_nodes],
            n_characters: vec![None; n_nodes],
        }
    }

    /// Makes `group` count as consuming nothing where it is met inside itself.
    pub(super) fn enter(&mut self, group: NodeId) {
        self.is_open[group] = true;
    }

    /// Ends [`Self::enter`].
    pub(super) fn leave(&mut self, group: NodeId) {
        self.is_open[group] = false;
    }

    /// Returns true if `id` always consumes something. The order of calls matters, as it does in Ruby.
    pub(crate) fn consumes(&mut self, id: NodeId) -> Result<bool, Problem> {
        stacker::maybe_grow(64 << 10, 1 << 20, || match &self.tree.nodes[id] {
            Node::Text { text, .. } => Ok(!text.is_empty()),
            Node::Any { .. } | Node::Set(_) | Node::LineBreak | Node::Cluster => Ok(true),
            Node::Anchor(_) | Node::Look { .. } => Ok(false),
            Node::Backref(Reference { is_inside: true, .. }) => Ok(false),
            Node::Backref(Reference { to, .. }) => {
                let mut consumes = true;
                for &number in self.tree.referred(to) {
                    let group = self.tree.groups.get(number).ok_or(problem::BACKREF)?;
                    consumes &= self.consumes(group.expect("all groups are closed"))?;
                }
                Ok(consumes)
            }
            Node::Call(call) if call.is_recursive => Ok(self.consumes[call.target] == Some(true)),
            Node::Call(call) => self.consumes(call.target),
            Node::List(list) => {
                let mut consumes = false;
                for &child in list {
                    consumes |= self.consumes(child)?;
                }
                Ok(consumes)
            }
            Node::Alternatives(alternatives) => {
                let mut consumes = true;
                for &child in alternatives {
                    consumes &= self.consumes(child)?;
                }
                Ok(consumes)
            }
            Node::Repeat(Repeat { lower, body, .. }) => Ok(*lower > 0 && self.consumes(*body)?),
            Node::Group { kind, body } => self.group_consumes(id, *kind, *body),
        })
    }

    fn group_consumes(
        &mut self,
        id: NodeId,
        kind: GroupKind,
        body: NodeId,
    ) -> Result<bool, Problem> {
        match kind {
            GroupKind::Capture { .. } => {
                if let Some(consumes) = self.consumes[id] {
                    return Ok(consumes);
                }
                if self.is_open[id] {
                    return Ok(false);
                }
                self.is_open[id] = true;
                let consumes = self.consumes(body);
                self.is_open[id] = false;
                self.consumes[id] = consumes.as_ref().ok().copied();
                consumes
            }
            GroupKind::Options | GroupKind::Atomic | GroupKind::Condition { .. } => {
                self.consumes(body)
            }
            GroupKind::Absent => Ok(false),
        }
    }

    /// Returns the number of characters that `id` always consumes.
    pub(crate) fn n_characters(&mut self, id: NodeId) -> Result<u64, Varies> {
        stacker::maybe_grow(64 << 10, 1 << 20, || match &self.tree.nodes[id] {
            Node::Text { text, ignores_case } => Ok(n_characters(text, *ignores_case)),
            Node::Set(class) if class.ignores_case && !self.tree.is_ascii => {
                // It may match a text of several characters as well.
                let is_set = resolve(class).texts.is_empty();
                if is_set { Ok(1) } else { Err(Varies::InAlternatives) }
            }
            Node::Any { .. } | Node::Set(_) | Node::LineBreak | Node::Cluster => Ok(1),
            Node::Anchor(_) | Node::Look { .. } => Ok(0),
            Node::Call(call) if !call.is_recursive => self.inner(call.target),
            Node::Call(_) | Node::Backref(_) => Err(Varies::Otherwise),
            Node::List(list) => {
                let mut sum = 0u64;
                for &child in list {
                    sum = sum.saturating_add(self.inner(child)?);
                }
                Ok(sum)
            }
            Node::Alternatives(alternatives) => {
                let first = self.inner(alternatives[0])?;
                let mut is_same = true;
                for &child in &alternatives[1..] {
                    is_same &= self.inner(child)? == first;
                }
                if is_same { Ok(first) } else { Err(Varies::InAlternatives) }
            }
            Node::Repeat(repeat) if repeat.is_fixed() => {
                Ok(self.inner(repeat.body)?.saturating_mul(repeat.lower))
            }
            Node::Repeat(_) => Err(Varies::Otherwise),
            Node::Group { kind: GroupKind::Absent, .. } => Ok(0),
            Node::Group { kind: GroupKind::Capture { .. }, body } => {
                if let Some(length) = self.n_characters[id] {
                    return Ok(length);
                }
                let n_characters = self.inner(*body)?;
                self.n_characters[id] = Some(n_characters);
                Ok(n_characters)
            }
            Node::Group { body, .. } => self.inner(*body),
        })
    }

    /// Like [`Self::n_characters`], but for a part of a sequence, where alternatives must have one length.
    fn inner(&mut self, id: NodeId) -> Result<u64, Varies> {
        self.n_characters(id).map_err(|_| Varies::Otherwise)
    }
}

/// Counts the characters of a text, after case folding if case is ignored.
fn n_characters(text: &str, ignores_case: bool) -> u64 {
    let length = |character| match ignores_case {
        true => folded(character).as_slice().len() as u64,
        false => 1,
    };
    text.chars().map(length).sum()
}
