//! The tree of a regular expression.

use std::collections::HashMap;

use super::class::Class;

/// The index of a node of a [`Tree`].
pub(crate) type NodeId = usize;

/// A parsed regular expression.
///
/// Invariant: a node's children precede it, so the last node is the root.
#[derive(Debug, Default)]
pub(crate) struct Tree<'p> {
    pub(crate) nodes: Vec<Node<'p>>,
    pub(crate) root: NodeId,
    /// The node of each capture group by number; `None` while the group is open. Number 0 is the
    /// whole expression, present if anything is called.
    pub(crate) groups: Vec<Option<NodeId>>,
    pub(crate) n_named: usize,
    pub(crate) names: Vec<Name>,
    pub(crate) name_indices: HashMap<&'p str, usize>,
    pub(crate) n_calls: usize,
    /// For each node, whether it can lead to itself through calls; empty if there are no calls.
    pub(crate) is_recursive: Vec<bool>,
    /// Set if the pattern is ASCII; until the match, Ruby then folds no characters beyond it.
    pub(crate) is_ascii: bool,
}

/// The groups of one name.
#[derive(Debug, Default)]
pub(crate) struct Name {
    pub(crate) groups: Vec<usize>,
    /// The number of these groups that are still open, while the pattern is parsed.
    pub(crate) n_open: usize,
}

#[derive(Debug)]
pub(crate) enum Node<'p> {
    /// Literal characters, perhaps none.
    Text {
        text: String,
        ignores_case: bool,
    },
    /// `.`
    Any {
        takes_newline: bool,
    },
    /// One character of a set: `\w`, `[a-z]`, `\p{Alpha}`.
    Set(Class),
    /// `\R`
    LineBreak,
    /// `\X`
    Cluster,
    Backref(Reference),
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

/// `\1`, `\k<name>`
#[derive(Clone, Copy, Debug)]
pub(crate) struct Reference {
    pub(crate) to: Backref,
    /// Set inside a group that it refers to.
    pub(crate) is_inside: bool,
    /// `\k<name+1>`: how many calls further out.
    pub(crate) level: Option<i64>,
    pub(crate) ignores_case: bool,
}

#[derive(Clone, Copy, Debug)]
pub(crate) enum Backref {
    Number(usize),
    /// The first `n_groups` groups with the name: those to the left of the reference.
    Name {
        index: usize,
        n_groups: usize,
    },
}

/// `\g<name>`: the group's pattern again.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Call<'p> {
    pub(crate) name: &'p str,
    /// The number if it was called by number; 0 and an empty name is the whole expression.
    pub(crate) number: usize,
    /// The called node, once resolved.
    pub(crate) target: NodeId,
    /// Set if the call can lead to itself.
    pub(crate) is_recursive: bool,
}

/// A quantifier.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Repeat {
    pub(crate) lower: u64,
    /// `None` means unbounded.
    pub(crate) upper: Option<u64>,
    pub(crate) is_greedy: bool,
    pub(crate) body: NodeId,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum GroupKind {
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
pub(crate) enum Anchor {
    /// `\A`
    TextStart,
    /// `\z`
    TextEnd,
    /// `\Z`
    LastLineEnd,
    /// `^`
    LineStart,
    /// `$`
    LineEnd,
    /// `\G`
    SearchStart,
    /// `\K`
    Keep,
    /// `\b`, or `\B` if it is negated
    WordBoundary { is_negated: bool, is_ascii: bool },
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum LookKind {
    Ahead,
    NotAhead,
    Behind,
    NotBehind,
}

impl Repeat {
    /// Returns true for exactly `lower` repetitions.
    pub(crate) fn is_fixed(&self) -> bool {
        self.upper == Some(self.lower)
    }

    /// Returns true for zero repetitions.
    pub(crate) fn is_never(&self) -> bool {
        self.upper == Some(0)
    }
}

impl<'p> Tree<'p> {
    pub(crate) fn add(&mut self, node: Node<'p>) -> NodeId {
        self.nodes.push(node);
        self.nodes.len() - 1
    }

    /// Returns the number of capture groups, of those parsed so far while parsing.
    pub(crate) fn n_groups(&self) -> usize {
        self.groups.len() - 1
    }

    /// Returns the numbers of the groups that a back-reference refers to.
    pub(crate) fn referred<'t>(&'t self, to: &'t Backref) -> &'t [usize] {
        match to {
            Backref::Number(number) => std::slice::from_ref(number),
            Backref::Name { index, n_groups } => &self.names[*index].groups[..*n_groups],
        }
    }
}

impl Node<'_> {
    /// Returns the children, in order; the target of a call is none.
    pub(crate) fn children(&self) -> &[NodeId] {
        match self {
            Self::List(children) | Self::Alternatives(children) => children,
            Self::Repeat(Repeat { body, .. })
            | Self::Group { body, .. }
            | Self::Look { body, .. } => std::slice::from_ref(body),
            Self::Text { .. }
            | Self::Any { .. }
            | Self::Set(_)
            | Self::LineBreak
            | Self::Cluster
            | Self::Backref(_)
            | Self::Call(_)
            | Self::Anchor(_) => &[],
        }
    }

    /// Like [`Self::children`], but mutable.
    pub(crate) fn children_mut(&mut self) -> &mut [NodeId] {
        match self {
            Self::List(children) | Self::Alternatives(children) => children,
            Self::Repeat(Repeat { body, .. })
            | Self::Group { body, .. }
            | Self::Look { body, .. } => std::slice::from_mut(body),
            Self::Text { .. }
            | Self::Any { .. }
            | Self::Set(_)
            | Self::LineBreak
            | Self::Cluster
            | Self::Backref(_)
            | Self::Call(_)
            | Self::Anchor(_) => &mut [],
        }
    }
}
