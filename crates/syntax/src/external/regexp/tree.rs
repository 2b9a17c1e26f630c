//! The tree of a regular expression, as far as its validity depends on it.

use std::collections::HashMap;

/// A node of a [`Tree`], by its place in the list of nodes.
pub(super) type NodeId = usize;

/// A parsed regular expression.
///
/// Invariant: a node's children stand before it, so the last node is the root.
#[derive(Debug, Default)]
pub(super) struct Tree<'p> {
    pub(super) nodes: Vec<Node<'p>>,
    pub(super) root: NodeId,
    /// The node of each capture group by number; `None` while the group is open. Number 0 is the
    /// whole expression, present if anything is called.
    pub(super) groups: Vec<Option<NodeId>>,
    pub(super) n_named: usize,
    pub(super) names: Vec<Name>,
    pub(super) name_indices: HashMap<&'p str, usize>,
    pub(super) n_calls: usize,
}

/// The groups of one name.
#[derive(Debug, Default)]
pub(super) struct Name {
    pub(super) groups: Vec<usize>,
    /// How many of them were not closed yet, while the pattern is parsed.
    pub(super) n_open: usize,
}

#[derive(Debug)]
pub(super) enum Node<'p> {
    /// Literal characters, perhaps none.
    Text {
        n_characters: usize,
    },
    /// Exactly one character: `.`, `\w`, `[a-z]`, `\p{Alpha}`.
    OneOf,
    Backref {
        to: Backref,
        /// It stands inside a group that it refers to.
        is_inside: bool,
    },
    Call(Call<'p>),
    List(Vec<NodeId>),
    Alternatives(Vec<NodeId>),
    Repeat(Repeat),
    Group {
        kind: GroupKind,
        body: NodeId,
    },
    Anchor(Anchor),
    Look {
        kind: LookKind,
        body: NodeId,
    },
}

#[derive(Clone, Copy, Debug)]
pub(super) enum Backref {
    Number(usize),
    /// The first `n_groups` groups with the name: those to the left of the reference.
    Name {
        index: usize,
        n_groups: usize,
    },
}

/// `\g<name>`: the group's pattern again.
#[derive(Clone, Copy, Debug)]
pub(super) struct Call<'p> {
    pub(super) name: &'p str,
    /// The number if it was called by number; 0 and an empty name is the whole expression.
    pub(super) number: usize,
    /// What is called, once that is known.
    pub(super) target: NodeId,
    /// Whether the call can lead to itself.
    pub(super) is_recursive: bool,
}

/// A quantifier. One directly on another is merged with it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Repeat {
    pub(super) lower: u64,
    /// It repeats exactly `lower` times.
    pub(super) is_fixed: bool,
    /// It repeats zero times.
    pub(super) is_never: bool,
    pub(super) body: NodeId,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum GroupKind {
    Capture {
        number: usize,
        /// The index of its name.
        name: Option<usize>,
    },
    /// `(?i:…)`, and the rest of a group after `(?i)`.
    Options,
    /// `(?>…)`
    Atomic,
    /// `(?(1)…|…)`
    Condition { number: usize, by_name: bool },
    /// `(?~…)`
    Absent,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Anchor {
    /// `\Z` and `\z`, which a look-behind may not hold.
    EndOfText,
    /// All others.
    Other,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum LookKind {
    Ahead,
    Behind,
    NotBehind,
}

impl<'p> Tree<'p> {
    pub(super) fn add(&mut self, node: Node<'p>) -> NodeId {
        self.nodes.push(node);
        self.nodes.len() - 1
    }

    /// How many capture groups there are, or were so far.
    pub(super) fn n_groups(&self) -> usize {
        self.groups.len() - 1
    }

    /// The numbers of the groups that a back-reference refers to.
    pub(super) fn referred<'t>(&'t self, to: &'t Backref) -> &'t [usize] {
        match to {
            Backref::Number(number) => std::slice::from_ref(number),
            Backref::Name { index, n_groups } => &self.names[*index].groups[..*n_groups],
        }
    }
}

impl Node<'_> {
    /// Its children, in order; what a call calls is none.
    pub(super) fn children(&self) -> &[NodeId] {
        match self {
            Self::List(children) | Self::Alternatives(children) => children,
            Self::Repeat(Repeat { body, .. })
            | Self::Group { body, .. }
            | Self::Look { body, .. } => std::slice::from_ref(body),
            Self::Text { .. }
            | Self::OneOf
            | Self::Backref { .. }
            | Self::Call(_)
            | Self::Anchor(_) => &[],
        }
    }

    /// The same, to change them.
    pub(super) fn children_mut(&mut self) -> &mut [NodeId] {
        match self {
            Self::List(children) | Self::Alternatives(children) => children,
            Self::Repeat(Repeat { body, .. })
            | Self::Group { body, .. }
            | Self::Look { body, .. } => std::slice::from_mut(body),
            Self::Text { .. }
            | Self::OneOf
            | Self::Backref { .. }
            | Self::Call(_)
            | Self::Anchor(_) => &mut [],
        }
    }
}
